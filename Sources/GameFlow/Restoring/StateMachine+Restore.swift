extension StateMachine {
    /// Takes the state that was recorded, by the way into it from its name and data; timers and deferred events come
    /// with it. `read` makes an event of what was deferred. Worked into the flow's module: it runs for each session of a
    /// start.
    @inlinable func restore<F: Flow>(
        _ flow: F, _ name: F.StateName, _ snapshot: MachineSnapshot,
        _ read: (EventRecord) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) where F.State == State, F.Event == Event {
        // An array of what mostly is not there would need its type looked up.
        let deferred = snapshot.waiting.isEmpty ? nil : try waiting(snapshot.waiting, read)
        let way = try flow.entering(name, Arguments(snapshot.place.data))
        guard way.kind == .enter else { throw .unknownState }
        let next = try way.make(Entry(machine: self))
        let shown = engine.place(engine, next)
        // A restored state has to equal the one that was acknowledged.
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
