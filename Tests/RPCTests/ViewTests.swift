import GameFlow
import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

/// The view of peers that may not operate a session.
@Suite struct ViewTests {
    private let senderIdentity = #""peer":{"pid":1,"uid":2,"gid":3}"#

    @Test func `a peer that may only play gets no sender's identity in replies and notifications`()
        throws
    {
        let connection = try TestConnection()
        connection.rights = Rights([Grant(.play)])
        for request in [
            "send displayHelp", "send startPlaying", "history",
            "watch topics=changes,refusals,beats",
            "send dismissHelp", "send nosuch", "status",
        ] {
            let answer = connection.reply(to: request)
            #expect(!answer.contains("\"peer\""), "\(request): \(answer)")
        }
        #expect(!connection.notifications.isEmpty)
        for notification in connection.notifications {
            #expect(!notification.contains("\"peer\""), "\(notification)")
        }
        connection.rights = .everything
        #expect(connection.reply(to: "history").contains(senderIdentity))
        connection.end()
    }

    @Test func `only peers that may operate a session get its stuck mark`() throws {
        let connection = try TestConnection()
        let session = try connection.sessions.session(.main)
        let (operating, playing) = (
            Subscriber(connection.sessions, connection.encoder),
            Subscriber(connection.sessions, connection.encoder)
        )
        let watcher = CallbackWatcher { notification in
            operating.add(notification, for: .everything)
            playing.add(notification, for: Rights([Grant(.play)]))
        }
        _ = try connection.sessions.watch(.all, .stuck, by: watcher)
        connection.sessions.markStuck(session)
        #expect((operating.count, playing.count) == (1, 0))
        for request in ["status", "list"] {
            connection.rights = Rights([Grant(.play)])
            #expect(!connection.reply(to: request).contains("stuck"))
            connection.rights = .everything
            #expect(connection.reply(to: request).contains(#""stuck":true"#))
        }
        // The mark belongs to one entry: it ends when the session enters another state.
        #expect(!connection.reply(to: "goto introduction").contains("ERR"))
        #expect(!connection.reply(to: "status").contains("stuck"))
        connection.end()
    }

    @Test func `only peers that may operate a session see that the text of an effect is missing`() {
        let effect = EffectRecord(
            name: "say", arguments: [Member("text", .null), Member("for", "5s")])
        func text(_ view: SessionView) -> String {
            let state = StateRecord("a")
            let step = Step(
                .keep, EventRecord("go"), from: .program, state, state, effects: [effect])
            let change = Change(
                .main, seq: 2, pos: 2, entry: 1, previous: 1, at: .zero, step, view: nil)
            let bytes = JSONWriter.bytes { Encoder().write(change, view, to: &$0) }
            return String(decoding: bytes, as: UTF8.self)
        }
        let arguments = #"{"name":"say","args":{"for":"5s"},"#
        #expect(text(.full).contains(arguments + #""unshown":["text"],"entry":1}"#))
        #expect(text(.limited).contains(arguments + #""entry":1}"#))
    }

    /// Calls a closure for each notification.
    private final class CallbackWatcher: Watcher {
        private let onNotification: (Notification) -> Void
        init(_ onNotification: @escaping (Notification) -> Void) {
            self.onNotification = onNotification
        }
        func notify(_ notification: Notification) { onNotification(notification) }
        func ended(_ session: SessionName) {}
    }

    @Test func `each peer gets a change in its own view`() throws {
        let connection = try TestConnection()
        let operating = RecordingWatcher(.everything, connection)
        let observing = RecordingWatcher(Rights([Grant(.observe)]), connection)
        for peer in [operating, observing] {
            _ = try connection.sessions.watch(.session(.main), .changes, by: peer)
        }
        _ = connection.reply(to: "send displayHelp")
        #expect(
            operating.notifications.count == 1
                && operating.notifications[0].contains(senderIdentity))
        #expect(
            observing.notifications.count == 1
                && observing.notifications[0].contains(#""source":{"kind":"unix"}"#))
        connection.end()
    }

    /// Records its notifications, in the view of its rights.
    private final class RecordingWatcher: Watcher {
        private(set) var notifications: [String] = []
        private let rights: Rights
        private let encoder: Encoder

        init(_ rights: Rights, _ connection: TestConnection) {
            (self.rights, encoder) = (rights, connection.encoder)
        }

        func notify(_ notification: Notification) {
            let line = encoder.encode(notification, rights.view).line
            notifications.append(String(decoding: line, as: UTF8.self))
        }

        func ended(_ session: SessionName) {}
    }
}
