extension StateMachine {
    /// Takes the state that was recorded, by the way into it from its name and data; timers and deferred events come
    /// with it. `read` makes an event of what was deferred.
    @usableFromInline func restore<F: Flow>(
        _ flow: F, _ name: F.StateName, _ snapshot: MachineSnapshot,
        _ read: (Happening) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) where F.State == State, F.Event == Event {
        var deferred: [Waiting] = []
        for one in snapshot.waiting {
            let (number, event) = try read(one.event)
            let context = EventContext(.event(number), one.source, one.event.arguments)
            deferred.append(Waiting(event: event, context: context))
        }
        let way = try flow.entering(name, Arguments(snapshot.place.data))
        guard way.kind == .enter else { throw .unknownState }
        let next = try way.make(Entry(machine: self))
        let shown = engine.place(engine, next)
        // A restored state has to equal the one that was acknowledged.
        guard shown == snapshot.place else { throw .invalid("state", "comes back as another one") }
        resume()
        current = next
        knownPlace = shown
        restore(waiting: deferred)
    }
}
