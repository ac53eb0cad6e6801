import Durability
import Journal
import JournalTestSupport
import RPC
import Sessions
import Testing
import Timers

/// Replies and notifications are delayed until the changes that they show are durable.
@Suite struct ReplyDelayTests {
    private let fixture = DurabilityFixture()
    private let ann: DurabilityFixture.Client
    private let bob: DurabilityFixture.Client

    init() {
        (ann, bob) = (fixture.client(), fixture.client())
        for name in ["main", "other"] {
            fixture.request("open session=\(name) flow=game", from: ann)
        }
        fixture.store.commit()
        _ = fixture.received(by: ann)
    }

    /// The first characters of each line that a client has received. For an error: `ERR` and the name of the error.
    private func beginnings(_ client: DurabilityFixture.Client) -> [String] {
        fixture.received(by: client).map { line in
            let head = line.split(separator: " ").prefix(2).joined(separator: " ")
            return line.hasPrefix("ERR") ? head : String(line.prefix(14))
        }
    }

    @Test func `a reply waits until the changes it shows are durable`() {
        fixture.request("send displayHelp", from: ann)
        #expect(fixture.received(by: ann) == [])
        fixture.store.commit()
        #expect(fixture.received(by: ann).count == 1)
        fixture.end()
    }

    @Test func `a watcher gets no byte of a change before the change is durable`() {
        fixture.request("watch", from: bob)
        _ = fixture.received(by: bob)
        fixture.request("send displayHelp", from: ann)
        var lines: [String] = []
        func send() {
            _ = bob.subscriber.sendOnlyNotification {
                lines.append(String(decoding: $0, as: UTF8.self))
                return $0.count
            }
        }
        send()
        #expect(lines == [])
        fixture.store.commit()
        send()
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix(#"{"jsonrpc":"2.0","method":"change""#) == true)
        #expect(fixture.received(by: bob) == [])
        fixture.end()
    }

    @Test func `other requests for the session wait too, and are answered after the commit`() {
        fixture.request("send displayHelp", from: ann)
        for line in [
            "status", "send startPlaying", "list", "status session=nobody", "open session=main",
        ] {
            fixture.request(line, from: bob)
        }
        #expect(fixture.received(by: bob) == [])
        fixture.store.commit()
        #expect(
            beginnings(bob) == [
                "OK {\"session\":", "ERR noTransition", "OK {\"sessions\"", "ERR unknownSession",
                "ERR exists",
            ])
        fixture.end()
    }

    @Test func `requests for other sessions or for none are not delayed`() {
        fixture.request("send displayHelp", from: ann)
        for line in ["ping", "hello", "describe", "graph", "status session=other"] {
            fixture.request(line, from: bob)
        }
        #expect(fixture.received(by: bob).count == 5)
        fixture.end()
    }

    @Test func `the replies on a connection keep their order`() {
        fixture.request("send displayHelp", from: ann)
        fixture.request("ping", from: ann)
        #expect(fixture.received(by: ann) == [])
        fixture.store.commit()
        #expect(beginnings(ann) == ["OK {\"session\":", "OK {\"pong\":tru"])
        fixture.end()
    }

    @Test func `notifications wait, and follow the reply to the request that caused them`() {
        fixture.request("watch topics=changes,beats,refusals", from: ann)
        fixture.request("watch topics=changes,beats,refusals", from: bob)
        _ = (fixture.received(by: ann), fixture.received(by: bob))
        fixture.request("send displayHelp", from: ann)
        fixture.request("send displayHelp", from: ann)
        #expect(fixture.received(by: ann) == [] && fixture.received(by: bob) == [])
        fixture.store.commit()
        let lines = fixture.received(by: ann)
        #expect(lines.map { String($0.prefix(5)) } == ["OK {\"", "{\"jso", "ERR n", "{\"jso"])
        #expect(fixture.received(by: bob).count == 2)
        fixture.end()
    }

    @Test func `a beat waits for the preceding change`() {
        fixture.request("goto playingLevel episode=1 level=1", from: ann)
        fixture.store.commit()
        fixture.request("watch topics=beats", from: bob)
        _ = (fixture.received(by: ann), fixture.received(by: bob))
        fixture.request("timer timeUp extend by=5s", from: ann)
        fixture.time.advance(by: .seconds(1))
        #expect(fixture.received(by: bob) == [])
        fixture.store.commit()
        #expect(fixture.received(by: bob).count == 1)
        fixture.time.advance(by: .seconds(1))
        #expect(fixture.received(by: bob).count == 1)
        fixture.end()
    }

    @Test func `in a JSON-RPC batch only the affected replies wait, and the line stays complete`() {
        fixture.request("send displayHelp", from: ann)
        fixture.request(
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"status"},"#
                + #"{"jsonrpc":"2.0","id":3,"method":"ping"}]"#, from: bob)
        let beforeRecovery = String(decoding: bob.outbox.takeSendableBytes(), as: UTF8.self)
        #expect(beforeRecovery == #"[{"jsonrpc":"2.0","id":1,"result":{"pong":true}}"#)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        let afterRecovery = String(decoding: bob.outbox.takeSendableBytes(), as: UTF8.self)
        #expect(
            afterRecovery
                == #",{"jsonrpc":"2.0","id":2,"error":{"code":12,"message":"storage","data":"#
                + #"{"why":"disk I/O error","outcome":"undone"}}},"#
                + #"{"jsonrpc":"2.0","id":3,"result":{"pong":true}}]"# + "\n")
        fixture.end()
    }

    @Test func `while a commit is pending, each turn passes its rows to the store as one batch`() {
        for number in 0..<5 {
            fixture.request("send \(number % 2 == 0 ? "displayHelp" : "dismissHelp")", from: ann)
        }
        #expect(fixture.store.batches.map(\.rows.count) == [1, 1, 1, 1, 1])
        fixture.store.commit()
        #expect(fixture.received(by: ann).count == 5)
        // The rows 1 and 2 record the sessions that `init` opened.
        #expect(fixture.store.rows.map(\.position) == Array(1...7))
        fixture.end()
    }

    @Test func `with too many changes that are not durable, the group commit is full`() {
        for number in 0..<GroupCommit.uncommittedLimit {
            fixture.request("send \(number % 2 == 0 ? "displayHelp" : "dismissHelp")", from: ann)
        }
        #expect(!fixture.groupCommit.isFull)
        fixture.request("send displayHelp", from: ann)
        #expect(fixture.groupCommit.isFull)
        fixture.store.commit()
        #expect(!fixture.groupCommit.isFull && fixture.groupCommit.isIdle)
        fixture.end()
    }

    @Test func `the reply to a history request contains all earlier requests, also refused ones`() {
        fixture.request("send displayHelp", from: ann)
        fixture.store.commit()
        fixture.request("send displayHelp", from: ann)
        fixture.request("history limit=2", from: ann)
        let lines = fixture.received(by: ann)
        #expect(lines.count == 3)
        #expect(lines[2].contains(#""kind":"refused""#) && lines[2].contains(#""seq":2,"pos":3"#))
        fixture.end()
    }

    @Test func `virtual time is not shown before it is durable`() {
        fixture.request("advance 10s", from: ann)
        fixture.request("status session=other", from: bob)
        #expect(fixture.received(by: bob) == [])
        fixture.store.commit()
        #expect(fixture.received(by: bob).count == 1)
        fixture.end()
    }
}
