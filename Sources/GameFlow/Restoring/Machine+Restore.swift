internal import JSON

extension Machine {
    /// What is deferred, for who writes it down.
    var waitingRecords: [MachineSnapshot.Deferred] {
        waiting.map { MachineSnapshot.Deferred($0.happening, from: $0.source) }
    }

    /// Takes the state that was written down, by the way into it from its name and data; timers and what
    /// waits come with it. `read` makes an event of what waited.
    func resume(
        _ name: F.StateName, _ snapshot: MachineSnapshot,
        _ read: (Happening) throws(Reason) -> F.Event
    ) throws(Reason) {
        var queue: [Waiting] = []
        for deferred in snapshot.waiting {
            queue.append(
                Waiting(
                    event: try read(deferred.event), happening: deferred.event,
                    source: deferred.source))
        }
        let way = try rules.entering(name, Arguments(snapshot.place.data))
        guard let make = way.make else { throw .unknownState }
        let next = try make(Entry(machine: self))
        let shown = plainPlaces.place(rules.scene(next))
        // A state that comes back as another one is not the one that was acknowledged.
        guard shown == snapshot.place else { throw .invalid("state", "comes back as another one") }
        resume()
        state = next
        place = shown
        waiting = queue
    }
}
