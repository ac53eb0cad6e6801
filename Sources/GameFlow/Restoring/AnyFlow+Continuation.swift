package import Timers

extension AnyFlow {
    /// Converts a snapshot to a snapshot from which a machine of this version of the flow can be restored. `snapshot` describes
    /// a machine of the flow version `old`. Timers that only this version has are set at the instant `now`, beside `wallClock`.
    ///
    /// The state and its data are kept; data that only this version has get their defaults. If the two versions have a timer
    /// with the same name and kind, this timer keeps its deadline and its full duration. If it has fired, it is not set again.
    /// All other timers of the snapshot end. Throws the name of a state, a datum or a deferred event that does not fit.
    package func continuation(
        of snapshot: MachineRecord, from old: AnyFlow, at now: Instant,
        _ wallClock: CivilClock = CivilClock(.utc)
    ) throws(Reason) -> MachineRecord {
        let oldPlace = snapshot.place
        guard stateNames.contains(oldPlace.state) else {
            throw .invalid("state", "the new version has no state \(oldPlace.state)")
        }
        for deferred in snapshot.waiting
        where !events.contains(where: { $0.name == deferred.event.name }) {
            throw .invalid(
                deferred.event.name, "a deferred event that the new version does not have")
        }
        // Shows what the state is in the new version, and which timers it sets.
        let clock = VirtualClock(startingAt: now)
        clock.timerQueue.wallClock = wallClock
        let newMachine = dryRunMachine(on: clock)
        try newMachine.open(oldPlace.state, oldPlace.data, from: .program)
        let newPlace = newMachine.place
        for datum in oldPlace.data where newPlace.data[datum.name] != datum.value {
            throw .invalid(datum.name, "the new version does not keep its value")
        }
        for deferred in snapshot.waiting { try checkFits(deferred, in: newPlace) }
        let oldTimers = old.declaredTimers(in: oldPlace)
        let newTimers = declaredTimers(in: newPlace)
        let keptTimers = snapshot.timers.filter { timer in
            newTimers.contains { $0.fires == timer.fires && oldTimers.contains($0) }
        }
        // The added timers were set last, so their orders follow the orders in the snapshot.
        var largestOrder = snapshot.timers.map(\.order).max() ?? 0
        let addedTimers = newMachine.snapshot.timers.filter { timer in
            !newTimers.contains { $0.fires == timer.fires && oldTimers.contains($0) }
        }.map { timer in
            largestOrder += 1
            return timer.numbered(largestOrder)
        }
        return MachineRecord(
            place: newPlace, timers: keptTimers + addedTimers, waiting: snapshot.waiting,
            chance: snapshot.chance, moments: try moments(of: snapshot, from: old))
    }

    /// Throws the name of a deferred event whose arguments this version does not take. `place` is a state of this version. The error
    /// of a restore names the argument alone, which may also be the name of a datum.
    private func checkFits(_ deferred: MachineRecord.Deferred, in place: StateRecord)
        throws(Reason)
    {
        do throws(Reason) {
            _ = try dryRun(
                restoring: MachineRecord(place: place, timers: [], waiting: [deferred]))
        } catch {
            throw .invalid(
                deferred.event.name,
                "a deferred event that the new version does not take: \(error.subject): \(error.why)"
            )
        }
    }

    /// Returns the moments of a snapshot for this version, which keeps those of states with a transition back. Throws the name of the
    /// state or the datum of a moment that does not fit.
    private func moments(of snapshot: MachineRecord, from old: AnyFlow) throws(Reason)
        -> [Moment]
    {
        var moments: [Moment] = []
        var state = snapshot.place.state
        for moment in snapshot.moments {
            guard statesWithBack.contains(state) else { break }
            let machine = dryRunMachine(on: VirtualClock())
            state = moment.place.state
            do throws(Reason) {
                try machine.open(state, moment.place.data, from: .program)
            } catch {
                guard error.code == .invalid else {
                    throw .invalid("state", "the new version has no state \(state), to go back to")
                }
                throw .invalid(error.subject, "in \(state), to go back to: \(error.why)")
            }
            let place = machine.place
            for datum in moment.place.data where place.data[datum.name] != datum.value {
                throw .invalid(
                    datum.name, "the new version does not keep its value in \(state), to go back to"
                )
            }
            let (oldTimers, newTimers) = (
                old.declaredTimers(in: moment.place), declaredTimers(in: place)
            )
            let timers = moment.timers.filter { timer in
                newTimers.contains { $0.fires == timer.fires && oldTimers.contains($0) }
            }
            moments.append(Moment(place: place, timers: timers, at: moment.at))
        }
        return moments
    }

    /// The name and kind of a timer that a state can have. Whether it has overtime does not matter.
    private struct DeclaredTimer: Equatable {
        let fires: String
        let kind: TimerKind
    }

    /// Returns the timers that a state can have, including timers that have fired and timers whose condition is false. The list
    /// is empty if the state cannot be restored.
    private func declaredTimers(in place: StateRecord) -> [DeclaredTimer] {
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        guard let machine = try? dryRun(restoring: snapshot) else { return [] }
        return machine.liveTimers.map {
            DeclaredTimer(fires: $0.fires, kind: $0.info.kind)
        }
    }

    /// Restores the state and the deferred events of a snapshot on a machine of its own.
    private func dryRun(restoring snapshot: MachineRecord) throws(Reason) -> AnyMachine {
        let machine = dryRunMachine(on: VirtualClock())
        // A machine that is being restored sets every timer that its state can have; see `Entry.isRestoring`.
        machine.isRestoring = true
        defer { machine.isRestoring = false }
        try restore(machine, snapshot)
        return machine
    }
}
