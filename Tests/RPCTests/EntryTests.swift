import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// The number of an entry: what it is, who carries it, and that a late answer to an earlier one is refused.
@Suite struct EntryTests {
    @Test
    func
        `an entry has the position of the change that entered the state, and keeps do not change it`()
        throws
    {
        let line = try TestConnection(opensMain: false)
        _ = line.say("open session=a flow=quiz")
        #expect(line.json("status @a")["entry"] == .int(1))
        _ = line.say("open session=b flow=game")
        #expect(line.json("status @b")["entry"] == .int(2))
        let opened = line.json("send @a openRound question=1")
        #expect(opened["entry"] == opened["pos"])
        let paused = line.json("timer @a answerTimeUp pause")
        #expect(paused["entry"] == opened["entry"])
        line.end()
    }

    @Test func `an effect carries the entry of the state that its change leads to`() throws {
        let line = try TestConnection()
        let change = line.json("send displayHelp")
        guard case .array(let effects)? = change["effects"], let effect = effects.first else {
            Issue.record("no effect: \(change)")
            return
        }
        #expect(effect["entry"] == change["pos"])
        line.end()
    }

    @Test func `a request for an earlier entry is stale, and changes nothing`() throws {
        let line = try TestConnection()
        let entered = try #require(line.json("status")["entry"])
        #expect(entered == .int(1))
        #expect(line.say("send entry=1 displayHelp").hasPrefix("OK"))
        let before = line.say("status")
        let stale = "ERR stale {\"entry\":1,\"present\":2}\n"
        #expect(line.say("send entry=1 dismissHelp") == stale)
        #expect(line.say("goto entry=1 introduction") == stale)
        #expect(line.say("timer entry=1 nothing pause") == stale)
        #expect(line.say("status") == before)
        #expect(line.say("send entry=2 dismissHelp").hasPrefix("OK"))
        line.end()
    }

    @Test
    func `an entry of a closed session is stale in a later session of that name`()
        throws
    {
        let line = try TestConnection(opensMain: false)
        _ = line.say("open session=room flow=game")
        let entry = try #require(line.json("status @room")["entry"])
        _ = line.say("close @room")
        _ = line.say("open session=room flow=game")
        #expect(entry == .int(1))
        let answer = line.say("send @room entry=1 displayHelp")
        #expect(answer == "ERR stale {\"entry\":1,\"present\":3}\n")
        line.end()
    }

    @Test func `a repeated id gets its reply before the entry is checked`() throws {
        let line = try TestConnection()
        let first = line.say("send id=k1 entry=1 displayHelp")
        #expect(first.hasPrefix("OK"))
        #expect(line.say("send id=k1 entry=1 displayHelp") == first)
        line.end()
    }

    @Test
    func
        `an unknown event is reported before a stale entry, and a stale entry before invalid arguments`()
        throws
    {
        let line = try TestConnection()
        #expect(line.say("send entry=99 nosuch").hasPrefix("ERR unknownEvent"))
        #expect(line.say("send entry=99 chooseLevel level=x").hasPrefix("ERR stale"))
        #expect(line.say("send entry=-1 displayHelp").hasPrefix("ERR invalidParams"))
        line.end()
    }
}
