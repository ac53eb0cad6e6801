import GameFlow
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct MethodTests {
    let connection: TestConnection

    init() throws { connection = try TestConnection() }

    /// `TestConnection` sets the version, the instance and the limit of clients.
    @Test func `hello returns the daemon, its protocol and its limits`() {
        let hello = connection.json("hello")
        #expect(hello["name"] == .string("gamed"))
        #expect(hello["version"] == .string("1.2.3"))
        #expect(hello["protocol"] == .int(1))
        #expect(hello["instance"] == .string("0123456789abcdef"))
        #expect(hello["clock"] == .string("virtual"))
        #expect(hello["flows"] == .array(AnyFlow.shipped().map { .string($0.name) }))
        #expect(hello["methods"] == .array(Method.allCases.map { .string($0.name) }))
        #expect(hello["limits.clients"] == .int(7))
        #expect(hello["limits.lineBytes"] == .int(65_536))
    }

    @Test func `describe returns the states, events, signals and transitions of a flow`() {
        let flow = connection.json("describe")
        #expect(flow["flow"] == .string("game"))
        #expect(flow["states.4.name"] == .string("playingLevel"))
        #expect(
            flow["states.4.data.1"]
                == .object([Member("name", .string("level")), Member("type", .string("integer"))]))
        #expect(flow["states.4.final"] == .bool(false))
        #expect(
            flow["states.4.timers.0"]
                == .object([
                    Member("fires", .string("timeUp")), Member("kind", .string("countdown")),
                    Member("totalMs", .int(90_000)),
                ]))
        #expect(
            flow["events.3"]
                == .object([
                    Member("name", .string("chooseEpisode")),
                    Member(
                        "args",
                        .array([
                            .object([
                                Member("name", .string("episode")),
                                Member("type", .string("integer")),
                            ])
                        ])),
                ]))
        #expect(
            flow["signals"]
                == .array(
                    ["helpTimedOut", "idle", "timeUp", "tick", "abandoned"].map { .string($0) }))
        #expect(
            flow["transitions.0"]
                == .object([
                    Member("from", .string("introduction")), Member("on", .string("displayHelp")),
                    Member("to", .string("help")),
                    Member("effects", .array([.string("presentHelp")])),
                ]))
    }

    @Test func `list returns pages and can be limited to a flow`() {
        for name in ["c", "a", "b"] { _ = connection.reply(to: "open @\(name)") }
        let firstPage = connection.json("list limit=2")
        #expect(
            firstPage["sessions.0"]
                == .object([
                    Member("session", .string("a")), Member("flow", .string("game")),
                    Member("state", .string("introduction")), Member("seq", .int(1)),
                ]))
        #expect(firstPage["more"] == .bool(true))
        let lastPage = connection.json("list after=b flow=game")
        #expect(lastPage["sessions.0.session"] == .string("c"))
        #expect(lastPage["sessions.1.session"] == .string("main"))
        #expect(lastPage["more"] == .bool(false))
    }

    @Test func `open and close return the session, and no timer remains`() {
        #expect(connection.json("open @x help")["timers.0.fires"] == .string("helpTimedOut"))
        let closed = connection.json("close @x")
        #expect(closed["seq"] == .int(1))
        #expect(closed["state"] == .string("help"))
        #expect(connection.time.pending.isEmpty)
        #expect(
            connection.reply(to: "status @x")
                == "ERR unknownSession {\"session\":\"x\",\"didYouMean\":[]}\n")
    }

    @Test func `a watch of a session returns the session, then missed changes, then new ones`() {
        _ = connection.reply(to: "send displayHelp")
        _ = connection.reply(to: "send dismissHelp")
        let answer = connection.json("watch since=1")
        #expect(answer["sessions.0.seq"] == .int(3))
        #expect(answer["more"] == .bool(false))
        #expect(connection.missedSeqs == [2, 3])
        #expect(connection.watchedTargets == [.session(.main)])
        _ = connection.reply(to: "send displayHelp")
        #expect(connection.notifications.count == 1)
        #expect(
            connection.notifications[0].hasPrefix(
                #"{"jsonrpc":"2.0","method":"change","params":{"session":"main","seq":4,"#))
        _ = connection.reply(to: "unwatch")
        _ = connection.reply(to: "send dismissHelp")
        #expect(connection.notifications.count == 1)
        #expect(connection.watchedTargets.isEmpty)
    }

    @Test func `the change in a reply equals the change in the notification`() {
        _ = connection.reply(to: "watch")
        let answer = connection.reply(to: "send displayHelp").dropFirst(3)
        #expect(
            connection.notifications == [
                #"{"jsonrpc":"2.0","method":"change","params":"# + answer.dropLast() + "}\n"
            ])
    }

    @Test func `advance returns the firings and the time`() {
        _ = connection.reply(to: "goto help")
        let answer = connection.json("advance 31s")
        #expect(
            answer["fired"]
                == .array([
                    .object([
                        Member("session", .string("main")),
                        Member("fires", .string("helpTimedOut")), Member("atMs", .int(30_000)),
                    ])
                ]))
        #expect(answer["nowMs"] == .int(31_000))
        #expect(answer["more"] == .bool(false))
        #expect(connection.json("status")["state"] == .string("introduction"))
    }

    @Test func `the reply to a repeated id is equal to the first reply, byte for byte`() {
        let first = connection.reply(to: "send id=k displayHelp")
        _ = connection.reply(to: "advance 5s")
        #expect(connection.reply(to: "send id=k displayHelp") == first)
        #expect(connection.reply(to: "send id=k nonsense x=1") == first)
    }

    @Test func `errors are checked in the documented order`() {
        func errorName(_ text: String) -> String {
            String(connection.reply(to: text).split(separator: " ")[1])
        }
        #expect(errorName("send @nobody nonsense ageMs=x") == "unknownSession")
        #expect(errorName("send ageMs=-1 @nobody nonsense") == "invalidParams")
        #expect(errorName("send nonsense x=1.5") == "unknownEvent")
        #expect(errorName("send tick x=1") == "forbidden")
        #expect(errorName("send chooseLevel") == "invalid")
        #expect(errorName("send chooseLevel level=99") == "noTransition")
        _ = connection.reply(to: "goto choosingLevel episode=1")
        #expect(errorName("send chooseLevel level=99") == "invalid")
    }
}
