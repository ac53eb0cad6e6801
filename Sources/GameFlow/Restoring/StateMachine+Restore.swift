extension StateMachine {
    /// Restores the recorded state by calling `entering` with its name and data, together with its timers and
    /// deferred events. `read` converts a deferred event's record to a typed event. Inlinable, so that it is
    /// specialised in the flow's module: a start calls it for each session.
    @inlinable func restore<F: Flow>(
        _ flow: F, _ name: F.StateName, _ snapshot: MachineSnapshot,
        _ read: (EventRecord) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) where F.State == State, F.Event == Event {
        // The array is nil for the usual case without deferred events, because creating an array would look up
        // its type at run time.
        let deferred = snapshot.waiting.isEmpty ? nil : try waiting(snapshot.waiting, read)
        let way = try flow.entering(name, Arguments(snapshot.place.data))
        guard way.kind == .enter else { throw .unknownState }
        let next = try way.make(Entry(machine: self))
        let shown = engine.place(engine, next)
        // A restored state must equal the acknowledged one.
        guard shown == snapshot.place else { throw .invalid("state", "comes back as another one") }
        resume()
        current = next
        knownPlace = shown
        if let deferred { restore(waiting: deferred) }
    }

    @usableFromInline func waiting(
        _ events: [MachineSnapshot.Deferred],
        _ read: (EventRecord) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) -> [Waiting] {
        var waiting: [Waiting] = []
        for one in events {
            let (number, event) = try read(one.event)
            let context = EventContext(.event(number), one.source, one.event.arguments)
            waiting.append(Waiting(event: event, context: context))
        }
        return waiting
    }
}
