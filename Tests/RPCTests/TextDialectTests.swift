import GameFlow
import JSONCoding
import RPC
import Testing

@Suite struct TextDialectTests {
    let connection: TestConnection

    init() throws { connection = try TestConnection() }

    @Test(arguments: ["", "   ", "\t", "# a comment", "  # another"])
    func `blank lines and comments get no reply`(_ text: String) {
        #expect(connection.reply(to: text) == "")
    }

    @Test(arguments: ["%", "1 2", "\"x\"", "-", "ü", "\u{1}"])
    func `a line in neither dialect is a parse error`(_ text: String) {
        #expect(connection.reply(to: text) == "ERR parseError {}\n")
    }

    @Test(arguments: [
        ("ping", #"OK {"pong":true}"#),
        ("pign", #"ERR methodNotFound {"method":"pign","didYouMean":["ping"]}"#),
        ("ping x", #"ERR invalidParams {"why":"x: unexpected word"}"#),
        (
            "status room-1",
            #"ERR invalidParams {"why":"room-1: unexpected word; name a session with @room-1"}"#
        ),
        (
            "send room-1 pause",
            #"ERR invalidParams {"why":"pause: unexpected word; name a session with @room-1"}"#
        ),
        ("ping x=1", #"ERR invalidParams {"why":"x: unknown"}"#),
        ("send", #"ERR invalidParams {"why":"event: missing"}"#),
        ("send 'pause", #"ERR parseError {"why":"an unclosed quote"}"#),
        ("send pause {\"x\":1} y", #"ERR parseError {"why":"text after the value"}"#),
        ("send pause x=1 x=2", #"ERR parseError {"why":"x is given twice"}"#),
        ("send @nobody pause", #"ERR unknownSession {"session":"nobody","didYouMean":[]}"#),
        (
            "send @ma*in pause",
            #"ERR invalidParams {"why":"session: expected 1 to 64 of A-Z a-z 0-9 . _ -"}"#
        ),
        ("send session=main session=x pause", #"ERR parseError {"why":"session is given twice"}"#),
        (
            "send {\"x\":1}",
            #"ERR invalidParams {"why":"put the object after the event or the state"}"#
        ),
        (
            "advance soon",
            #"ERR invalidParams {"why":"by: expected a duration such as 30s, 250ms or 1h30m, at most 10 years"}"#
        ),
        ("open @x data={}", #"ERR invalidParams {"why":"data: only allowed together with state"}"#),
        ("send tick", #"ERR forbidden {"event":"tick","source":"unix","needs":"timer"}"#),
        ("describe gmae", #"ERR unknownFlow {"flow":"gmae","didYouMean":["game"]}"#),
    ])
    func `each request line gets one reply line`(_ text: String, _ answer: String) {
        #expect(connection.reply(to: text) == answer + "\n")
    }

    @Test(arguments: [
        ("extend 10s", 100_000), ("extend=10s", 100_000), ("extend by=10s", 100_000),
        ("shorten 10s", 90_000), ("shorten=10s", 90_000), ("set 20s", 90_000), ("set=20s", 90_000),
    ])
    func `the duration of an operation on a timer may follow its name`(
        _ operation: String, _ totalMs: Int
    ) {
        _ = connection.reply(to: "open @r playingLevel episode=1 level=2")
        let answer = connection.json("timer @r timeUp \(operation)")
        #expect(answer["timers.0.totalMs"] == .int(totalMs), "\(operation)")
    }

    @Test(arguments: [
        "send chooseEpisode episode=2", "send chooseEpisode {\"episode\":2}",
        "send @main chooseEpisode episode=2.0",
        "send session=main id=k1 ageMs=20 chooseEpisode episode=2e0",
        "send event=chooseEpisode args={\\\"episode\\\":2}",
        "send  'chooseEpisode'\tepisode=2", "send choose\"Episode\" episode=2\r",
    ])
    func `words after the event's name are its arguments, words before it belong to the method`(
        _ text: String
    ) {
        _ = connection.reply(to: "goto choosingEpisode")
        let answer = connection.json(text)
        #expect(answer["to.state"] == .string("choosingLevel"), "\(connection.reply(to: "status"))")
        #expect(answer["event.args.episode"] == .int(2))
    }

    @Test(arguments: [
        ("level=\"3\"", "expected an integer"), ("level='3'", "expected an integer"),
        ("level=x", "expected an integer"),
        ("level=true", "expected an integer"), ("level=3.5", "not a whole number"),
        ("level=01", "expected an integer"),
        ("level=1e99", "past ±(2^53 − 1)"), ("level=", "expected an integer"),
        ("{\"level\":\"\\u0000\"}", "\\u0000 in a string"),
    ])
    func `a value that is not a valid integer is refused with the reason`(
        _ value: String, _ why: String
    ) {
        _ = connection.reply(to: "goto choosingLevel episode=1")
        let answer = connection.reply(to: "send chooseLevel \(value)")
        #expect(answer.hasPrefix("ERR invalid {"), "\(answer)")
        #expect(connection.json("send chooseLevel \(value)")["why"] == .string(why))
    }

    @Test func `a word is a string if the event's parameter is one`() throws {
        _ = connection.reply(to: "open @q flow=quiz")
        _ = connection.reply(to: "send @q start rounds=2")
        for (word, player) in [
            ("4711", "4711"), ("true", "true"), ("null", "null"), ("5e0", "5e0"), ("[1]", "[1]"),
            ("\"12\"", "12"), ("'12'", "12"), ("ann", "ann"), ("01", "01"), ("{}", "{}"),
        ] {
            _ = connection.reply(to: "goto @q question round=1 rounds=2 scores={} out=[]")
            let answer = connection.json("send @q buzz player=\(word)")
            #expect(answer["event.args.player"] == .string(player), "\(word): \(answer)")
        }
    }

    @Test func `a word is a string if the state's datum is one`() {
        _ = connection.reply(to: "open @q flow=quiz")
        let data = "round=1 rounds=2 scores={} out=[] remainingMs=500"
        #expect(
            connection.json("goto @q locked \(data) player=7")["to.data.player"] == .string("7"))
        #expect(
            connection.json("open @r flow=quiz locked \(data) player=7")["data.player"]
                == .string("7"))
        #expect(
            connection.json("open @s flow=quiz locked \(data) player=7")["data.round"] == .int(1))
    }

    @Test func `an unknown argument, event, session, state or flow is named in the error`() {
        _ = connection.reply(to: "open @q flow=quiz")
        _ = connection.reply(to: "send @q start rounds=2")
        #expect(connection.json("send @q buzz palyer=7")["argument"] == .string("palyer"))
        #expect(connection.json("send @q buzzz player=7")["event"] == .string("buzzz"))
        #expect(connection.json("send @nobody buzz player=7")["session"] == .string("nobody"))
        #expect(connection.json("goto @q lokced player=7")["state"] == .string("lokced"))
        #expect(connection.json("open @t flow=quizz locked player=7")["flow"] == .string("quizz"))
    }

    @Test(arguments: ["help", "?", "?x", "  ?", "? 'what", "help send", "help\r"])
    func `help returns the verbs`(_ text: String) {
        let answer = connection.reply(to: text)
        #expect(answer.hasPrefix(#"OK {"verbs":["hello","ping","auth","send","#), "\(answer)")
        #expect(answer.hasSuffix("]}\n"))
    }

    @Test(arguments: ["open question flow=quiz", "open @x question flow=quiz round=1"])
    func `open with a flow after the state gets a hint to write it before the state`(
        _ text: String
    ) {
        #expect(
            connection.reply(to: text)
                == #"ERR invalidParams {"why":"question is not a state of game; write flow= before the state"}"#
                + "\n")
    }

    @Test
    func `open with a word that is not a state gets a hint to write the session's name with @`() {
        let hint =
            #"ERR invalidParams {"why":"foo is not a state of game; name a session with @foo"}"#
            + "\n"
        #expect(connection.reply(to: "open foo") == hint)
        _ = connection.reply(to: "close session=main")
        // The same without an open session: `foo` is never taken for the name of a session.
        #expect(connection.reply(to: "open foo") == hint)
        #expect(connection.json("open @x foo")["state"] == .string("foo"))
        #expect(connection.json("open flow=quiz question")["argument"] == .string("round"))
        connection.rights = .nothing
        #expect(
            connection.reply(to: "open foo")
                == #"ERR forbidden {"method":"open","source":"unix","needs":"operate"}"# + "\n")
    }

    @Test func `words without a key are the method's main parameters`() {
        #expect(connection.json("open @r playingLevel episode=1 level=2")["data.level"] == .int(2))
        #expect(
            connection.json("timer @r timeUp extend by=10s")["timers.0.totalMs"] == .int(100_000))
        #expect(connection.json("timer @r timeUp pause")["timers.0.paused"] == .bool(true))
        #expect(connection.json("advance 1m30s")["nowMs"] == .int(90_000))
        // The timer `tick` of the session fires each second.
        #expect(connection.json("advance toNext")["nowMs"] == .int(91_000))
        #expect(connection.json("goto @r reason='by hand' help")["reason"] == .string("by hand"))
        #expect(connection.json("describe game")["flow"] == .string("game"))
        #expect(connection.reply(to: "watch @r topics=changes,beats").hasPrefix("OK "))
        #expect(connection.reply(to: "watch @*").hasPrefix("OK "))
        #expect(connection.reply(to: "unwatch @*") == "OK {}\n")
        #expect(connection.json("close @r")["state"] == .string("help"))
    }

    @Test func `a string parameter that looks like a number is a string`() {
        #expect(connection.json("send id=7 displayHelp")["seq"] == .int(2))
        // The same id as a string in JSON: the request gets the first reply again.
        #expect(
            connection.json(
                #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"x","id":"7"}}"#)[
                    "result.seq"] == .int(2))
    }

    @Test func `a line that is too long gets one error, even if it begins with blanks`() {
        let long = String(repeating: " ", count: 70) + String(repeating: "x", count: 70_000)
        #expect(
            connection.reply(to: long) == "ERR limit {\"which\":\"lineBytes\",\"limit\":65536}\n")
        #expect(
            connection.reply(to: String(repeating: " ", count: 70_000))
                == "ERR limit {\"which\":\"lineBytes\",\"limit\":65536}\n")
        #expect(connection.reply(to: "#" + long) == "")
    }

    @Test func `invalid UTF-8 and control characters are parse errors`() {
        #expect(
            connection.reply(to: Array("send ".utf8) + [0xC3, 0x28])
                == "ERR parseError {\"why\":\"not UTF-8\"}\n")
        #expect(
            connection.reply(to: Array("send a".utf8) + [0])
                == "ERR parseError {\"why\":\"a control byte\"}\n")
    }

    @Test func `in the text dialect, nesting beyond the limit is an error with the limit's name`() {
        let deep = "{\"a\":" + String(repeating: "[", count: 10_000)
        #expect(connection.json("send pause \(deep)")["which"] == .string("depth"))
        let limit = JSONText.depthLimit - 1
        // The object has exactly the allowed depth; the parameters that contain it are one level deeper.
        let open = "{\"a\":" + String(repeating: "[", count: limit)
        let closed = open + String(repeating: "]", count: limit) + "}"
        #expect(connection.json("send pause \(closed)")["which"] == .string("depth"))
    }

    @Test(arguments: [
        ("list limit=x", "list", #"{"limit":"x"}"#), ("list limit=1.5", "list", #"{"limit":1.5}"#),
        ("list flow=game limit=-1", "list", #"{"flow":"game","limit":-1}"#),
        ("advance toNext=1", "advance", #"{"toNext":1}"#),
        ("advance toNext={\\\"a\\\":1}", "advance", #"{"toNext":{"a":1}}"#),
        ("send args=3 pause", "send", #"{"args":3,"event":"pause"}"#),
        ("send args=[{}] pause", "send", #"{"args":[{}],"event":"pause"}"#),
        ("goto data=true", "goto", #"{"data":true}"#),
        ("status since=1", "status", #"{"since":1}"#),
        ("timer tick", "timer", #"{"fires":"tick"}"#),
        ("watch topics=changes,nosuch", "watch", #"{"topics":["changes","nosuch"]}"#),
        ("send ageMs=null pause", "send", #"{"ageMs":null,"event":"pause"}"#),
        ("send ageMs=1e99 pause", "send", #"{"ageMs":1e99,"event":"pause"}"#),
    ])
    func `invalid parameters get the same error in both dialects`(
        _ text: String, _ method: String, _ params: String
    ) {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        guard case .string(let why)? = connection.json(request)["error.data.why"] else {
            Issue.record("\(request) was accepted")
            return
        }
        #expect(connection.json(text)["why"] == .string(why))
    }
}
