/// A flow's functions, specialised for its types and shared by all its machines.
///
/// The functions are closures that are created where the compiler knows the flow's types. A generic function that is called
/// through a protocol or an overridden method would run unspecialised, at a fraction of the speed. The closures of a flow's
/// engine capture nothing, because each call of a closure retains and releases its captured values. Instead of capturing the
/// flow, the closures read it from the machine's engine.
public final class Engine<State, Event> {
    public typealias Machine = StateMachine<State, Event>

    /// The flow and its cached values: a `FlowBox<F>`, where `F` is the flow's type. `box(_:)` returns it with that type.
    @usableFromInline let erasedBox: AnyObject
    /// Enters the initial state.
    @usableFromInline let start: (Machine) throws(Reason) -> Void
    /// Handles an event, or throws the reason for its refusal.
    @usableFromInline let take: (Machine, Event, EventContext?) throws(Reason) -> Void
    /// Enters a state that is given as a value, with new timers.
    @usableFromInline let enterState: (Machine, State) throws(Reason) -> Void
    /// Finds out whether an event would be accepted, without a change: calls the selector and the validators, and throws their
    /// error.
    @usableFromInline let check: (Machine, Event) throws(Reason) -> Void
    /// Returns the event that a timer with this tag sends. Nil if the flow has no such timer. For a machine without a flow
    /// type: nil if the present state has no such timer.
    @usableFromInline let signalEvent: (Machine, UInt8) -> Event?
    /// Returns a state's name and data.
    @usableFromInline let stateRecord: (Engine, State) -> StateRecord
    /// Returns an event's name and arguments.
    @usableFromInline let eventRecord: (Event) -> EventRecord

    /// Creates the engine of a flow.
    @inlinable public init<F: Flow>(_ flow: F) where F.State == State, F.Event == Event {
        erasedBox = FlowBox(flow)
        start = { machine throws(Reason) in
            let box = machine.engine.box(F.self)
            let transition = try box.flow.entering(box.flow.initial, Arguments())
            try machine.enterByCommand(box, transition, .open, .program)
        }
        enterState = { machine, state throws(Reason) in
            let box = machine.engine.box(F.self)
            let description = box.flow.describe(state)
            let transition = try box.flow.entering(
                description.name, Arguments(description.data))
            try machine.enterByCommand(box, transition, .goto, .program)
        }
        take = { machine, event, context throws(Reason) in
            try machine.take(machine.engine.box(F.self), event, context)
        }
        check = { machine, event throws(Reason) in
            let box = machine.engine.box(F.self)
            try machine.validate(try machine.select(box, event), event)
        }
        signalEvent = { _, tag in F.Signal(rawValue: tag).map { .due($0) } }
        stateRecord = { engine, state in
            let box = engine.box(F.self)
            return box.stateRecords.record(of: box.flow.describe(state))
        }
        eventRecord = { event in EventRecord(describing: event) }
    }

    /// Creates the engine of a machine without a flow type from closures.
    init(
        start: @escaping (Machine) throws(Reason) -> Void,
        take: @escaping (Machine, Event, EventContext?) throws(Reason) -> Void,
        enterState: @escaping (Machine, State) throws(Reason) -> Void,
        check: @escaping (Machine, Event) throws(Reason) -> Void,
        signalEvent: @escaping (Machine, UInt8) -> Event?
    ) {
        (self.start, self.take, self.enterState) = (start, take, enterState)
        (self.check, self.signalEvent) = (check, signalEvent)
        erasedBox = NoFlow()
        stateRecord = { _, state in StateRecord(describing: state) }
        eventRecord = { event in EventRecord(describing: event) }
    }

    /// Returns the flow's box. `flow` must be the type of the flow with which the engine was created; this is not checked.
    @inlinable func box<F: Flow>(_ flow: F.Type) -> FlowBox<F> {
        unsafeDowncast(erasedBox, to: FlowBox<F>.self)
    }
}

/// A flow, with values that are computed once for this flow.
@usableFromInline final class FlowBox<F: Flow> {
    @usableFromInline let flow: F
    @usableFromInline let stateRecords: StateRecordCache<F>
    @usableFromInline let finals: [F.StateName]
    /// The cached records of effects. The index of an element is the byte that represents the effect in memory. Each element is
    /// a list with one record; nil until the effect is requested. Used only if a value of `F.Effect` takes one byte, as a value
    /// of an enum without associated values does.
    @exclusivity(unchecked) @usableFromInline var effectRecords: [[EffectRecord]?] = []

    @inlinable init(_ flow: F) {
        self.flow = flow
        stateRecords = StateRecordCache(flow.stateNames)
        finals = flow.finals
    }

    /// The records of the effects that a transition requests.
    @inlinable func effects(of transition: FlowTransition<F>) -> [EffectRecord] {
        guard let effect = transition.effect else { return [] }
        // `more` has the effects after the first effect. Only a single effect is cached.
        guard MemoryLayout<F.Effect>.size == 1, transition.more == nil else {
            return transition.effects
        }
        let byte = Int(unsafeBitCast(effect, to: UInt8.self))
        // One element for each value of a byte.
        if effectRecords.isEmpty { effectRecords = Array(repeating: nil, count: 256) }
        if let cached = effectRecords[byte] { return cached }
        let records = transition.effects
        effectRecords[byte] = records
        return records
    }
}

/// A record without data for each state of a flow. The records are created once and shared, because most states have no data.
@usableFromInline struct StateRecordCache<F: Flow> {
    @usableFromInline let names: [F.StateName]
    @usableFromInline let records: [StateRecord]

    @inlinable init(_ names: [F.StateName]) {
        self.names = names
        records = names.map { StateRecord($0.rawValue) }
    }

    /// Returns the record of a state. A state without data has a shared record.
    @inlinable func record(of state: StateDescription<F.StateName>) -> StateRecord {
        guard let index = names.firstIndex(of: state.name) else {
            return StateRecord(state.name.rawValue, state.data)
        }
        return state.data.isEmpty
            ? records[index] : StateRecord(records[index].state, state.data)
    }
}

/// Stands for the `FlowBox` of an engine without a flow.
private final class NoFlow {}
