/// What an accepted event does, once it is run: its parameters are baked in, and nothing is done yet.
public struct Transition<F: Flow> {
    enum Kind { case keep, enter, wait }

    let kind: Kind
    let effect: F.Effect?
    /// Makes the state that follows; nil where it is the present one.
    let make: ((Entry<F>) throws(Reason) -> F.State)?

    /// Stay, with nothing changed: a pendulum's beat.
    public static var keep: Self { Transition(kind: .keep, effect: nil, make: nil) }

    /// Not now, but not never: the event waits, and is offered again after each entry, before anything
    /// new.
    public static var deferred: Self { Transition(kind: .wait, effect: nil, make: nil) }
}
