internal import GameFlow
internal import JSONCoding
public import Sessions
internal import Timers

/// The limits of the protocol and of sessions, which `hello` shows after those of the server.
public enum WireLimits {
    public static let table: [NamedLimit<Limits>] = [
        NamedLimit("lineBytes", "bytes of a request's line", then: refused) { _ in
            LineBuffer.limit
        },
        NamedLimit("depth", "nesting depth of a request's JSON", then: refused) { _ in
            JSONText.depthLimit
        },
        NamedLimit(
            "batchBytes", "bytes of a batch's answer",
            then: "The rest of the batch is not executed, and is refused with `limit`."
        ) { _ in JSONDialect.batchLimit },
        NamedLimit("sessions", "sessions open at once", then: refused) { $0.sessions },
        NamedLimit("ring", "changes that `since` can replay", then: gap) { $0.ring },
        NamedLimit("ringBytes", "bytes of the changes that `since` can replay", then: gap) {
            $0.ringBytes
        },
        NamedLimit("idsPerSession", "ids remembered for one session", then: forgotten) {
            $0.idsPerSession
        },
        NamedLimit("ids", "ids remembered for all sessions", then: forgotten) { $0.ids },
        NamedLimit("refusals", "refused events that `history` returns", then: forgotten) {
            $0.refusals
        },
        NamedLimit(
            "refusalBytes", "bytes of the arguments of these refused events", then: forgotten
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
            then: notWritten
        ) { $0.auditBytes },
        NamedLimit(
            "auditBytesInAll", "bytes that the journal records of all refused events per second",
            then: notWritten
        ) { $0.auditBytesInAll },
        NamedLimit(
            "historyPage", "the largest `limit` of `history`",
            then: "A larger one is refused with `invalidParams`."
        ) { $0.historyPage },
        NamedLimit("historyBytes", "bytes of the records in the answer to `history`", then: more) {
            $0.historyBytes
        },
        NamedLimit(
            "listPage", "the largest `limit` of `list`",
            then: "A larger one is refused with `invalidParams`."
        ) { $0.listPage },
        NamedLimit("watchPage", "sessions in the answer to `watch`", then: more) { $0.watchPage },
        NamedLimit("firings", "timers that fire in one `advance`", then: more) { $0.firings },
        NamedLimit(
            "deferred", "events that one session keeps for a later state",
            then: "The next one is refused with `deferQueueFull`."
        ) { _ in AnyMachine.deferLimit },
        NamedLimit(
            "timerMs", "the longest duration of a timer",
            then:
                "A longer duration is refused with `invalidParams`, an `extend` beyond it with `limit`."
        ) { _ in Int(Duration.longest.milliseconds) },
        NamedLimit("clockMs", "the largest value of the virtual clock", then: refused) { _ in
            Int(Instant.last.milliseconds)
        },
    ]

    private static let refused = "The request is refused with `limit`."
    private static let gap = "The oldest are dropped; a watcher that asks for them gets `gap`."
    private static let forgotten = "The oldest are dropped."
    private static let notWritten = "Further ones are not recorded."
    private static let more = "The answer says `\"more\":true`."
}
