/// The result of an accepted event: a description of what the machine will do. Creating a transition changes nothing: the next
/// state is made later, by a closure that captures the event's arguments.
public struct FlowTransition<F: Flow> {
    @usableFromInline enum Kind {
        /// Stays in the state with the same data, as `FlowTransition.keep` does.
        case stay
        /// Stays in the state and replaces its data.
        case keep
        case enter, `defer`
        /// Enters the state of the machine's newest moment.
        case back
    }

    @usableFromInline let kind: Kind
    /// The requested effect. Most transitions have at most one, which needs no array.
    @usableFromInline let effect: F.Effect?
    /// The effects after `effect`, in order; nil if there are none.
    @usableFromInline let more: [F.Effect]?
    /// Returns the next state, if the transition enters a state or changes the state's data. Throws to refuse the event.
    @usableFromInline let make: (Entry<F>) throws(Reason) -> F.State

    @inlinable init(
        kind: Kind, effect: F.Effect? = nil, more: [F.Effect]? = nil,
        make: @escaping (Entry<F>) throws(Reason) -> F.State
    ) {
        (self.kind, self.effect, self.more, self.make) = (kind, effect, more, make)
    }

    /// Creates a transition of the kind `stay`, `defer` or `back`, which makes no state. Its closure is never called.
    @inlinable init(stateless kind: Kind, effect: F.Effect? = nil, more: [F.Effect]? = nil) {
        self.init(kind: kind, effect: effect, more: more) { _ throws(Reason) in
            throw .invalid("state", "no state to enter")
        }
    }

    /// Creates a transition of a flow whose rules are read from a file. It enters a state if `enters` is true, and otherwise
    /// keeps the state with other data. In both cases `make` may post events and operate timers. The initialiser is
    /// inlinable, so that the compiler specialises it in the flow's module.
    @inlinable package init(
        enters: Bool, effects: [F.Effect], make: @escaping (Entry<F>) throws(Reason) -> F.State
    ) {
        self.init(
            kind: enters ? .enter : .keep, effect: effects.isEmpty ? nil : effects[0],
            more: effects.count > 1 ? Array(effects[1...]) : nil, make: make)
    }

    /// Stays in the state and changes nothing, for example for each signal of a pendulum that only shows the time.
    @inlinable public static var keep: Self { Self(stateless: .stay) }

    /// Defers the event. Each time the machine enters a state, the deferred event is sent to this state, before any new event.
    /// The event is no longer deferred when a state takes or refuses it.
    @inlinable public static var deferred: Self { Self(stateless: .defer) }

    /// A transition back of a flow whose rules are read from a file; see `Flow.returning`.
    @inlinable package static var back: Self { Self(stateless: .back) }

    /// All requested effects in order.
    @inlinable var typedEffects: [Any] {
        guard let effect else { return [] }
        return [effect] + (more ?? [])
    }

    /// All requested effects in order, by name and arguments.
    @inlinable var effects: [EffectRecord] {
        guard let effect else { return [] }
        guard let more else { return [EffectRecord(effect)] }
        return ([effect] + more).map { EffectRecord($0) }
    }
}
