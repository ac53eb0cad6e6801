/// A flow's functions with its types worked in, shared by all its machines.
///
/// Closures, made where the compiler sees the flow itself: a generic function that is called through a protocol or
/// an overridden method runs unspecialised, at a fraction of the speed. They capture nothing, and find the flow in the
/// machine's engine: calling a closure counts the references to what it captured.
public final class Engine<State, Event> {
    public typealias Machine = StateMachine<State, Event>

    /// A `FlowBox`.
    @usableFromInline let box: AnyObject
    @usableFromInline let start: (Machine) throws(Reason) -> Void
    @usableFromInline let take: (Machine, Event, EventContext?) throws(Reason) -> Void
    /// Asks the selector; throws what it throws.
    @usableFromInline let ask: (Machine, Event) throws(Reason) -> Void
    /// The event that a timer with this tag sends; nil if the flow has no such signal.
    @usableFromInline let signal: (UInt8) -> Event?
    /// The name and data of a state.
    @usableFromInline let place: (Engine, State) -> StateRecord
    /// The name and arguments of an event.
    @usableFromInline let describe: (Event) -> EventRecord

    /// The functions of one flow.
    @inlinable public init<F: Flow>(_ flow: F) where F.State == State, F.Event == Event {
        box = FlowBox(flow)
        start = { machine throws(Reason) in
            let flow = machine.engine.box(F.self).flow
            let transition = try flow.entering(F.initial, Arguments())
            try machine.put(flow, transition, .open, .program)
        }
        take = { machine, event, context throws(Reason) in
            try machine.take(machine.engine.box(F.self), event, context)
        }
        ask = { machine, event throws(Reason) in
            _ = try machine.select(machine.engine.box(F.self).flow, event)
        }
        signal = { tag in F.Signal(rawValue: tag).map { .due($0) } }
        place = { engine, state in
            let box = engine.box(F.self)
            return box.places.place(box.flow.scene(state))
        }
        describe = { event in EventRecord(describing: event) }
    }

    /// The flow that the engine was made of; only its own closures know which type that is.
    @inlinable func box<F: Flow>(_ flow: F.Type) -> FlowBox<F> {
        unsafeDowncast(box, to: FlowBox<F>.self)
    }
}

/// A flow and what was made of it once.
@usableFromInline final class FlowBox<F: Flow> {
    @usableFromInline let flow: F
    @usableFromInline let places: StateRecordCache<F>

    @inlinable init(_ flow: F) {
        self.flow = flow
        places = StateRecordCache()
    }
}

/// The states of a flow as they are without data, made once: most states have none.
@usableFromInline struct StateRecordCache<F: Flow> {
    @usableFromInline let names: [F.StateName]
    @usableFromInline let places: [StateRecord]

    @inlinable init() {
        names = Array(F.StateName.allCases)
        places = names.map { StateRecord($0.rawValue) }
    }

    /// The name and data of a scene; a new object only if it has data.
    @inlinable func place(_ scene: StateDescription<F.StateName>) -> StateRecord {
        guard let known = names.firstIndex(of: scene.name) else {
            return StateRecord(scene.name.rawValue, scene.data)
        }
        return scene.data.isEmpty ? places[known] : StateRecord(places[known].state, scene.data)
    }
}
