import Durability
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// A flow with one countdown for each policy after a restart, and two pendulums. After a restart of the daemon, `steady` fires
/// at the instants at which it would have fired without the restart; `restarted` begins a new period.
private struct Safe: ReducerFlow {
    var name: String { "safe" }
    var initial: StateName { .shut }
    enum StateName: String, CaseIterable, Sendable { case shut, open }
    typealias State = StateName
    enum Event: FlowEvent {
        typealias Effect = Safe.Effect
        case turn
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable {
        case byDeadline, byRemaining, byRestart, dropped, steady, restarted
    }
    enum Effect: String, FlowEffect { case none }

    var events: [EventSchema<Event>] { [EventSchema(.turn)] }

    func reduce(_ state: State, _ event: Event) -> State? {
        switch (state, event) {
        case (.shut, .turn): .open
        case (.open, .turn), (.open, .due(.byRestart)): .shut
        case (.open, .due): .open
        default: nil
        }
    }

    func keeps(_ state: State, _ event: Event) -> Bool {
        if case .due(let signal) = event { signal != .byRestart } else { false }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard state == .open else { return [] }
        return [
            .countdown(.seconds(100), sends: .byDeadline),
            .countdown(.seconds(100), sends: .byRemaining, afterRestart: .remaining),
            .countdown(.seconds(100), sends: .byRestart, afterRestart: .restart),
            .countdown(.seconds(100), sends: .dropped, afterRestart: .drop),
            .pendulum(.seconds(3), sends: .steady),
            .pendulum(.seconds(3), sends: .restarted, afterRestart: .restart),
        ]
    }
}

/// The owner of sessions hands them over to another process. Unlike a restart after a crash, a hand-over lets every timer
/// continue.
@Suite struct HandOverTests {
    private let fixture = RestartFixture([AnyFlow(Safe())])

    init() throws {
        try fixture.open("a")
        try fixture.send("turn", to: "a")
    }

    /// The timers of the session, each with its remaining milliseconds.
    private func remainingTimes() throws -> [String] {
        try fixture.sessions.session(SessionName("a")!).machine.liveTimers.map {
            "\($0.fires) \($0.info.remaining.milliseconds)"
        }
    }

    /// Expects that a replay produces the recorded rows again.
    private func expectReplays() {
        let replay = JournalReplay(fixture.sessions.flows)
        for row in fixture.rows {
            guard let difference = replay.execute(row) else { continue }
            Issue.record("row \(difference.position): \(difference.why)")
            return
        }
        #expect(replay.finish() == nil)
    }

    @Test func `at a hand-over every timer continues, whatever its policy after a restart`()
        throws
    {
        fixture.advance(by: .seconds(4))
        fixture.handOver(after: .milliseconds(500))
        let expected = ["byDeadline", "byRemaining", "byRestart", "dropped"].map { "\($0) 95500" }
        #expect(try remainingTimes() == expected + ["steady 1500", "restarted 1500"])
        fixture.advance(by: .milliseconds(95_499))
        #expect(try remainingTimes().contains("byRestart 1"))
        fixture.advance(by: .milliseconds(1))
        #expect(try remainingTimes() == [], "byRestart shuts the safe, 100 s after it was opened")
        expectReplays()
    }

    @Test func `a beat that was due between the two owners is late, not lost and not repeated`()
        throws
    {
        let beats = BeatRecorder()
        // The beats are due at 6 s, and the new owner continues at 6.1 s.
        fixture.advance(by: .milliseconds(5900))
        fixture.handOver(after: .milliseconds(200), watchedBy: beats)
        #expect(beats.signals == ["steady", "restarted"])
        #expect(try remainingTimes().suffix(2) == ["steady 2900", "restarted 2900"])
        // A beat that is due at the instant of the hand-over is fired by the old owner.
        fixture.advance(by: .milliseconds(2900))
        let beatsOfSecondHandOver = BeatRecorder()
        fixture.handOver(after: .zero, watchedBy: beatsOfSecondHandOver)
        #expect(beatsOfSecondHandOver.signals == [])
        #expect(try remainingTimes().suffix(2) == ["steady 3000", "restarted 3000"])
        expectReplays()
    }

