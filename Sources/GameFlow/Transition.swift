/// What an accepted event does, once it is run. Its parameters are part of it, and nothing is done yet.
public struct Transition<F: Flow> {
    @usableFromInline enum Kind { case keep, enter, wait }

    @usableFromInline let kind: Kind
    /// What the outside is asked to do: mostly one thing, which needs no array.
    @usableFromInline let effect: F.Effect?
    @usableFromInline let more: [F.Effect]?
    /// Makes the state that follows; nil where it is the present one.
    @usableFromInline let make: ((Entry<F>) throws(Reason) -> F.State)?

    @inlinable init(
        kind: Kind, effect: F.Effect? = nil, more: [F.Effect]? = nil,
        make: ((Entry<F>) throws(Reason) -> F.State)?
    ) {
        (self.kind, self.effect, self.more, self.make) = (kind, effect, more, make)
    }

    /// Stay, with nothing changed: a pendulum's beat.
    @inlinable public static var keep: Self { Transition(kind: .keep, make: nil) }

    /// Defer the event: it waits, and is offered again after each entry, before anything new.
    @inlinable public static var deferred: Self { Transition(kind: .wait, make: nil) }

    @usableFromInline var effects: [RequestedEffect] {
        guard let effect else { return [] }
        return ([effect] + (more ?? [])).map { RequestedEffect($0) }
    }
}
