import GameFlow
import Sessions
import Statistics
import Timers

/// Games of the flow `Hunt` in virtual time, with the records that a journal would contain.
final class RecordedGames {
    let time = VirtualClock()
    let sessions: Sessions
    private(set) var records: [SessionRecord] = []
    /// Whether each record is durable at once.
    var isDurable = true
    /// The number of records that are durable.
    private(set) var durableCount = 0

    init() {
        sessions = Sessions([AnyFlow(Hunt())], on: time)
        sessions.recorder = { [unowned self] record, _ in
            records.append(record)
            return JournalPosition(position: records.count, checksum: 0)
        }
    }

    deinit { for session in sessions.all { session.machine.end() } }

    /// Makes the records durable, unless `isDurable` is false.
    private func commit() {
        guard isDurable else { return }
        durableCount = records.count
        sessions.rowsBecameDurable(upTo: records.count)
    }

    /// Lets the store fail, which loses the records that are not durable, and work again.
    func loseUndurableRecords() {
        _ = sessions.storageFailed("the disk is full")
        records.removeLast(records.count - durableCount)
        let newest = sessions.suspendedSessions.compactMap { name in
            records.lastIndex { $0.session == name && $0.status?.machine != nil }
        }
        isDurable = true
        sessions.storageIsBack(
            newest.map {
                let position = JournalPosition(position: $0 + 1, checksum: 0)
                return (records[$0], Checkpoint(records[$0], newestRow: position))
            })
        commit()
    }

    private let operatorAtDesk = RequestContext(
        from: Source(Source.Kind("unix"), peer: .process(pid: 1, uid: 2, gid: 3)))

    func session(_ name: String) throws -> Session { try sessions.session(SessionName(name)!) }

    func open(_ name: String, labels: [Member] = []) throws {
        _ = try sessions.open(
            SessionName(name)!, sessions.flows[0], labels: labels, operatorAtDesk)
        commit()
    }

    func send(_ event: String, _ name: String) throws {
        try sessions.send(event, to: session(name), operatorAtDesk)
        commit()
    }

    func goto(_ state: String, _ name: String) throws {
        try sessions.goto(state, [], session(name), operatorAtDesk)
        commit()
    }

    func undo(_ name: String, toAfterSeq seq: Int? = nil) throws {
        try sessions.undo(after: seq, session(name), operatorAtDesk)
        commit()
    }

    func say(_ text: String, _ name: String) throws {
        try sessions.say(text, session(name), operatorAtDesk)
        commit()
    }

    func label(_ labels: [Member], _ name: String) throws {
        try sessions.label(labels, session(name), operatorAtDesk)
        commit()
    }

    func pauseTimer(_ name: String) throws {
        try sessions.operate(
            TimerOperation("timeIsUp", .pause), on: session(name), operatorAtDesk)
        commit()
    }

    func close(_ name: String) throws {
        try sessions.close(session(name), operatorAtDesk)
        commit()
    }

    func wait(_ seconds: Int) throws { try wait(.seconds(seconds)) }

    func wait(_ duration: Duration) throws {
        _ = try sessions.advance(.by(duration))
        commit()
    }

    /// Records that the daemon was down for `seconds`.
    func restart(after seconds: Int) throws {
        let lastAlive = sessions.now
        try wait(seconds)
        sessions.recordStart([], lastAlive: lastAlive)
        commit()
    }

    /// Plays a game from opening to closing, with a stay of the given time in the state `search`.
    func play(_ name: String, secondsInSearch seconds: Int, labels: [Member] = []) throws {
        try open(name, labels: labels)
        try send("begin", name)
        try wait(seconds)
        try send("find", name)
        try close(name)
    }

    static func flow(of version: FlowVersion) -> AnyFlow? {
        version.flow == "hunt" ? AnyFlow(Hunt()) : nil
    }

    static func finals(of version: FlowVersion) -> Set<String> {
        Set(flow(of: version)?.finals ?? [])
    }

    /// `ask` counts as a hint.
    static func hintEvents(of version: FlowVersion) -> Set<String> {
        version.flow == "hunt" ? ["ask"] : []
    }

    func statistics(
        _ selection: GameStatistics.Selection = .init(),
        limits: GameStatistics.StatisticsLimits = .init()
    ) throws -> GameStatistics {
        var statistics = GameStatistics(
            selection, limits: limits, hintEvents: Self.hintEvents(of:))
        for record in records { try statistics.add(record) }
        return statistics
    }

    /// The row of the flow `hunt`.
    func row(_ selection: GameStatistics.Selection = .init()) throws
        -> StatisticsReport.FlowRow?
    {
        try statistics(selection).report(Self.flow(of:)).flows.first { $0.flow == "hunt" }
    }

    func times(_ state: String, _ selection: GameStatistics.Selection = .init()) throws
        -> StatisticsReport.StateRow?
    {
        try row(selection)?.states.first { $0.state == state }
    }
}
