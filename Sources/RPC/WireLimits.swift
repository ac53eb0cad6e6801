internal import GameFlow
internal import JSONCoding
public import Sessions
internal import Support
internal import Timers

/// The limits of the protocol and of sessions, which `hello` shows after the limits of the server.
public enum WireLimits {
    /// Each row has the limit's name, the things that are limited, the consequence when the limit is reached, and a function
    /// that returns the limit's value. The function ignores its argument if the limit cannot be configured.
    public static let table: [NamedLimit<Limits>] = [
        NamedLimit("lineBytes", "bytes of a request's line", then: refusesRequest) { _ in
            LineBuffer.limit
        },
        NamedLimit("depth", "nesting depth of a request's JSON", then: refusesRequest) { _ in
            JSONText.depthLimit
        },
        NamedLimit(
            "batchBytes", "bytes of a batch's answer",
            then: "The rest of the batch is not executed, and is refused with `limit`."
        ) { _ in JSONDialect.batchLimit },
        NamedLimit("sessions", "sessions open at once", then: refusesRequest) { $0.sessions },
        NamedLimit("labels", "labels of a session", then: refusesRequest) { _ in NoteLimits.labels
        },
        NamedLimit(
            "closedSessions",
            "sessions closed whose outputs wait for unsent outputs to be read from the journal",
            then: "A `close` is refused with `limit` until they are read."
        ) { $0.closedSessions },
        NamedLimit("ring", "changes that `since` can replay", then: sendsGap) { $0.ring },
        NamedLimit("ringBytes", "bytes of the changes that `since` can replay", then: sendsGap) {
            $0.ringBytes
        },
        NamedLimit("idsPerSession", "ids remembered for one session", then: dropsOldest) {
            $0.idsPerSession
        },
        NamedLimit("ids", "ids remembered for all sessions", then: dropsOldest) { $0.ids },
        NamedLimit(
            "undoStepsPerSession", "steps of one session that `undo` can take back",
            then: dropsOldest
        ) { $0.undoStepsPerSession },
        NamedLimit(
            "undoChanges", "changes of all sessions that `undo` can take back", then: dropsOldest
        ) { $0.undoChanges },
        NamedLimit(
            "undoBytes", "bytes of deferred events and messages kept for `undo`", then: dropsOldest
        ) { $0.undoBytes },
        NamedLimit(
            "idMs", "milliseconds for which an id is known, although its answer is forgotten",
            then:
                "A request with an older id is refused as `stale` if it may have been sent before."
        ) { $0.idMs },
        NamedLimit(
            "oldIds", "ids known whose answers are forgotten", then: dropsOldest
        ) { $0.oldIDs },
        NamedLimit("refusals", "refused events that `history` returns", then: dropsOldest) {
            $0.refusals
        },
        NamedLimit(
            "refusalBytes", "bytes of the arguments of these refused events", then: dropsOldest
        ) {
            $0.refusalBytes
        },
        NamedLimit(
            "auditEventBytes", "bytes of a refused event's arguments in the journal",
            then: "Only the first arguments that fit are written."
        ) { $0.auditEventBytes },
        NamedLimit(
            "auditBytes",
            "bytes that the journal records of one sender's refused events per second",
            then: recordsNoMore
        ) { $0.auditBytes },
        NamedLimit(
            "auditBytesInAll", "bytes that the journal records of all refused events per second",
            then: recordsNoMore
        ) { $0.auditBytesInAll },
        NamedLimit(
            "historyPage", "the largest `limit` of `history`",
            then: "A larger one is refused with `invalidParams`."
        ) { $0.historyPage },
        NamedLimit(
            "historyBytes", "bytes of the records in the answer to `history`", then: saysMore
        ) { $0.historyBytes },
        NamedLimit(
            "listPage", "the largest `limit` of `list`",
            then: "A larger one is refused with `invalidParams`."
        ) { $0.listPage },
        NamedLimit("watchPage", "sessions in the answer to `watch`", then: saysMore) {
            $0.watchPage
        },
        NamedLimit("firings", "timers that fire in one `advance`", then: saysMore) { $0.firings },
        NamedLimit(
            "deferred", "events that one session keeps for a later state",
            then: "The next one is refused with `deferQueueFull`."
        ) { _ in AnyMachine.deferLimit },
        NamedLimit(
            "collected",
            "events that wait for each other in one session (`collect` in a flow file)",
            then: refusesRequest
        ) { _ in Sessions.collectedLimit },
        NamedLimit(
            "linkedSteps",
            "steps that one request or firing causes in all sessions, with posted events",
            then: "The rest is refused with `limit`, once in each session."
        ) { _ in EventQueue.postLimit },
        NamedLimit(
            "instantFirings", "firings of one session that follow each other without time",
            then: "The next signals are refused with `limit`, until time passes or a request comes."
        ) { Int($0.instantFirings) },
        NamedLimit(
            "timerMs", "the longest duration of a timer",
            then:
                "A longer duration is refused with `invalidParams`, an `extend` beyond it with `limit`."
        ) { _ in Int(Duration.longest.milliseconds) },
        NamedLimit("clockMs", "the largest value of the virtual clock", then: refusesRequest) { _ in
            Int(Instant.last.milliseconds)
        },
    ]

    private static let refusesRequest = "The request is refused with `limit`."
    private static let sendsGap = "The oldest are dropped; a watcher that asks for them gets `gap`."
    private static let dropsOldest = "The oldest are dropped."
    private static let recordsNoMore = "Further ones are not recorded."
    private static let saysMore = "The answer says `\"more\":true`."
}
