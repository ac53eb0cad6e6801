package import EventLoop
package import GameFlow
package import RPC
package import Sessions
import Statistics
import Timers

/// Computes leaderboards from the journal, or from the journals of all shards, for the method `leaderboard`. Keeps the
/// leaderboards that were requested most recently. When a kept leaderboard is requested again, only new rows are read, so a
/// screen can ask every few seconds. All calls are on the loop's thread.
package final class JournalLeaderboards {
    /// Finds the rows from which leaderboards are computed.
    private let journals: any RecordedGames
    private let sessions: Sessions
    private let loop: LibeventLoop
    /// The number of erased sessions at the most recent request. If it changes, all leaderboards are outdated.
    private var erasures = 0
    /// The leaderboards that are kept, in the order of their most recent requests: the last was requested last.
    private var readings: [LeaderboardReading] = []

    /// The approximate maximum number of bytes of all leaderboards.
    package static let byteLimit = 128 << 20
    /// How many leaderboards are kept. If all of them are being read, a request for a leaderboard that is not kept is refused.
    package static let limit = 8
    /// After this time a leaderboard is read from the beginning again: old rows may have been removed from the journal.
    static let maximumAge = Duration.seconds(3600)

    /// `sessions` provides the catalog of flows.
    package init(_ journals: any RecordedGames, _ sessions: Sessions, on loop: LibeventLoop) {
        (self.journals, self.sessions, self.loop) = (journals, sessions, loop)
    }

    /// Computes a leaderboard from the rows that are durable at the time of the request. Calls `done` once, immediately or
    /// later.
    package func leaderboard(
        of selection: LeaderboardSelection, visible: ObservableSessions,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        journals.find { [unowned self] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let rows):
                outdateIfSessionWasErased(rows)
                guard let reading = reading(of: selection) else {
                    return done(.failure(.limit(which: "leaderboards", limit: Self.limit)))
                }
                reading.read(rows.parts, LeaderboardReading.Question(selection, visible), done)
            }
        }
    }

    /// Marks all leaderboards as outdated if a session was erased, because they may show it.
    private func outdateIfSessionWasErased(_ rows: RecordedRows) {
        guard exchange(&erasures, with: rows.erasures) != rows.erasures else { return }
        for reading in readings { reading.isOutdated = true }
    }

    /// Returns the reading for a selection, and makes one if necessary. If there are already `limit` readings, the new reading
    /// replaces the idle one whose most recent request is oldest. Returns nil if none is idle.
    private func reading(of selection: LeaderboardSelection) -> LeaderboardReading? {
        let gameSelection = Leaderboard.Selection(
            flow: selection.flow, end: selection.endState, timed: selection.timedStates)
        let now = loop.timerQueue.now
        readings.removeAll { !$0.isBusy && ($0.isOutdated || now - $0.startTime > Self.maximumAge) }
        if let index = readings.firstIndex(where: {
            $0.selection == gameSelection && !$0.isOutdated
        }) {
            readings.append(readings.remove(at: index))
        } else {
            if readings.count >= Self.limit {
                guard let idleIndex = readings.firstIndex(where: { !$0.isBusy }) else { return nil }
                readings.remove(at: idleIndex)
            }
            let catalog = sessions.catalog
            let reading = LeaderboardReading(gameSelection, startTime: now, on: loop) {
                catalog.flow(of: $0)
            }
            reading.hasRoom = { [weak self, weak reading] in
                guard let self, let reading else { return true }
                return makeRoom(for: reading)
            }
            readings.append(reading)
        }
        return readings.last
    }

    /// Forgets leaderboards that are not being read until the others are within the limit of bytes. Returns false if they are
    /// not, because `reading` or others that are being read are too large.
    private func makeRoom(for reading: LeaderboardReading) -> Bool {
        var bytes = readings.reduce(0) { $0 + $1.bytes }
        while bytes > Self.byteLimit,
            let index = readings.firstIndex(where: { !$0.isBusy && $0 !== reading })
        {
            bytes -= readings.remove(at: index).bytes
        }
        return bytes <= Self.byteLimit
    }
}

/// One leaderboard, and the position in each journal up to which it was computed.
private final class LeaderboardReading {
    /// What a request asks. Equal questions have the same answer.
    package struct Question: Hashable {
        let selection: LeaderboardSelection
        package let visible: ObservableSessions

        package init(_ selection: LeaderboardSelection, _ visible: ObservableSessions) {
            (self.selection, self.visible) = (selection, visible)
        }
    }

    package typealias Done = (Result<[Member], RequestError>) -> Void

