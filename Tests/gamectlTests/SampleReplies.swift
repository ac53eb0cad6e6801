import GameFlow
import JSONCoding
import Shell

@testable import GamectlTool

/// Replies of the daemon, as JSON or as values that were read from JSON.
enum SampleReplies {
    static func value(_ text: String) throws -> Value {
        var json = JSONText()
        try json.read(Array(text.utf8)[...])
        return json.value(at: JSONText.root)
    }

    static func notification(_ method: String, _ params: String) throws
        -> Message.ServerNotification
    {
        Message.ServerNotification(
            method: method, params: try value(params), raw: Array(params.utf8))
    }

    static func errorReply(_ code: Int, _ name: String, _ data: String = "{}") throws -> ErrorReply
    {
        ErrorReply(code: code, name: name, data: try value(data).members)
    }

    static func change(
        kind: String = "enter", from: String = "playingLevel", to: String = "finishedLevel",
        event: String = #"{"name":"completeLevel","args":{"score":100}}"#,
        effects: String = #"[{"name":"presentScore"}]"#, more: String = ""
    ) -> String {
        """
        {"session":"main","seq":17,"pos":40,"kind":"\(kind)","event":\(event),\
        "source":{"kind":"unix","peer":{"pid":123,"uid":0,"gid":0}},\
        "from":{"state":"\(from)","data":{}},"to":{"state":"\(to)","data":{}},\
        "effects":\(effects)\(more),"atMs":30000,"time":"1970-01-01T00:00:30.000Z"}
        """
    }

    /// A countdown of 90 seconds with the given time left.
    static func timeUp(remainingMs: Int, paused: Bool = false) -> String {
        """
        {"fires":"timeUp","kind":"countdown","remainingMs":\(remainingMs),"totalMs":90000,\
        "paused":\(paused)}
        """
    }

    static let tick = """
        {"fires":"tick","kind":"pendulum","remainingMs":400,"totalMs":1000,"paused":false}
        """

    static func status(timers: String = "", deferred: Int = 0, isFinal: Bool = false) -> String {
        """
        {"session":"main","flow":"game","state":"playingLevel","data":{"episode":1,"level":3},\
        "final":\(isFinal),"seq":17,"openedMs":0,"timers":[\(timers)],"deferred":\(deferred),\
        "accepts":["completeLevel","pause"]}
        """
    }

    /// A printer without colour: descriptor -1 is not a terminal.
    static let printer = Printer(Terminal(-1))
}
