/// What an accepted event does, once it is run. Its parameters are part of it, and nothing is done yet.
public struct Transition<F: Flow> {
    @usableFromInline enum Kind {
        /// Stay in the state as it is.
        case stay
        /// Stay in the state with other data.
        case keep
        case enter, wait
    }

    @usableFromInline let kind: Kind
    /// What the outside is asked to do: mostly one thing, which needs no array.
    @usableFromInline let effect: F.Effect?
    @usableFromInline let more: [F.Effect]?
    /// Makes the state that follows, where the kind says that there is one.
    @usableFromInline let make: (Entry<F>) throws(Reason) -> F.State

    @inlinable init(
        kind: Kind, effect: F.Effect? = nil, more: [F.Effect]? = nil,
        make: @escaping (Entry<F>) throws(Reason) -> F.State
    ) {
        (self.kind, self.effect, self.more, self.make) = (kind, effect, more, make)
    }

    /// A transition that makes no state.
    @inlinable init(stateless kind: Kind, effect: F.Effect? = nil, more: [F.Effect]? = nil) {
        self.init(kind: kind, effect: effect, more: more) { _ throws(Reason) in
            throw .invalid("state", "no state to enter")
        }
    }

    /// Stay, with nothing changed: a pendulum's beat.
    @inlinable public static var keep: Self { Transition(stateless: .stay) }

    /// Defer the event: it waits, and is offered again after each entry, before anything new.
    @inlinable public static var deferred: Self { Transition(stateless: .wait) }

    @inlinable var effects: [EffectRecord] {
        guard let effect else { return [] }
        guard let more else { return [EffectRecord(effect)] }
        return ([effect] + more).map { EffectRecord($0) }
    }
}
