import Access
import GameFlow
import JSON
import Sessions
import Testing
import Timers

@testable import Wire

/// The number of an entry: what it is, who carries it, and that a late answer to an earlier one is refused.
@Suite struct EntryTests {
    @Test func `an entry has the position of the change that entered the state, and keeps do not change it`()
        throws
    {
        let line = try Line(opensMain: false)
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
        let line = try Line()
        let change = line.json("send displayHelp")
        guard case .array(let effects)? = change["effects"], let effect = effects.first else {
            Issue.record("no effect: \(change)")
            return
        }
        #expect(effect["entry"] == change["pos"])
        line.end()
    }

    @Test func `a request for an earlier entry is stale, and changes nothing`() throws {
        let line = try Line()
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

    @Test func `an answer to an entry of a session that was closed is stale in the next one of its name`()
        throws
    {
        let line = try Line(opensMain: false)
        _ = line.say("open session=room flow=game")
        let entry = try #require(line.json("status @room")["entry"])
        _ = line.say("close @room")
        _ = line.say("open session=room flow=game")
        #expect(entry == .int(1))
        let answer = line.say("send @room entry=1 displayHelp")
        #expect(answer == "ERR stale {\"entry\":1,\"present\":3}\n")
        line.end()
    }

    @Test func `a remembered id is answered before the entry is looked at`() throws {
        let line = try Line()
        let first = line.say("send id=k1 entry=1 displayHelp")
        #expect(first.hasPrefix("OK"))
        #expect(line.say("send id=k1 entry=1 displayHelp") == first)
        line.end()
    }

    @Test func `an unknown event is named before a stale entry, and a stale entry before its arguments`()
        throws
    {
        let line = try Line()
        #expect(line.say("send entry=99 nosuch").hasPrefix("ERR unknownEvent"))
        #expect(line.say("send entry=99 chooseLevel level=x").hasPrefix("ERR stale"))
        #expect(line.say("send entry=-1 displayHelp").hasPrefix("ERR invalidParams"))
        line.end()
    }
}

/// What peers see that may not operate a session.
@Suite struct ViewTests {
    private let secret = #""peer":{"pid":1,"uid":2,"gid":3}"#

    @Test func `a peer that may only play sees nobody's address, in any answer`() throws {
        let line = try Line()
        line.rights = Rights(role: .play)
        for request in [
            "send displayHelp", "send startPlaying", "history", "watch topics=changes,refusals,beats",
            "send dismissHelp", "send nosuch", "status",
        ] {
            let answer = line.say(request)
            #expect(!answer.contains("\"peer\""), "\(request): \(answer)")
        }
        #expect(!line.told.isEmpty)
        for told in line.told { #expect(!told.contains("\"peer\""), "\(told)") }
        line.rights = .everything
        #expect(line.say("history").contains(secret))
        #expect(line.say("send startPlaying id=again").contains("ERR"))
        line.end()
    }

    @Test func `peers with different views of one change each get their own`() throws {
        let line = try Line()
        let operating = Onlooker(.everything, line)
        let playing = Onlooker(Rights(role: .observe), line)
        for peer in [operating, playing] {
            _ = try line.sessions.watch(.session(.main), .changes, by: peer)
        }
        _ = line.say("send displayHelp")
        #expect(operating.told.count == 1 && operating.told[0].contains(secret))
        #expect(playing.told.count == 1 && playing.told[0].contains(#""source":{"kind":"unix"}"#))
        line.end()
    }

    /// Writes down what it is told, in its own view.
    private final class Onlooker: Watcher {
        private(set) var told: [String] = []
        private let rights: Rights
        private let encoder: Encoder

        init(_ rights: Rights, _ line: Line) { (self.rights, encoder) = (rights, line.encoder) }

        func notify(_ notice: Notice) {
            let line = encoder.notification(notice, rights.view).line
            told.append(String(decoding: line, as: UTF8.self))
        }

        func ended(_ session: SessionName) {}
    }
}

/// Cursors: texts to go on from.
@Suite struct CursorTests {
    @Test func `a watch goes on behind a cursor`() throws {
        let line = try Line()
        guard case .string(let cursor)? = line.json("watch session=*")["cursor"] else {
            Issue.record("no cursor")
            return
        }
        _ = line.say("unwatch session=*")
        _ = line.say("send displayHelp")
        _ = line.say("send dismissHelp")
        _ = line.say("watch session=* since=\(cursor)")
        #expect(line.missed == [2, 3])
        _ = line.say("watch since=\(cursor)")
        #expect(line.missed == [2, 3])
        line.end()
    }

    @Test(arguments: ["c", "c-1", "c01", "x1", "c1 ", "c99999999999999999999", "\"\""])
    func `what is no cursor is refused`(_ text: String) throws {
        let line = try Line()
        #expect(line.say("watch since='\(text)'").hasPrefix("ERR invalidParams"))
        line.end()
    }

    @Test func `a cursor that is ahead of the present gets the present instead`() throws {
        let line = try Line()
        _ = line.say("watch session=* since=c1000")
        #expect(line.gaps == 1)
        line.end()
    }
}
