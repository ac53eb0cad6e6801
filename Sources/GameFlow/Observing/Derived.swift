/// A machine's state, as a source of derived values; `StatePublisher` is the implementation.
protocol ChangeSource: AnyObject {
    /// The number of changes since the source was created. A `Derived` compares it, to know whether its value is out of date.
    var version: Int { get }
    /// Calls `changed` after each change, until the token is released.
    func observeChanges(_ changed: @escaping () -> Void) -> ObservationToken
    /// Calls `ended` once, when the machine ends, or at once if it has ended, unless the token is released before.
    func onEnd(_ ended: @escaping () -> Void) -> ObservationToken
}

/// A value that is computed from the states of machines, or from other derived values.
///
/// A read of `value` computes the value again, if a source has changed since the last computation. Therefore the value never
/// combines an old value of one source with a new value of another source. The order in which observers are called makes no
/// difference. After a machine was released, the value is computed from the machine's last state.
public final class Derived<Value: Equatable> {
    /// The states of the machines that the value depends on, each once. A value that is derived from other values has the
    /// sources of those values.
    let sources: [any ChangeSource]
    private let compute: () -> Value
    /// The result of the most recent computation, and the sum of the sources' versions at that time.
    private var cache: (value: Value, version: Int)
    /// Each observer reads the value itself, because an observer before it may have changed a source meanwhile.
    private let observers = ObserverList<Void>()
    /// The observations of the sources, while the value itself is observed.
    private var tokens: [ObservationToken] = []

    init(_ sources: [any ChangeSource], _ compute: @escaping () -> Value) {
        (self.sources, self.compute) = (sources, compute)
        let version = Self.version(of: sources)
        cache = (compute(), version)
    }

    /// The present value.
    public var value: Value {
        let version = Self.version(of: sources)
        if cache.version != version { cache = (compute(), version) }
        return cache.value
    }

    /// Calls `call` at once with nil and the present value. After each step that changes the value, calls `call` with the old
    /// and the new value. The calls end when the token is released.
    public func observe(_ call: @escaping (_ old: Value?, _ new: Value) -> Void) -> ObservationToken
    {
        if observers.isEmpty {
            tokens = sources.map { $0.observeChanges { [weak self] in self?.report() } }
        }
        var told = value
        let first = told
        let tell = { [unowned self] (_: Void?, _: Void) in
            let (old, new) = (told, value)
            guard new != old else { return }
            told = new
            call(old, new)
        }
        let token = observers.add(tell, retaining: self)
        call(nil, first)
        return token
    }

    /// A value that is computed from this one.
    public func map<Result: Equatable>(_ transform: @escaping (Value) -> Result) -> Derived<Result>
    {
        Derived<Result>(sources) { transform(self.value) }
    }

    /// Called after each change of a source. Tells each observer, if the value has changed.
    private func report() {
        guard !observers.isEmpty else {
            // The last observer has ended, so the sources need not be observed any more.
            tokens = []
            return
        }
        observers.call(nil, (), upTo: observers.lastNumber)
    }

    /// Returns the sum of the sources' versions, which grows with each change of a source.
    private static func version(of sources: [any ChangeSource]) -> Int {
        sources.reduce(0) { $0 + $1.version }
    }
}

extension StateMachine {
    /// Returns a value that `read` computes from the state. Its observers are called only after a step that changes the value.
    public func derive<Value: Equatable>(_ read: @escaping (State) -> Value) -> Derived<Value> {
        let publisher = publisher
        return Derived([publisher]) { read(publisher.current) }
    }
}

/// Returns a value that is computed from other derived values, of one machine or of several.
public func derive<each Input, Value: Equatable>(
    _ inputs: repeat Derived<each Input>, combine: @escaping (repeat each Input) -> Value
) -> Derived<Value> {
    var sources: [any ChangeSource] = []
    for input in repeat each inputs {
        for source in input.sources where !sources.contains(where: { $0 === source }) {
            sources.append(source)
        }
    }
    return Derived(sources) { combine(repeat (each inputs).value) }
}
