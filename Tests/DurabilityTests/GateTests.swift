import Durability
import Journal
import JournalTestSupport
import RPC
import Sessions
import Testing
import Timers

/// Who has to wait for the disk, and for what.
@Suite struct GateTests {
    private let desk = DurabilityFixture()
    private let ann: DurabilityFixture.Client
    private let bob: DurabilityFixture.Client

    init() {
        (ann, bob) = (desk.client(), desk.client())
        for name in ["main", "other"] { desk.say("open session=\(name) flow=game", ann) }
        desk.store.commit()
        _ = desk.heard(ann)
    }

    /// The beginnings of what was heard.
    private func heard(_ client: DurabilityFixture.Client) -> [String] {
        desk.heard(client).map { line in
            let head = line.split(separator: " ").prefix(2).joined(separator: " ")
            return line.hasPrefix("ERR") ? head : String(line.prefix(14))
        }
    }

    @Test func `a reply waits until the changes it shows are durable`() {
        desk.say("send displayHelp", ann)
        #expect(desk.heard(ann) == [])
        desk.store.commit()
        #expect(desk.heard(ann).count == 1)
        desk.end()
    }

    @Test func `other requests for the session wait too, and are refused if the commit fails`() {
        desk.say("send displayHelp", ann)
        for line in [
            "status", "send startPlaying", "list", "status session=nobody", "open session=main",
        ] {
            desk.say(line, bob)
        }
        #expect(desk.heard(bob) == [])
        desk.store.commit()
        #expect(
            heard(bob) == [
                "OK {\"session\":", "ERR noTransition", "OK {\"sessions\"", "ERR unknownSession",
                "ERR exists",
            ])
        desk.end()
    }

    @Test func `requests for other sessions or for none are not delayed`() {
        desk.say("send displayHelp", ann)
        for line in ["ping", "hello", "describe", "graph", "status session=other"] {
            desk.say(line, bob)
        }
        #expect(desk.heard(bob).count == 5)
        desk.end()
    }

    @Test func `the replies on a connection keep their order`() {
        desk.say("send displayHelp", ann)
        desk.say("ping", ann)
        #expect(desk.heard(ann) == [])
        desk.store.commit()
        #expect(heard(ann) == ["OK {\"session\":", "OK {\"pong\":tru"])
        desk.end()
    }

    @Test func `notifications wait, and follow the reply that caused them`() {
        desk.say("watch topics=changes,beats,refusals", ann)
        desk.say("watch topics=changes,beats,refusals", bob)
        _ = (desk.heard(ann), desk.heard(bob))
        desk.say("send displayHelp", ann)
        desk.say("send displayHelp", ann)
        #expect(desk.heard(ann) == [] && desk.heard(bob) == [])
        desk.store.commit()
        let told = desk.heard(ann)
        #expect(told.map { String($0.prefix(5)) } == ["OK {\"", "{\"jso", "ERR n", "{\"jso"])
        #expect(desk.heard(bob).count == 2)
        desk.end()
    }

    @Test func `a beat waits for the preceding change`() {
        desk.say("goto playingLevel episode=1 level=1", ann)
        desk.store.commit()
        desk.say("watch topics=beats", bob)
        _ = (desk.heard(ann), desk.heard(bob))
        desk.say("timer timeUp extend by=5s", ann)
        desk.time.advance(by: .seconds(1))
        #expect(desk.heard(bob) == [])
        desk.store.commit()
        #expect(desk.heard(bob).count == 1)
        desk.time.advance(by: .seconds(1))
        #expect(desk.heard(bob).count == 1)
        desk.end()
    }

    @Test func `in a batch only the affected replies wait, and the line stays complete`() {
        desk.say("send displayHelp", ann)
        desk.say(
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"status"},"#
                + #"{"jsonrpc":"2.0","id":3,"method":"ping"}]"#, bob)
        let first = String(decoding: bob.outbox.take(), as: UTF8.self)
        #expect(first == #"[{"jsonrpc":"2.0","id":1,"result":{"pong":true}}"#)
        desk.store.fail()
        desk.store.recover(true)
        let rest = String(decoding: bob.outbox.take(), as: UTF8.self)
        #expect(
            rest == #",{"jsonrpc":"2.0","id":2,"error":{"code":12,"message":"storage","data":"#
                + #"{"why":"disk I/O error","outcome":"undone"}}},"#
                + #"{"jsonrpc":"2.0","id":3,"result":{"pong":true}}]"# + "\n")
        desk.end()
    }

    @Test func `rows that are appended during a commit are passed on at the end of each turn`() {
        for number in 0..<5 {
            desk.say("send \(number % 2 == 0 ? "displayHelp" : "dismissHelp")", ann)
        }
        #expect(desk.store.batches.map(\.rows.count) == [1, 1, 1, 1, 1])
        desk.store.commit()
        #expect(desk.heard(ann).count == 5)
        #expect(desk.store.rows.map(\.position) == Array(1...7))
        desk.end()
    }

    @Test func `with too many changes that are not durable, no more requests are accepted`() {
        for number in 0..<GroupCommit.limit {
            desk.say("send \(number % 2 == 0 ? "displayHelp" : "dismissHelp")", ann)
        }
        #expect(!desk.keeper.isFull)
        desk.say("send displayHelp", ann)
        #expect(desk.keeper.isFull)
        desk.store.commit()
        #expect(!desk.keeper.isFull && desk.keeper.isIdle)
        desk.end()
    }

    @Test func `a history request includes all earlier requests`() {
        desk.say("send displayHelp", ann)
        desk.store.commit()
        desk.say("send displayHelp", ann)
        desk.say("history limit=2", ann)
        let lines = desk.heard(ann)
        #expect(lines.count == 3)
        #expect(lines[2].contains(#""kind":"refused""#) && lines[2].contains(#""seq":2,"pos":3"#))
        desk.end()
    }

    @Test func `virtual time is not shown before it is durable`() {
        desk.say("advance 10s", ann)
        desk.say("status session=other", bob)
        #expect(desk.heard(bob) == [])
        desk.store.commit()
        #expect(desk.heard(bob).count == 1)
        desk.end()
    }
}
