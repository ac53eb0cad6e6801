import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// The number of an entry: its value, the messages that contain it, and the refusal of requests for an earlier entry.
@Suite struct EntryTests {
    @Test
    func
        `an entry is the position of the change that entered the state, not of a later change`()
        throws
    {
        let connection = try TestConnection(opensMain: false)
        _ = connection.reply(to: "open session=a flow=quiz")
        #expect(connection.json("status @a")["entry"] == .int(1))
        _ = connection.reply(to: "open session=b flow=game")
        #expect(connection.json("status @b")["entry"] == .int(2))
        let entered = connection.json("send @a start rounds=1")
        #expect(entered["pos"] == .int(3) && entered["entry"] == .int(3))
        // Pausing a timer enters no state, so the entry does not change.
        let paused = connection.json("timer @a timeUp pause")
        #expect(paused["seq"] == .int(3) && paused["entry"] == .int(3))
        connection.end()
    }

    @Test func `an effect carries the entry of the state that its change leads to`() throws {
        let connection = try TestConnection()
        let change = connection.json("send displayHelp")
        guard case .array(let effects)? = change["effects"], let effect = effects.first else {
            Issue.record("no effect: \(change)")
            return
        }
        #expect(effect["entry"] == change["pos"])
        connection.end()
    }

    @Test func `a request for an earlier entry is stale, and changes nothing`() throws {
        let connection = try TestConnection()
        let entered = try #require(connection.json("status")["entry"])
        #expect(entered == .int(1))
        #expect(connection.reply(to: "send entry=1 displayHelp").hasPrefix("OK"))
        let before = connection.reply(to: "status")
        let stale = "ERR stale {\"entry\":1,\"present\":2}\n"
        #expect(connection.reply(to: "send entry=1 dismissHelp") == stale)
        #expect(connection.reply(to: "goto entry=1 introduction") == stale)
        #expect(connection.reply(to: "timer entry=1 nothing pause") == stale)
        #expect(connection.reply(to: "status") == before)
        #expect(connection.reply(to: "send entry=2 dismissHelp").hasPrefix("OK"))
        connection.end()
    }

    @Test
    func `an entry of a closed session is stale in a later session of that name`()
        throws
    {
        let connection = try TestConnection(opensMain: false)
        _ = connection.reply(to: "open session=room flow=game")
        let entry = try #require(connection.json("status @room")["entry"])
        _ = connection.reply(to: "close @room")
        _ = connection.reply(to: "open session=room flow=game")
        #expect(entry == .int(1))
        let answer = connection.reply(to: "send @room entry=1 displayHelp")
        // Change 2 closed the first session, and change 3 opened the second session.
        #expect(answer == "ERR stale {\"entry\":1,\"present\":3}\n")
        connection.end()
    }

    @Test func `a repeated request gets the first reply, although its entry is stale`() throws {
        let connection = try TestConnection()
        let first = connection.reply(to: "send id=k1 entry=1 displayHelp")
        #expect(first.hasPrefix("OK"))
        #expect(connection.reply(to: "send id=k1 entry=1 displayHelp") == first)
        connection.end()
    }

    @Test
    func
        `an unknown event is reported before a stale entry, and a stale entry before invalid arguments`()
        throws
    {
        let connection = try TestConnection()
        #expect(connection.reply(to: "send entry=99 nosuch").hasPrefix("ERR unknownEvent"))
        #expect(connection.reply(to: "send entry=99 chooseLevel level=x").hasPrefix("ERR stale"))
        #expect(connection.reply(to: "send entry=-1 displayHelp").hasPrefix("ERR invalidParams"))
        connection.end()
    }
}
