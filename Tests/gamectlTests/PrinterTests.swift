import GameFlow
import JSONCoding
import RPC
import Testing

@testable import GamectlTool

struct PrinterTests {
    private let printer = SampleReplies.printer

    private func line(_ change: String) throws -> String {
        try printer.change(SampleReplies.value(change))
    }

    @Test func `a change is printed as one line`() throws {
        #expect(
            try line(SampleReplies.change())
                == "#17 playingLevel → finishedLevel  completeLevel score=100  [presentScore]")
    }

    @Test(arguments: [
        ("keep", "#17 finishedLevel  go"), ("defer", "#17 playingLevel  deferred  go"),
        ("drop", "#17 playingLevel  dropped  go"), ("open", "#17 opened → finishedLevel  go"),
        ("close", "#17 playingLevel → closed  go"),
        ("goto", "#17 playingLevel → finishedLevel  goto  go"),
        ("merge", "#17 playingLevel → finishedLevel  merge  go"),
    ])
    func `each kind of change has its form`(kind: String, words: String) throws {
        let event = #"{"name":"go","args":{}}"#
        #expect(try line(SampleReplies.change(kind: kind, event: event, effects: "[]")) == words)
    }

    @Test func `a timer operation and a reason are shown`() throws {
        let timer = #","timer":{"fires":"timeUp","action":"extend","byMs":3000},"reason":"late""#
        let change = SampleReplies.change(
            kind: "timer", to: "playingLevel", event: "null", effects: "[]", more: timer)
        #expect(try line(change) == "#17 playingLevel  timeUp extend by 0:03  (late)")
    }

    @Test func `statistics are printed as a block for each flow`() throws {
        let flow = """
            {"flow":"vault","versions":["1","2"],"games":5,"running":1,"unfinished":1,\
            "outcomes":[{"state":"won","games":2},{"state":"lost","games":1}],\
            "states":[{"state":"briefing","visits":5,"medianMs":250,"p90Ms":61000}],\
            "overrides":{"goto":1,"timer":2,"undo":3},"hints":4,"refusals":6}
            """
        func lines(_ isRecorded: Bool) throws -> [String] {
            let result = #"{"refusalsRecorded":\#(isRecorded),"flows":[\#(flow)]}"#
            return try printer.statistics(SampleReplies.value(result))
        }
        #expect(
            try lines(true) == [
                "vault  5 games", "  outcomes   2 won, 1 lost, 1 unfinished, 1 running",
                "  overrides  1 goto, 2 timer, 3 undo", "  hints      4", "  refusals   6",
                "  versions   1, 2", "  STATE     VISITS  MEDIAN  90 %",
                "  briefing  5       < 0:01  1:01",
            ])
        #expect(try lines(false)[4] == "  refusals   not recorded")
        let none = try SampleReplies.value(#"{"refusalsRecorded":false,"flows":[]}"#)
        #expect(try printer.statistics(none) == ["no games"])
    }

    @Test func `statistics have the titles of a flow and its states in place of the names`() throws
    {
        let result = """
            {"refusalsRecorded":false,"flows":[{"flow":"vault","title":"The Vault","versions":["1"],"games":2,"running":0,\
            "unfinished":0,"outcomes":[{"state":"won","title":"Out in time","games":1},{"state":"lost","games":1}],\
            "states":[{"state":"briefing","title":"The briefing","visits":2,"medianMs":250,"p90Ms":61000}],\
            "overrides":{"goto":0,"timer":0,"undo":0},"hints":0,"refusals":0}]}
            """
        let lines = try printer.statistics(SampleReplies.value(result))
        #expect(lines[0] == "The Vault (vault)  2 games")
        #expect(lines[1] == "  outcomes   1 Out in time, 1 lost")
        #expect(lines.last == "  The briefing  2       < 0:01  1:01")
    }

    @Test(arguments: [
        ([44, 4000], ["0.04 s", "4.00 s"]), ([4000, 8240], ["4.0 s", "8.2 s"]),
        ([44, 0, 61_001], ["< 0:01", "0:00", "1:02"]), ([0, 59_999], ["0.0 s", "60.0 s"]),
        ([], []),
    ])
    func `the durations of a table are all in one form`(_ durations: [Int], _ texts: [String]) {
        #expect(Printer.times(durations) == texts)
    }

    @Test func `a leaderboard has the title of its datum in the header`() throws {
        let row = #"{"rank":1,"value":12,"state":"won","session":"a","atMs":0}"#
        let result = #"{"flow":"vault","by":"zz","title":"Münzen","rows":[\#(row)]}"#
        #expect(
            try printer.leaderboard(SampleReplies.value(result))
                == ["RANK  MÜNZEN  NAME  SESSION", "1     12            a"])
    }

    @Test(arguments: [(119_900, "1:59 "), (59_999, "59.9 s"), (4270, "4.2 s"), (999, "0.9 s")])
    func `a time on the leaderboard is rounded down, as on its page`(_ ms: Int, _ text: String)
        throws
    {
        let row = #"{"rank":1,"value":\#(ms),"state":"won","session":"a","atMs":0}"#
        let result = #"{"flow":"vault","by":"time","rows":[\#(row)]}"#
        let lines = try printer.leaderboard(SampleReplies.value(result))
        #expect(lines.count == 2 && lines[1].hasPrefix("1     \(text)"), "\(lines)")
    }

    @Test func `a datum with a time has its name of the flow file in the header`() throws {
        let row = #"{"rank":1,"value":119900,"state":"won","session":"a","atMs":0}"#
        let result = #"{"flow":"vault","by":"leftMs","rows":[\#(row)]}"#
        #expect(
            try printer.leaderboard(SampleReplies.value(result))
                == ["RANK  LEFT  NAME  SESSION", "1     1:59        a"])
    }

    @Test func `the times of an invitation are those of the reader`() throws {
        let until = "2040-03-02T18:52:06.000Z"
        let result = """
            {"session":"quiz","role":"play","once":false,"name":"invite-1","link":"http://hall/join#K",\
            "until":"\(until)","code":"ABC123","codeUntil":"\(until)","qr":""}
            """
        let lines = try printer.invitation(SampleReplies.value(result))
        let text = ClockText.date(2_214_327_126_000).dropLast(".000".utf8.count)
        #expect(lines[1] == "code    ABC123 at http://hall/join, until \(text)", "\(lines)")
        #expect(lines[3] == "until   \(text)", "\(lines)")
    }

    @Test func `a new token is alone on its line, and a reader gets the address of the desk`()
        throws
    {
        let result = #"{"name":"desk","token":"33f2","page":"http://127.0.0.1:8080"}"#
        let added = try SampleReplies.value(result)
        #expect(try printer.token(added, isForReader: false) == ["33f2"])
        #expect(
            try printer.token(added, isForReader: true)
                == ["33f2", "the desk: http://127.0.0.1:8080/#token=33f2"])
        let unserved = try SampleReplies.value(#"{"name":"desk","token":"33f2"}"#)
        #expect(try printer.token(unserved, isForReader: true) == ["33f2"])
    }

    @Test func `a status is printed as a block, with a bar for each timer`() throws {
        let timers = SampleReplies.timeUp(remainingMs: 72_000) + "," + SampleReplies.tick
        let status = SampleReplies.status(timers: timers, deferred: 2)
        let lines = try printer.lines(of: SampleReplies.value(status), to: Request(.status))
        #expect(
            lines == [
                "main  game · playingLevel · #17", "  data      episode=1 level=3",
                "  timers    timeUp  ▕██████████░░░▏ 1:12 of 1:30",
                "            tick    ▕█████░░░░░░░░▏ every 0:01",
                "  accepts   completeLevel, pause", "  deferred  2",
            ])
    }

    @Test func `a final state is marked`() throws {
        let lines = try printer.status(SampleReplies.value(SampleReplies.status(isFinal: true)))
        #expect(lines.first == "main  game · playingLevel (final) · #17")
    }

    @Test func `a list is printed as a table, with a hint if there are more sessions`() throws {
        let list = """
            {"sessions":[{"session":"main","flow":"game","state":"help","seq":2},\
            {"session":"room-12","flow":"quiz","state":"idle","seq":104}],"more":true}
            """
        #expect(
            try printer.lines(of: SampleReplies.value(list), to: Request(.list)) == [
                "SESSION  FLOW  STATE  SEQ", "main     game  help   2", "room-12  quiz  idle   104",
                "there are more: gamectl list after=room-12",
            ])
        let none = #"{"sessions":[],"more":false}"#
        #expect(
            try printer.lines(of: SampleReplies.value(none), to: Request(.list)) == ["no session"])
    }

    @Test func `a flow is printed as tables`() throws {
        let flow = """
            {"flow":"f","states":[{"name":"a","data":[],"final":false,"timers":[\
            {"fires":"tick","kind":"pendulum","totalMs":1000}]},{"name":"b","data":[\
            {"name":"n","type":"integer"}],"final":true,"timers":[]}],\
            "events":[{"name":"go","args":[{"name":"n","type":"integer"}]}],"signals":["tick"],\
            "transitions":[{"from":"a","on":"go","to":"b","effects":["x","y"]}]}
            """
        #expect(
            try printer.lines(of: SampleReplies.value(flow), to: Request(.describe)) == [
                "flow f", "", "  STATE  DATA        TIMERS", "  a                  tick every 0:01",
                "  b      n: integer  final", "", "  EVENT  ARGUMENTS", "  go     n: integer", "",
                "  SIGNALS", "  tick", "", "  FROM  ON  TO   EFFECTS", "  a     go  → b  x, y",
            ])
    }

    @Test func `a flow with titles is printed with them`() throws {
        let flow = """
            {"flow":"f","title":"The room","states":[{"name":"a","title":"Begin","data":[],"final":false,"timers":[]},\
            {"name":"b","data":[],"final":true,"timers":[]}],\
            "events":[{"name":"go","title":"Go on","args":[]}],"signals":[],"transitions":[]}
            """
        let lines = try printer.lines(of: SampleReplies.value(flow), to: Request(.describe))
        #expect(
            lines.prefix(7) == [
                "flow f  The room", "", "  STATE  TITLE  DATA  TIMERS", "  a      Begin",
                "  b                   final", "", "  EVENT  TITLE  ARGUMENTS",
            ], "\(lines)")
    }

    @Test(arguments: [
        (
            #"false,"keep":"30d","removed":1,"needed":{"open":0,"quarantined":0,"daemon":0}"#,
            ["1 row older than 30d removed"]
        ),
        (
            #"true,"keep":"1d","removed":0,"needed":{"open":1,"quarantined":2,"daemon":3}"#,
            [
                "the removal of old rows was suspended; from now on they go each hour",
                "0 rows older than 1d removed", "1 older row is needed for open sessions",
                "2 older rows are needed for quarantined sessions; `gamectl close @NAME` discards one",
                "3 older rows are needed for the daemon itself",
            ]
        ),
        (
            #"false,"keep":"forever","removed":0,"needed":{"open":0,"quarantined":0,"daemon":0}"#,
            ["no row is removed: --keep is forever"]
        ),
    ])
    func `the removal of old rows is printed with what needs the others`(
        members: String, lines: [String]
    ) throws {
        let result = try SampleReplies.value("{\"wasHeld\":\(members)}")
        #expect(try printer.lines(of: result, to: Request(.prune)) == lines)
    }

    @Test func `an unknown result is printed as its members`() throws {
        let result = Value.object([Member("a", .int(1)), Member("b", "c d")])
        #expect(try printer.lines(of: result, to: Request(.unwatch)) == [#"a=1 b="c d""#])
        #expect(try printer.lines(of: .object([]), to: Request(.unwatch)) == [])
    }

    @Test(arguments: [
        Method.status, .open, .timer, .close, .send, .goto, .list, .hello, .describe, .ping,
        .backup,
        .prune, .token, .bluetooth, .auth, .advance, .sources, .outputs,
    ])
    func `a result without members is a protocol error`(method: Method) throws {
        let error = #expect(throws: CommandError.self) {
            try printer.lines(of: .object([]), to: Request(method))
        }
        #expect(error?.status == .protocolError)
    }

    @Test(arguments: [
        ("1h", "1h"), ("3", "3"), ("true", "true"), ("de", "de"), ("5,5,5", "5,5,5"), ("-1", "-1"),
        ("90%", "90%"), ("श्री🦉", "श्री🦉"), ("", #""""#), ("a b", #""a b""#), ("@x", #""@x""#),
        ("it's", #""it's""#), ("$HOME", #""$HOME""#), ("{}", #""{}""#),
        ("a\u{A0}b", "\"a\u{A0}b\""),
    ])
    func `a label or a setting has quotes only if it cannot be typed without them`(
        _ text: String, _ word: String
    ) throws {
        let texts = Value.object([Member("x", .string(text))])
        let version = Member("version", "0123456789ab")
        let parts = [version, Member("labels", texts), Member("settings", texts)]
        let status = try SampleReplies.value(SampleReplies.status()).members
        let lines = try printer.status(.object(status + parts))
        #expect(lines.filter { $0.hasSuffix("  x=\(word)") }.count == 2, "\(lines)")
        // The command that sets the label again has the printed word. The daemon reads it as a line.
        let words = try TextWords.split(Array("label x=\(word)".utf8)[...])
        #expect(try TextRequest(words).params()["labels"] == texts)
    }

    @Test func `a string that cannot be another type has no quotes in arguments and data`() {
        let members = [
            Member("time", .string("1h")), Member("code", .string("0451")),
            Member("mac", .string("11:22")), Member("n", .string("1e5")),
        ]
        #expect(TerminalSafe.pairs(members) == #"time=1h code=0451 mac=11:22 n="1e5""#)
    }

    @Test func `strings that look like another type are quoted`() {
        let members = [
            Member("a", .string("ann")), Member("b", .string("true")), Member("c", .string("1")),
            Member("d", .string("a b")), Member("e", .string("")), Member("f", .bool(true)),
            Member("g", .string("\u{9B}x")),
        ]
        #expect(
            TerminalSafe.pairs(members)
                == #"a=ann b="true" c="1" d="a b" e="" f=true g="\u009bx""#)
    }

    @Test(arguments: [
        (#""missing":256,"shards":256"#, "256 of 256 shards have no owner"),
        (#""missing":1,"shards":256"#, "1 of 256 shards have no owner"),
        (#""missing":3"#, "3 shards have no owner"),
    ])
    func `a list without sessions says that shards are missing, not that there is no session`(
        _ members: String, _ words: String
    ) throws {
        let page = try SampleReplies.value(#"{"sessions":[],"more":false,\#(members)}"#)
        let lines = try printer.list(page)
        #expect(lines.count == 1 && lines[0].contains(words), "\(lines)")
        let complete = try SampleReplies.value(#"{"sessions":[],"more":false}"#)
        #expect(try printer.list(complete) == ["no session"])
    }

    @Test(arguments: [(7, "7 ms ahead of"), (0, "0 ms ahead of"), (-5, "5 ms behind")])
    func `the clocks' difference is a positive number with its direction`(
        _ skewMs: Int, _ difference: String
    ) throws {
        let nodes = try SampleReplies.value(
            #"{"nodes":[],"missing":0,"differ":false,"skewMs":\#(skewMs),"moves":[]}"#)
        #expect(
            try SampleReplies.printer.nodes(nodes).last
                == "the database's clock is \(difference) this node's")
    }
}
