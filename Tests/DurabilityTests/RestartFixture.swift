import Durability
import GameFlow
import Journal
import Sessions
import ShippedFlows
import TestSupport
import Timers

/// Recorded sessions that can be restarted, on a clock whose timers can fire late, as on a real clock.
final class RestartFixture {
    private let flows: [AnyFlow]
    /// Whether a restart leaves the sessions that can be decoded later.
    private let leavesSessions: Bool
    /// How much earlier than their timers' deadlines the sessions that are left say that a timer may be due.
    private let boundsAreEarlyBy: Duration
    private(set) var time = ReplayClock()
    private(set) var sessions: Sessions
    private(set) var rows: [JournalRow] = []

    init(
        _ flows: [AnyFlow] = AnyFlow.shipped(), leavesSessions: Bool = false,
        boundsAreEarlyBy: Duration = .zero
    ) {
        (self.flows, self.leavesSessions) = (flows, leavesSessions)
        self.boundsAreEarlyBy = boundsAreEarlyBy
        sessions = Sessions(flows, on: time)
        startRecording(lastAlive: .zero)
    }

    deinit { sessions.endMachines() }

    private func startRecording(lastAlive: Instant, wasRunning: Bool = false) {
        record()
        sessions.recordStart([], lastAlive: lastAlive, wasRunning: wasRunning)
    }

    /// Records what the sessions do from now on.
    private func record() {
        sessions.auditsRefusals = true
        sessions.recorder = { [unowned self] record, previous in
            let row = JournalRow(record, at: rows.count + 1, after: previous)
            rows.append(row)
            return row.journalPosition
        }
    }

    /// Advances the time; each timer that becomes due fires late by `late`.
    func advance(by interval: Duration, late: Duration = .zero) {
        let end = time.now + interval
        while let next = time.next, next.deadline <= end {
            time.fireNext(at: min(end, next.deadline + late))
        }
        time.move(to: end)
    }

    /// Hands the sessions over to another process, which continues them after `pause`.
    func handOver(after pause: Duration, watchedBy watcher: (any Watcher)? = nil) {
        restart(after: pause, wasRunning: true, watchedBy: watcher)
    }

    /// Kills the daemon, and starts it again after `down`. With `wasRunning`, the daemon is not killed but hands the sessions
    /// over.
    func restart(
        after down: Duration, wasRunning: Bool = false, watchedBy watcher: (any Watcher)? = nil
    ) {
        let lastAlive = time.now
        restoreSessions(after: down, wasRunning: wasRunning)
        startRecording(lastAlive: lastAlive, wasRunning: wasRunning)
        if let watcher { _ = try? sessions.watch(.all, [.beats], by: watcher) }
        // Timers that became due during the downtime fire before any request.
        advance(by: .zero)
    }

    /// Ends the sessions, and restores them from their rows `down` later.
    private func restoreSessions(after down: Duration, wasRunning: Bool) {
        let lastAlive = time.now
        sessions.endMachines()
        time = ReplayClock(startingAt: lastAlive + down)
        sessions = Sessions(flows, on: time)
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 65_536)
        for row in rows { reading.add(row) }
        var content = reading.content()
        content.sessions = EarlyRows(content.sessions, by: boundsAreEarlyBy)
        _ = sessions.restore(
            content, lastAlive: lastAlive, wasRunning: wasRunning,
            decoding: leavesSessions ? 0 : .max)
    }

    /// Lets a node stand still for a time. It gives its sessions up, and acquires them again from their rows.
    func giveUpAndAcquire(after duration: Duration) {
        let (earlier, lastAlive) = (sessions, time.now)
        restoreSessions(after: duration, wasRunning: false)
        if sessions.continueHistory(of: earlier) {
            record()
            sessions.recordStandstill(since: lastAlive, [])
        } else {
            startRecording(lastAlive: lastAlive)
        }
        advance(by: .zero)
    }

    /// Lets the process stand still for a time, and continues the sessions as after a restart.
    func standStill(for duration: Duration) {
        let lastAlive = time.now
        time.move(to: lastAlive + duration)
        sessions.continueAfterStandstill(since: lastAlive, [])
        advance(by: .zero)
    }

    /// Opens a session; `flow` is an index of the fixture's flows.
    func open(_ name: String, _ flow: Int = 0) throws {
        _ = try sessions.open(SessionName(name)!, flows[flow], RequestContext(from: Players.player))
    }

    func send(_ event: String, to name: String) throws {
        let session = try sessions.session(SessionName(name)!)
        _ = try sessions.send(event, to: session, RequestContext(from: Players.player))
    }

    /// Takes a random step: a hand-over, a restart, the passing of time, or a request about the session.
    func step(_ random: inout SeededRandom, _ name: SessionName) throws {
        if random.below(25) == 0 {
            return handOver(after: .milliseconds(Int64(random.pick([0, 3, 900, 5000]))))
        }
        if random.below(25) == 0 {
            return standStill(for: .milliseconds(Int64(random.pick([3, 5000, 61_000]))))
        }
        if random.below(25) == 0 {
            return giveUpAndAcquire(after: .milliseconds(Int64(random.pick([3, 5000, 61_000]))))
        }
        if random.below(25) == 0 {
            return restart(after: .milliseconds(Int64(random.pick([0, 3, 9000, 100_000]))))
        }
        guard let session = try? sessions.session(name) else {
            _ = try sessions.open(name, random.pick(flows), RequestContext(from: Players.player))
            return
        }
        switch random.below(10) {
        case 0: try sessions.close(session, RequestContext(from: Players.player))
        case 1, 2, 3:
            let ms = random.pick([1, 500, 1000, 8000, 20_000, 61_000])
            advance(
                by: .milliseconds(Int64(ms)),
                late: .milliseconds(Int64(random.pick([0, 1, 7, 1500]))))
        case 4:
            guard let timer = session.machine.liveTimers.first else { return }
            let action = random.pick(TimerOperation.Action.allCases)
            let duration = action.needsDuration ? Duration.seconds(5) : nil
            _ = try? sessions.operate(
                TimerOperation(timer.fires, action, by: duration), on: session,
                RequestContext(from: Players.player))
        case 5:
            let state = random.pick(session.flow.stateNames)
            let data = session.flow.dataSamples(of: state)
            _ = try? sessions.goto(
                state, data.isEmpty ? [] : random.pick(data), session,
                RequestContext(from: Players.player, reason: "so"))
        default:
            let chosen = random.pick(session.flow.events)
            _ = try? sessions.send(
                chosen.name, random.pick(chosen.samples), to: session,
                RequestContext(
                    from: Players.player, id: random.below(3) == 0 ? "id\(random.below(20))" : nil))
        }
    }
}
