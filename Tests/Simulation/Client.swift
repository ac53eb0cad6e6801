import GameFlow
import JournalTestSupport
import RPC
import Sessions

/// A client with its unanswered requests. The client outlives crashes of the daemon; its connections do not.
final class Client {
    /// Counts the clients from 1.
    let number: Int
    /// The mistake that is injected into the daemon, to show that the simulation finds it. Some of these mistakes release replies
    /// before their rows are durable.
    private let fault: InjectedFault
    let source: Source
    /// The connection; nil after a crash, until the next start.
    private(set) var connection: Connected?
    /// The replies that have not arrived yet, in the order of their requests.
    private(set) var expectedReplies: [ExpectedReply] = []
    /// The received bytes after the newest complete line.
    private var incompleteLine: [UInt8] = []
    /// The `send` requests that the client will send again with the same ids. They are the requests with an unknown outcome,
    /// and some requests that were reported as undone.
    var requestsToRepeat: [SentRequest] = []
    /// The `seq` of the newest received change of each watched session.
    var lastSeq: [String: Int] = [:]
    /// For each watched session, the entry that the answer to `watch` showed. This entry is remembered until the client
    /// receives a newer change of the session.
    var entryWhenWatched: [String: Int] = [:]

    /// The daemon's end of a connection.
    typealias Connected = TestCaller

    init(_ number: Int, _ fault: InjectedFault) {
        (self.number, self.fault) = (number, fault)
        source = Source(
            Source.Kind("unix"), peer: .process(pid: Int32(100 + number), uid: 1, gid: 1))
    }

    /// Connects to the sessions of a new run of the daemon.
    func connect(_ sessions: Sessions) {
        connection = Connected(source, sessions)
        (incompleteLine, lastSeq) = ([], [:])
    }

    /// Ends the connection. The replies that have not arrived are lost.
    func disconnect() {
        for reply in expectedReplies {
            switch reply {
            case .one(let request), .text(let request): repeatLater(request)
            case .batch(let requests): for request in requests { repeatLater(request) }
            }
        }
        (expectedReplies, connection) = ([], nil)
    }

    /// Requests without an id are not repeated, because they might be executed twice.
    private func repeatLater(_ request: SentRequest) {
        if request.id != nil { requestsToRepeat.append(request) }
    }

    /// Passes a line to the daemon, which writes its reply into the connection's outbox.
    func send(_ line: LineBuffer.Line, to handler: ProtocolHandler) {
        connection?.answer(line, by: handler, fault)
    }

    func expectReply(_ reply: ExpectedReply) { expectedReplies.append(reply) }

    /// Receives up to `limit` of the released bytes. Returns the lines that are complete.
    func read(_ limit: Int) -> [[UInt8]] {
        guard let connection else { return [] }
        // Moves the notifications that may be sent into the outbox.
        connection.fill(fault)
        var bytes: [UInt8] = []
        _ = connection.outbox.send {
            bytes = [UInt8]($0.prefix(limit))
            return bytes.count
        }
        connection.outbox.recycle()
        incompleteLine += bytes
        var lines: [[UInt8]] = []
        while let end = incompleteLine.firstIndex(of: 0x0A) {
            lines.append(Array(incompleteLine[..<end]))
            incompleteLine.removeSubrange(...end)
        }
        return lines
    }

    /// Removes the oldest expected reply, because it has arrived.
    func takeExpectedReply() -> ExpectedReply? {
        expectedReplies.isEmpty ? nil : expectedReplies.removeFirst()
    }
}
