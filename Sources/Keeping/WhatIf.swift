public import GameFlow
public import Journal
internal import Sessions
internal import Timers

/// Tries a flow against a journal: what would have gone differently?
///
/// What came from outside is taken from the rows, with its time; what came of it, timers among it, is left to
/// the flow. A timer that stands as it stood then fires as late as it did: that was the clock's doing.
public final class WhatIf {
    public let flow: AnyFlow
    private let known: [AnyFlow]
    /// Whether nobody played the flow, and all sessions are tried with it.
    public let isForeign: Bool
    /// How each session goes that was opened, in the order of the openings.
    public private(set) var courses: [Course] = []
    /// How many rows were damaged, or cannot be read, and were passed over.
    public private(set) var unread = 0
    /// The session of a name that is there now, and how many there were.
    private var current: [SessionName: Course] = [:]
    private var openings: [SessionName: Int] = [:]
    private let pruned: Int
    /// Sessions of which nothing is left so far but what they refused.
    private var headless: Set<String> = []
    var time = ReplayClock()
    var sessions: Sessions
    /// What comes about is written down, too: a restart takes it up.
    private var reading: JournalReading
    private var rows = 0
    /// Whether the clock stopped in the middle of what was due.
    var isCutShort = false
    /// The newest record of any session.
    private var last: SessionRecord?

    /// Tries a flow, against a journal of which rows were removed up to a position. `known` are the flows that
    /// may have been played.
    public init(_ flow: AnyFlow, known: [AnyFlow], isForeign: Bool, pruned: Int = 0) {
        (self.flow, self.known) = (flow, known)
        (self.isForeign, self.pruned) = (isForeign, pruned)
        sessions = Sessions([flow], on: time)
        reading = JournalReading(pruned: 0, answers: sessions.limits.ids)
        listen()
    }

    /// Whether a row is of a session that plays a flow of that name.
    public static func plays(_ flow: String, _ row: JournalRow) -> Bool {
        (try? row.record())?.status?.flow == flow
    }

    private func listen() {
        sessions.recorder = { [unowned self] record, previous in
            rows += 1
            let row = JournalRow(record, at: rows, after: previous)
            reading.take(row)
            if let name = record.session { current[name]?.derived(record) }
            return row.mark
        }
    }

    // MARK: rows

    /// The next row.
    public func take(_ row: JournalRow) {
        guard row.isWhole, let record = try? row.record() else {
            unread += 1
            return
        }
        last = record
        if let name = record.session, current[name] == nil, !begins(row) { return }
        guard let deed = try? Deed(record) else {
            unread += 1
            return
        }
        defer { sessions.settle(upTo: .max) }
        switch deed {
        case .start(let now, let lastSign): restart(at: now, lastSign: lastSign)
        case .advance(let now, let isCutShort): advance(to: now, isCutShort: isCutShort)
        default: if let name = record.session { take(deed, record, name, row) }
        }
    }

    /// After the last row: what would have been due by then.
    public func finish() {
        guard let last else { return }
        switch try? Deed(last) {
        case .firing, .consequence, nil: run(until: last.at + .slack)
        default: run(until: last.at)
        }
        for course in courses { course.expectNothing() }
    }

    /// Whether a session that is not there may begin with a row.
    private func begins(_ row: JournalRow) -> Bool {
        if isForeign, row.kind == .change, row.previous == .start { return true }
        let isCut = row.previous != .start && row.previous.position <= pruned
        if isCut, row.kind == .refusal { headless.insert(row.session) }
        guard Self.plays(flow.name, row) else { return false }
        return row.previous == .start || isCut || headless.remove(row.session) != nil
    }

    private func take(_ deed: Deed, _ record: SessionRecord, _ name: SessionName, _ row: JournalRow)
    {
        if case .open = deed { return open(deed, record, name) }
        guard let course = current[name] else {
            // Its first rows were removed: the first that is left is where it begins.
            if row.previous != .start { takeUp(record, name) }
            return
        }
        follow(deed, record, course)
        switch deed {
        case .close, .givenUp: current[name] = nil
        default: break
        }
    }

    private func begin(_ name: SessionName, _ record: SessionRecord) -> Course {
        openings[name, default: 0] += 1
        let course = Course(name, opening: openings[name] ?? 1, record)
        courses.append(course)
        current[name] = course
        return course
    }

    private func open(_ deed: Deed, _ record: SessionRecord, _ name: SessionName) {
        run(until: record.at)
        current[name]?.expectNothing()
        follow(isForeign ? translated(deed) : deed, record, begin(name, record))
    }

    /// Another flow's session begins where this one does, unless it was told otherwise.
    private func translated(_ deed: Deed) -> Deed {
        guard case .open(let old, let state, let data, let source) = deed else { return deed }
        let isInitial = known.first { $0.name == old }?.initial == state
        return .open(
            flow: flow.name, state: isInitial ? flow.initial : state,
            data: isInitial ? [] : data, source: source)
    }

    private func takeUp(_ record: SessionRecord, _ name: SessionName) {
        run(until: record.at + .slack)
        begin(name, record).begin(with: record)
        rows += 1
        reading.take(JournalRow(record, at: rows, after: .start))
        goOn(at: record.at, lastSign: record.at, isMeanwhile: true)
    }

    // MARK: restarts

    private func restart(at now: Instant, lastSign: Instant) {
        if !isCutShort { run(until: lastSign + .slack) }
        goOn(at: now, lastSign: lastSign)
    }

    private func goOn(at now: Instant, lastSign: Instant, isMeanwhile: Bool = false) {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
        time = ReplayClock(startingAt: now)
        sessions = Sessions([flow], on: time)
        let lost = sessions.restore(
            reading.written(), lastSign: lastSign, isMeanwhile: isMeanwhile)
        for one in lost { current[one.session]?.quarantined(one.why, at: now) }
        listen()
        if !isMeanwhile { sessions.recordStart([], lastSign: lastSign) }
    }
}

extension Duration {
    /// How late a clock may be: what is due less than that before the end may not have fired then, either.
    fileprivate static let slack = Duration.seconds(-1)
}
