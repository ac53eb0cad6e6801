/// A flow's functions, specialised for its types and shared by all its machines.
///
/// They are closures that are created where the compiler knows the flow's types: a generic function that is
/// called through a protocol or an overridden method runs unspecialised, at a fraction of the speed. The
/// closures capture nothing and read the flow from the machine's engine, because each call of a closure counts
/// the references to its captured values.
public final class Engine<State, Event> {
    public typealias Machine = StateMachine<State, Event>

    /// A `FlowBox`.
    @usableFromInline let box: AnyObject
    @usableFromInline let start: (Machine) throws(Reason) -> Void
    @usableFromInline let take: (Machine, Event, EventContext?) throws(Reason) -> Void
    /// Calls the selector and throws its error.
    @usableFromInline let ask: (Machine, Event) throws(Reason) -> Void
    /// Returns the event that a timer with this tag sends; nil if the flow has no such signal.
    @usableFromInline let signal: (UInt8) -> Event?
    /// Returns a state's name and data.
    @usableFromInline let place: (Engine, State) -> StateRecord
    /// Returns an event's name and arguments.
    @usableFromInline let describe: (Event) -> EventRecord

    /// Creates the engine of a flow.
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

    /// Returns the flow's box. Only the engine's own closures know its type.
    @inlinable func box<F: Flow>(_ flow: F.Type) -> FlowBox<F> {
        unsafeDowncast(box, to: FlowBox<F>.self)
    }
}

/// A flow and the values that are computed once for it.
@usableFromInline final class FlowBox<F: Flow> {
    @usableFromInline let flow: F
    @usableFromInline let places: StateRecordCache<F>

    @inlinable init(_ flow: F) {
        self.flow = flow
        places = StateRecordCache()
    }
}

/// The records of a flow's states without data, created once, because most states have no data.
@usableFromInline struct StateRecordCache<F: Flow> {
    @usableFromInline let names: [F.StateName]
    @usableFromInline let places: [StateRecord]

    @inlinable init() {
        names = Array(F.StateName.allCases)
        places = names.map { StateRecord($0.rawValue) }
    }

    /// Returns the record of a state; creates a new object only if the state has data.
    @inlinable func place(_ scene: StateDescription<F.StateName>) -> StateRecord {
        guard let known = names.firstIndex(of: scene.name) else {
            return StateRecord(scene.name.rawValue, scene.data)
        }
        return scene.data.isEmpty ? places[known] : StateRecord(places[known].state, scene.data)
    }
}
