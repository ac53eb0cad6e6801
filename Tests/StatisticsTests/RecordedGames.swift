import GameFlow
import Sessions
import Statistics
import Timers

/// Games of the flow `Hunt` in virtual time, with the records that a journal would contain.
final class RecordedGames {
    let time = VirtualClock()
    let sessions: Sessions
    private(set) var records: [SessionRecord] = []

    init() {
        sessions = Sessions([AnyFlow(Hunt())], on: time)
        sessions.recorder = { [unowned self] record, _ in
            records.append(record)
            return JournalPosition(position: records.count, checksum: 0)
        }
    }

    private let operatorAtDesk = RequestContext(
        from: Source(Source.Kind("unix"), peer: .process(pid: 1, uid: 2, gid: 3)))

    func session(_ name: String) throws -> Session { try sessions.session(SessionName(name)!) }

    func open(_ name: String, labels: [Member] = []) throws {
        _ = try sessions.open(
            SessionName(name)!, sessions.flows[0], labels: labels, operatorAtDesk)
        sessions.rowsBecameDurable(upTo: .max)
    }

    func send(_ event: String, _ name: String) throws {
        try sessions.send(event, to: session(name), operatorAtDesk)
        sessions.rowsBecameDurable(upTo: .max)
    }

    func goto(_ state: String, _ name: String) throws {
        try sessions.goto(state, [], session(name), operatorAtDesk)
    }

    func undo(_ name: String, toAfterSeq seq: Int? = nil) throws {
        try sessions.undo(after: seq, session(name), operatorAtDesk)
    }

    func say(_ text: String, _ name: String) throws {
        try sessions.say(text, session(name), operatorAtDesk)
    }

    func label(_ labels: [Member], _ name: String) throws {
        try sessions.label(labels, session(name), operatorAtDesk)
    }

    func pauseTimer(_ name: String) throws {
        try sessions.operate(
            TimerOperation("timeIsUp", .pause), on: session(name), operatorAtDesk)
    }

    func close(_ name: String) throws {
        try sessions.close(session(name), operatorAtDesk)
        sessions.rowsBecameDurable(upTo: .max)
    }

    func wait(_ seconds: Int) throws { _ = try sessions.advance(.by(.seconds(seconds))) }

    /// Records that the daemon was down for `seconds`.
    func restart(after seconds: Int) throws {
        let lastAlive = sessions.now
        try wait(seconds)
        sessions.recordStart([], lastAlive: lastAlive)
    }

    /// Plays a game from opening to closing, with a stay of the given time in the state `search`.
    func play(_ name: String, secondsInSearch seconds: Int, labels: [Member] = []) throws {
        try open(name, labels: labels)
        try send("begin", name)
        try wait(seconds)
        try send("find", name)
        try close(name)
    }

    static func finals(of version: FlowVersion) -> Set<String> {
        version.flow == "hunt" ? ["won", "lost"] : []
    }

    func statistics(
        _ selection: GameStatistics.Selection = .init(),
        limits: GameStatistics.StatisticsLimits = .init()
    ) throws -> GameStatistics {
        var statistics = GameStatistics(selection, limits: limits)
        for record in records { try statistics.add(record) }
        return statistics
    }

    /// The row of the flow `hunt`.
    func row(_ selection: GameStatistics.Selection = .init()) throws
        -> StatisticsReport.FlowRow?
    {
        try statistics(selection).report(finals: Self.finals(of:)).flows.first { $0.flow == "hunt" }
    }

    func times(_ state: String, _ selection: GameStatistics.Selection = .init()) throws
        -> StatisticsReport.StateRow?
    {
        try row(selection)?.states.first { $0.state == state }
    }
}
