import GameFlow
import JSONCoding
import Sessions
import Testing

@testable import RPC

/// The delivery of a notification whose bytes all watchers share.
@Suite struct SubscriberTests {
    private let connection: TestConnection
    private let subscriber: Subscriber

    init() throws {
        connection = try TestConnection()
        subscriber = Subscriber(connection.sessions, connection.encoder)
    }

    private func notification(_ text: String, row: Int = 0) -> EncodedNotification {
        EncodedNotification("change", row: row) { $0.object([Member("text", text)]) }
    }

    /// Sends the only notification through a socket that has room for `room` bytes. Returns the sent text; nil if nothing was
    /// written.
    private func send(room: Int = .max) -> String? {
        var text: String?
        _ = subscriber.sendOnlyNotification { bytes in
            let sent = bytes.prefix(room)
            text = String(decoding: sent, as: UTF8.self)
            return sent.count
        }
        return text
    }

    /// The text that is sent from the outbox.
    private func rest() -> String {
        subscriber.fill(upTo: .max, for: .everything)
        return String(decoding: subscriber.outbox.takeSendableBytes(), as: UTF8.self)
    }

    private func line(_ text: String) -> String {
        #"{"jsonrpc":"2.0","method":"change","params":{"text":"\#(text)"}}"# + "\n"
    }

    @Test func `all watchers send the same bytes, which are not copied`() {
        let other = Subscriber(connection.sessions, connection.encoder)
        let shared = notification("a")
        var addresses: [UnsafeRawPointer?] = []
        for each in [subscriber, other] {
            each.add(shared)
            _ = each.sendOnlyNotification {
                addresses.append($0.baseAddress)
                return $0.count
            }
            #expect(!each.hasOutput)
            #expect(each.backlog == 0)
        }
        #expect(addresses.count == 2)
        #expect(addresses[0] == addresses[1])
        connection.end()
    }

    @Test(arguments: [1, 40])
    func `the bytes that the socket does not take are sent before later notifications`(_ room: Int)
    {
        subscriber.add(notification("a"))
        let beginning = send(room: room) ?? ""
        #expect(beginning.utf8.count == room)
        #expect(subscriber.outbox.unsent == line("a").utf8.count - room)
        subscriber.add(notification("b"))
        // The second notification may not overtake the rest of the first.
        #expect(send() == nil)
        #expect(beginning + rest() == line("a") + line("b"))
        #expect(!subscriber.hasOutput)
        connection.end()
    }

    @Test func `a notification that the socket does not take at all is kept`() {
        subscriber.add(notification("a"))
        #expect(subscriber.sendOnlyNotification { _ in -1 } == -1)
        #expect(subscriber.backlog == 0)
        #expect(rest() == line("a"))
        connection.end()
    }

    @Test func `replies, missed changes and other notifications are not overtaken`() throws {
        subscriber.outbox.write(line: Array("OK {}\n".utf8))
        subscriber.add(notification("a"))
        #expect(send() == nil)
        #expect(rest() == "OK {}\n" + line("a"))
        subscriber.add(notification("b"))
        subscriber.add(notification("c"))
        #expect(send() == nil)
        #expect(rest() == line("b") + line("c"))
        let watcher = TestConnection.Silent()
        let watched = try connection.sessions.watch(.session(.main), since: 0, by: watcher)
        subscriber.beginWatch(.session(.main), watched.missed, for: .everything)
        subscriber.add(notification("d"))
        #expect(send() == nil)
        let lines = rest()
        #expect(lines.hasPrefix(#"{"jsonrpc":"2.0","method":"change","params":{"session":"main""#))
        #expect(lines.hasSuffix(line("d")))
        connection.end()
    }

    @Test func `a notification waits for its row, and is then sent once`() {
        subscriber.add(notification("a", row: connection.sessions.durableRow + 1))
        #expect(send() == nil)
        #expect(subscriber.hasOutput)
        #expect(rest() == "")
        #expect(subscriber.waitsForDisk)
        subscriber.outbox.release(upTo: connection.sessions.durableRow + 1)
        #expect(rest() == line("a"))
        #expect(!subscriber.hasOutput)
        connection.end()
    }
}

extension TestConnection {
    /// A watcher that ignores its notifications.
    final class Silent: Watcher {
        func notify(_ notification: Notification) {}
        func ended(_ session: SessionName) {}
    }
}
