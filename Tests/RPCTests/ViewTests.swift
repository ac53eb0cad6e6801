import GameFlow
import Sessions
import Testing
import Timers

@testable import RPC

/// What peers see that may not operate a session.
@Suite struct ViewTests {
    private let secret = #""peer":{"pid":1,"uid":2,"gid":3}"#

    @Test func `a peer that may only play gets no addresses in any reply`() throws {
        let line = try TestConnection()
        line.rights = Rights([Grant(.play)])
        for request in [
            "send displayHelp", "send startPlaying", "history",
            "watch topics=changes,refusals,beats",
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

    @Test func `only peers that may operate a session get its stuck mark`() throws {
        let line = try TestConnection()
        let session = try line.sessions.session(.main)
        let (operating, playing) = (
            Subscriber(line.sessions, line.encoder), Subscriber(line.sessions, line.encoder)
        )
        let listener = Listener { notification in
            operating.put(notification, for: .everything)
            playing.put(notification, for: Rights([Grant(.play)]))
        }
        _ = try line.sessions.watch(.all, .stuck, by: listener)
        line.sessions.markStuck(session)
        #expect((operating.count, playing.count) == (1, 0))
        for request in ["status", "list"] {
            line.rights = Rights([Grant(.play)])
            #expect(!line.say(request).contains("stuck"))
            line.rights = .everything
            #expect(line.say(request).contains(#""stuck":true"#))
        }
        // The mark is about one entry.
        #expect(!line.say("goto introduction").contains("ERR"))
        #expect(!line.say("status").contains("stuck"))
        line.end()
    }

    /// Passes each notification on.
    private final class Listener: Watcher {
        private let take: (Notification) -> Void
        init(_ take: @escaping (Notification) -> Void) { self.take = take }
        func notify(_ notification: Notification) { take(notification) }
        func ended(_ session: SessionName) {}
    }

    @Test func `peers with different views of a change each get their own`() throws {
        let line = try TestConnection()
        let operating = Onlooker(.everything, line)
        let playing = Onlooker(Rights([Grant(.observe)]), line)
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

        init(_ rights: Rights, _ line: TestConnection) {
            (self.rights, encoder) = (rights, line.encoder)
        }

        func notify(_ notification: Notification) {
            let line = encoder.encode(notification, rights.view).line
            told.append(String(decoding: line, as: UTF8.self))
        }

        func ended(_ session: SessionName) {}
    }
}
