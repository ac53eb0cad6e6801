/// An observation. It ends when the token is released, or when `end` is called.
public final class ObservationToken {
    /// Ends the observation; nil when it has ended.
    private var stop: (() -> Void)?

    init(_ stop: @escaping () -> Void) { self.stop = stop }

    deinit { end() }

    /// Ends the observation before the token is released: the observer is not called any more.
    public func end() {
        let stop = stop
        self.stop = nil
        stop?()
    }
}

/// Closures that are called with the old and the new value, each until its token is released. The list does not retain
/// the tokens.
@usableFromInline final class ObserverList<Value> {
    @usableFromInline typealias Observer = (_ old: Value?, _ new: Value) -> Void
    @exclusivity(unchecked) @usableFromInline var observers: [(number: Int, call: Observer)] = []
    /// The number of the observer that was added last.
    @exclusivity(unchecked) @usableFromInline private(set) var lastNumber = 0

    var isEmpty: Bool { observers.isEmpty }

    /// Adds an observer. The token retains this list and, if given, `owner`: the object that must live while it is observed.
    func add(_ observer: @escaping Observer, retaining owner: AnyObject? = nil) -> ObservationToken
    {
        lastNumber += 1
        let number = lastNumber
        observers.append((number, observer))
        return ObservationToken {
            self.remove(number)
            withExtendedLifetime(owner) {}  // The closure retains `owner`, because it uses it.
        }
    }

    private func remove(_ number: Int) {
        guard let index = observers.firstIndex(where: { $0.number == number }) else { return }
        // It is released after the access to the list, because its release may end other observers.
        let removed = observers.remove(at: index)
        withExtendedLifetime(removed) {}
    }

    /// Calls the observers with at most the number `newest`, in the order in which they were added. An observer that ends during the
    /// call is not called any more.
    @inlinable func call(_ old: Value?, _ new: Value, upTo newest: Int) {
        if observers.count == 1, observers[0].number <= newest {
            return observers[0].call(old, new)
        }
        callEach(old, new, upTo: newest)
    }

    @usableFromInline func callEach(_ old: Value?, _ new: Value, upTo newest: Int) {
        for observer in observers
        where observer.number <= newest
            && observers.contains(where: { $0.number == observer.number })
        {
            observer.call(old, new)
        }
    }
}
