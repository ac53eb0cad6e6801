package import GameFlow
package import Timers

/// Finds out when a timer of a machine will first do more than a beat: runs a copy of the machine ahead, on a clock of its own.
final class FirstChange: MachineObserver {
    private let clock: ReplayClock
    private var found: Instant?
    /// The number of firings before the one that does more.
    private var beatCount = 0

    private init(at now: Instant) { clock = ReplayClock(startingAt: now) }

    /// The time until just before the first firing that enters a state, changes data, asks an effect or operates a timer; at
    /// most `time`.
    static func time(of machine: AnyMachine, within time: Duration, at now: Instant) -> Duration {
        if machine.liveTimers.isEmpty { return time }
        let found = search(machine, until: now + time, at: now)?.found
        return found.map { max($0 - now - .nanoseconds(1), .zero) } ?? time
    }

    /// The number of firings that are due by `end` and do no more than a beat, before the first one that does.
    static func beatCount(of machine: AnyMachine, until end: Instant, at now: Instant) -> Int {
        search(machine, until: end, at: now)?.beatCount ?? .max
    }

    /// Runs a copy of the machine until a firing does more than a beat, at most until `end`. Nil if the flow does not accept the
    /// machine's own state.
    private static func search(_ machine: AnyMachine, until end: Instant, at now: Instant)
        -> FirstChange?
    {
        let beats = machine.liveTimers.lazy.filter(\.info.isPendulum).compactMap(\.info.deadline)
        // A copy that begins later than a beat is due would skip this beat.
        let search = FirstChange(at: min(now, (beats.min() ?? now) + .nanoseconds(-1)))
        guard
            let copy = try? machine.flow.machine(
                continuing: machine.snapshot, on: search.clock.timerQueue, EventQueue(),
                observer: search, isDryRun: true)
        else { return nil }
        search.clock.move(to: now)
        while search.found == nil, let next = search.clock.next, next.deadline <= end {
            search.clock.fireNext(at: next.deadline)
            if search.found == nil { search.beatCount += 1 }
        }
        copy.end()
        return search
    }

    func completed(_ step: consuming Step) { if !step.isBeat { found = found ?? clock.now } }

    func due(_ firing: Firing, of machine: AnyMachine) { try? machine.take(firing) }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
}

extension Sessions {
    /// How many firings of a machine of these sessions that are due by `end` are beats, before the first one that makes a change.
    /// A replay asks this, because the journal has no rows of beats.
    package func beatCount(of machine: AnyMachine, until end: Instant) -> Int {
        FirstChange.beatCount(of: machine, until: end, at: now)
    }
}