    let selection: Leaderboard.Selection
    /// When the reading began, on the loop's clock.
    let startTime: Instant
    /// Returns whether all leaderboards together are within the limit of bytes.
    var hasRoom: () -> Bool = { true }
    private let loop: LibeventLoop
    private let leaderboard: Leaderboard
    /// For each journal, by its number: the position of the newest row that was read.
    private var positions: [Int: Int] = [:]
    /// The requests that are not answered yet. Each request has the parts of the journals that must be read for it.
    private var waitingRequests: [(parts: [JournalPart], question: Question, done: Done)] = []
    /// The question that is being answered, with the work for it and the requests that ask it.
    private var presentQuestion: (question: Question, work: LeaderboardQuestion, done: [Done])?
    /// Continues the work on the present question.
    private lazy var task = DeferredTask(on: loop) { [unowned self] in proceed() }
    /// The answers to the newest questions, oldest first. They are valid for one version of the leaderboard.
    private var answers: [(question: Question, members: [Member])] = []
    private var answersVersion = 0
    /// Whether rows are being read, or a question is being answered.
    private(set) var isBusy = false
    /// Whether a further request needs a new reading. This reading has failed, or it may contain rows that were erased.
    var isOutdated = false
    /// The approximate number of bytes of the leaderboard.
    var bytes: Int { leaderboard.bytes }

    /// The maximum number of answers that are kept.
    private static let answerLimit = 16
    /// The maximum time for which a question is answered in one turn of the loop.
    private static let sliceTime = Duration.milliseconds(3)

    /// `flows` returns the flow of a version, which tells the final states.
    init(
        _ selection: Leaderboard.Selection, startTime: Instant, on loop: LibeventLoop,
        flows: @escaping Leaderboard.Flows
    ) {
        (self.selection, self.startTime, self.loop) = (selection, startTime, loop)
        leaderboard = Leaderboard(selection, flows: flows)
    }

    /// Answers a question when all rows of these journals are read.
    func read(_ parts: [JournalPart], _ question: Question, _ done: @escaping Done) {
        waitingRequests.append((parts, question, done))
        if !isBusy { proceed() }
    }

    /// Reads the rows that waiting requests need, and answers their questions, until the time of a turn is over. The rest is
    /// done in later turns of the loop.
    private func proceed() {
        isBusy = true
        let start = ContinuousClock.now
        let hasTime = { ContinuousClock.now - start < Self.sliceTime }
        repeat {
            if presentQuestion == nil {
                let parts = waitingRequests.lazy.flatMap(\.parts)
                if let part = parts.first(where: { self.positions[$0.number, default: 0] < $0.last }
                ) {
                    return read(part)
                }
                guard beginNextQuestion() else {
                    isBusy = false
                    return
                }
            }
            if let question = presentQuestion {
                guard question.work.work(while: hasTime) else { return task.call() }
                answerPresentQuestion()
            }
        } while hasTime()
        task.call()
    }

    private func read(_ part: JournalPart) {
        part.readRecords(after: positions[part.number, default: 0]) {
            [self] (record) throws(GameStatistics.LimitError) in
            try leaderboard.add(record, of: part.number)
            guard hasRoom() else {
                throw .init(which: "leaderboardBytes", limit: JournalLeaderboards.byteLimit)
            }
        } _: { [self] _, error in
            if let error { return fail(error) }
            positions[part.number] = part.last
            proceed()
        }
    }

    /// Refuses all waiting requests: the reading has failed.
    private func fail(_ error: RequestError) {
        (isBusy, isOutdated) = (false, true)
        let failedRequests = (presentQuestion?.done ?? []) + waitingRequests.map(\.done)
        (presentQuestion, waitingRequests) = (nil, [])
        for done in failedRequests { done(.failure(error)) }
    }

    // MARK: answers

    /// Begins to answer the question of the oldest waiting request, for all requests that ask the same. If the answer is known,
    /// passes it on. Returns false if no request waits.
    private func beginNextQuestion() -> Bool {
        guard let question = waitingRequests.first?.question else { return false }
        if answersVersion != leaderboard.version {
            (answers, answersVersion) = ([], leaderboard.version)
        }
        let done = waitingRequests.filter { $0.question == question }.map(\.done)
        waitingRequests.removeAll { $0.question == question }
        if let answer = answers.first(where: { $0.question == question }) {
            for done in done { done(.success(answer.members)) }
            return true
        }
        let selection = question.selection
        let work = leaderboard.question(
            by: selection.datum.map { .datum($0) } ?? .time,
            .init(
                since: selection.since, without: selection.without,
                mayShow: question.visible.contains), limit: selection.limit)
        presentQuestion = (question, work, done)
        return true
    }

    private func answerPresentQuestion() {
        guard let (question, work, done) = presentQuestion else { return }
        presentQuestion = nil
        let members = Self.members(of: work.rows, question.selection)
        if answers.count >= Self.answerLimit { answers.removeFirst() }
        answers.append((question, members))
        for done in done { done(.success(members)) }
    }

    /// The members of the result of the method `leaderboard`.
    private static func members(of rows: [Leaderboard.Row], _ selection: LeaderboardSelection)
        -> [Member]
    {
        [Member("flow", selection.flow), Member("by", selection.datum ?? "time")]
            + (selection.datumTitle.map { [Member("title", $0)] } ?? [])
            + [Member("rows", .array(rows.map { .object(members(of: $0)) }))]
    }

    private static func members(of row: Leaderboard.Row) -> [Member] {
        let members: [Member?] = [
            Member("rank", row.rank), row.name.map { Member("name", $0) },
            row.title.map { Member("title", $0) }, Member("value", row.value),
            Member("state", row.state), Member("session", row.session.text),
            Member("atMs", Int(row.at.milliseconds)), Member("time", Timestamp.text(row.at)),
        ]
        return members.compactMap(\.self)
    }
}