    @Test
    func
        `timers continue at a hand-over that follows a restart, and another restart applies their policies again`()
        throws
    {
        fixture.advance(by: .seconds(10))
        fixture.restart(after: .seconds(20))
        fixture.advance(by: .seconds(4))
        let restarted = [
            "byDeadline 66000", "byRemaining 86000", "byRestart 96000", "steady 2000",
            "restarted 2000",
        ]
        // The safe was opened 34 s ago, and the daemon was started again 4 s ago.
        #expect(try remainingTimes() == restarted)
        fixture.handOver(after: .zero)
        #expect(try remainingTimes() == restarted)
        fixture.restart(after: .seconds(1))
        #expect(
            try remainingTimes() == [
                "byDeadline 65000", "byRemaining 86000", "byRestart 100000", "steady 1000",
                "restarted 3000",
            ])
        expectReplays()
    }

    @Test
    func
        `after a standstill every timer follows its policy as after a restart, and steps can still be undone`()
        throws
    {
        fixture.advance(by: .seconds(4))
        fixture.standStill(for: .seconds(20))
        let continued = [
            "byDeadline 76000", "byRemaining 96000", "byRestart 100000", "steady 3000",
            "restarted 3000",
        ]
        // `steady` was due at 6 s. It has fired late at 24 s, and its next beat is due at 27 s.
        #expect(try remainingTimes() == continued)
        fixture.advance(by: .seconds(1))
        fixture.restart(after: .seconds(10))
        #expect(
            try remainingTimes() == [
                "byDeadline 65000", "byRemaining 95000", "byRestart 100000", "steady 1000",
                "restarted 3000",
            ])
        expectReplays()
    }

    /// Undoes the newest step of the session `a`, and plays on.
    private func undoAndPlayOn() throws {
        let session = try fixture.sessions.session(SessionName("a")!)
        _ = try fixture.sessions.undo(session, RequestContext(from: Players.player))
        #expect(session.machine.place.state == "shut")
        try fixture.send("turn", to: "a")
        fixture.advance(by: .seconds(7))
        expectReplays()
    }

    @Test func `a step before a standstill can be undone after it, and the replay undoes it too`()
        throws
    {
        fixture.standStill(for: .seconds(20))
        try undoAndPlayOn()
        fixture.restart(after: .zero)
        expectReplays()
    }

    @Test
    func
        `a step before a standstill can be undone when the node has given its sessions up and acquired them again`()
        throws
    {
        fixture.giveUpAndAcquire(after: .seconds(20))
        try undoAndPlayOn()
        fixture.restart(after: .zero)
        // A restart ends what can be undone, also for the sessions of before a later standstill.
        fixture.giveUpAndAcquire(after: .seconds(20))
        let restarted = try fixture.sessions.session(SessionName("a")!)
        #expect(throws: RequestError.self) {
            try fixture.sessions.undo(restarted, RequestContext(from: Players.player))
        }
        expectReplays()
    }

    @Test func `steps cannot be undone if another node has owned the sessions meanwhile`() throws {
        let earlier = fixture.sessions
        fixture.restart(after: .seconds(1))
        #expect(!fixture.sessions.continueHistory(of: earlier))
    }

    @Test func `a timer without a remainder fires once after a standstill`() throws {
        fixture.advance(by: .seconds(99))
        fixture.standStill(for: .seconds(20))
        // `byDeadline` fires at once and `dropped` does not fire. The pause does not count for `byRemaining`.
        #expect(
            try remainingTimes().prefix(2) == ["byRemaining 1000", "byRestart 100000"])
        fixture.advance(by: .seconds(100))
        #expect(try remainingTimes() == [])
        expectReplays()
    }

    /// Records the signals of beats.
    final class BeatRecorder: Watcher {
        private(set) var signals: [String] = []

        func notify(_ notification: Notification) {
            guard case .beat(let beat, _) = notification.content else { return }
            signals.append(beat.step.event?.name ?? "")
        }

        func ended(_ session: SessionName) {}
    }
}
