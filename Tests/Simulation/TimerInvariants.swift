import GameFlow
import Journal
import Sessions
import Timers

/// Invariants of timers, computed from the rows and the declarations of the flows:
/// - No timer fires early, twice, or after its state was left.
/// - No countdown is overdue while the daemon runs.
struct TimerInvariants {
    /// What a timer does after a restart, by its flow and signal. A timer without a value here keeps its deadline.
    /// - `remaining`: The timer continues with its remaining time.
    /// - `restart`: The timer starts again with its full time.
    /// - `drop`: The timer is not set again.
    private static let declaredPolicies = [
        "game timeUp": "remaining", "game tick": "remaining", "quiz timeUp": "remaining",
        "quiz tick": "remaining", "quiz answerTimedOut": "remaining", "lamp nag": "restart",
        "lamp goOut": "remaining", "lamp fade": "drop", "vault timeUp": "remaining",
        "vault tick": "remaining", "vault last": "remaining", "talk end": "remaining",
        "talk work": "remaining", "stage end": "remaining",
    ]
    /// The signals of the flows' marks on countdowns.
    private static let marks: Set<String> = ["lastSeconds", "tooLate"]
    /// The signals of the flows' pendulums.
    private static let pendulums: Set<String> = ["tick", "pulse", "probe", "sync", "beat"]

    /// What a timer does after a restart. The flow file `game-file` has the policies of the Swift flow `game`.
    private static func policy(_ timer: KnownTimer) -> String {
        let flow = timer.flow.hasSuffix("-file") ? String(timer.flow.dropLast(5)) : timer.flow
        return declaredPolicies["\(flow) \(timer.fires)"] ?? "deadline"
    }

    /// A timer of a session. Times are in nanoseconds; `until` is its deadline, and nil while it is paused.
    private struct KnownTimer {
        let flow: String
        let fires: String
        let total: Int64
        var until: Int64?
    }

    /// The timers of each session after its newest row.
    private var timers: [String: [KnownTimer]] = [:]
    /// Whether the newest `advance` stopped at the limit of firings, so that timers may be overdue.
    private var isCutShort = false

    /// Checks all rows, and that no countdown is overdue at `end`. `end` is the present time in nanoseconds; nil if the daemon
    /// is down.
    static func check(_ rows: [JournalRow], end: Int64?) throws(InvariantViolation) {
        var invariants = TimerInvariants()
        for row in rows { try invariants.add(row) }
        if let end { try invariants.checkNoneOverdue(at: end, "at the end", 0) }
    }

    private mutating func add(_ row: JournalRow) throws(InvariantViolation) {
        let body = row.members
        switch row.kind {
        case .refusal, .forgotten: return
        case .daemon: try checkDaemonRow(body, row)
        case .change, .rest:
            if body["follows"] == nil { try checkLeadingRow(body, row) }
            timers[row.session] = Self.timers(in: body)
        }
    }

    private mutating func checkDaemonRow(_ body: [Member], _ row: JournalRow)
        throws(InvariantViolation)
    {
        // A row with the text of a flow, or with deliveries of outputs, contains no time.
        if body.text("kind") == "flow" || body.text("kind") == "delivery" { return }
        let now = body.nanoseconds("nowNs") ?? 0
        guard body.text("kind") == "start" else {
            isCutShort = body["more"] != nil
            if !isCutShort { try checkNoneOverdue(at: now, "after an advance", row.position) }
            return
        }
        let down = now - (body.nanoseconds("lastSignNs") ?? now)
        try expect(down >= 0, "the time went back by \(-down) ns at row \(row.position)")
        // The previous owner of the sessions has handed them over, or the store is back: all timers continue.
        if body["handOver"] == .bool(true) || body["outage"] == .bool(true) { return }
        for name in timers.keys.sorted() {
            timers[name] = timers[name]!.compactMap { Self.restarted($0, now, down) }
        }
    }

    private static func restarted(_ timer: KnownTimer, _ now: Int64, _ down: Int64) -> KnownTimer? {
        var timer = timer
        let policy = policy(timer)
        if policy == "drop" { return nil }
        guard let until = timer.until else { return timer }
        switch policy {
        case "remaining": timer.until = until + down
        case "restart": timer.until = now + timer.total
        default: break
        }
        return timer
    }

    /// Checks a row that is not a consequence of another row. The row records a timer that fired, or a request.
    private mutating func checkLeadingRow(_ body: [Member], _ row: JournalRow)
        throws(InvariantViolation)
    {
        let isByTimer = row.kind == .change && body.object("source")?.text("kind") == "timer"
        let fired = body.text("fired") ?? (isByTimer ? body.object("event")?.text("name") : nil)
        guard let fired else {
            if !isCutShort { try checkNoneOverdue(at: row.atNs, "before a request", row.position) }
            return
        }
        isCutShort = false
        // A mark on a countdown is not recorded.
        if Self.marks.contains(fired) { return }
        guard let timer = timers[row.session]?.first(where: { $0.fires == fired }) else {
            throw InvariantViolation(
                "\(row.session): row \(row.position): \(fired) fired, but the session has no such timer"
            )
        }
        guard let until = timer.until else {
            throw InvariantViolation(
                "\(row.session): row \(row.position): \(fired) fired, but is paused")
        }
        try expect(
            row.atNs >= until,
            "\(row.session): row \(row.position): \(fired) fired \(until - row.atNs) ns early")
    }

    /// No countdown of any session is overdue. Pendulums are not checked, because beats are not recorded.
    private func checkNoneOverdue(at now: Int64, _ when: String, _ position: Int)
        throws(InvariantViolation)
    {
        for name in timers.keys.sorted() {
            for timer in timers[name]! where !Self.pendulums.contains(timer.fires) {
                guard let until = timer.until, until <= now else { continue }
                throw InvariantViolation(
                    "\(name): \(timer.fires) was due \(now - until) ns \(when), row \(position)")
            }
        }
    }

    private static func timers(in body: [Member]) -> [KnownTimer] {
        body.list("timers").map {
            KnownTimer(
                flow: body.text("flow") ?? "", fires: $0.text("fires") ?? "",
                total: $0.nanoseconds("totalNs") ?? 0,
                // A stopwatch and a countdown in overtime do not fire.
                until: $0["stopwatch"] == nil && $0["fired"] == nil
                    ? $0.nanoseconds("untilNs") : nil)
        }
    }
}
