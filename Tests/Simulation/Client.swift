import GameFlow
import JournalTestSupport
import RPC
import Sessions

/// A client: what it sent and heard. It outlives the daemon's crashes; its connections do not.
final class Client {
    let number: Int
    private let fault: InjectedFault
    let source: Source
    private(set) var connection: Connected?
    /// What is still to be answered, in order.
    private(set) var awaited: [Awaited] = []
    /// What came and is no whole line yet.
    private var partial: [UInt8] = []
    /// Sends whose fate is not known: they are sent again with their ids.
    var doubtful: [SentRequest] = []
    /// Which change was seen last of each watched session, since its watch began.
    var seen: [String: Int] = [:]
    /// The sessions of whose watch nothing was told yet.
    var isFresh: [String: Int] = [:]

    /// The daemon's end of a connection.
    typealias Connected = TestCaller

    init(_ number: Int, _ fault: InjectedFault) {
        (self.number, self.fault) = (number, fault)
        source = Source(
            Source.Kind("unix"), peer: .process(pid: Int32(100 + number), uid: 1, gid: 1))
    }

    func connect(_ sessions: Sessions) {
        connection = Connected(source, sessions)
        (partial, seen) = ([], [:])
    }

    /// The connection is gone, and with it every answer that did not arrive.
    func disconnect() {
        for awaited in awaited {
            switch awaited {
            case .one(let question), .text(let question): doubt(question)
            case .batch(let questions): for question in questions { doubt(question) }
            }
        }
        (awaited, connection) = ([], nil)
    }

    private func doubt(_ question: SentRequest) {
        if question.id != nil { doubtful.append(question) }
    }

    /// Sends a line.
    func send(_ line: LineBuffer.Line, to conversation: ProtocolHandler) {
        connection?.answer(line, by: conversation, fault)
    }

    func await(_ awaited: Awaited) { self.awaited.append(awaited) }

    /// Takes so many of the bytes that may go out, and all lines that are whole then.
    func read(_ limit: Int) -> [[UInt8]] {
        guard let connection else { return [] }
        connection.fill(fault)
        var bytes: [UInt8] = []
        _ = connection.outbox.send {
            bytes = [UInt8]($0.prefix(limit))
            return bytes.count
        }
        connection.outbox.recycle()
        partial += bytes
        var lines: [[UInt8]] = []
        while let end = partial.firstIndex(of: 0x0A) {
            lines.append(Array(partial[..<end]))
            partial.removeSubrange(...end)
        }
        return lines
    }

    /// The answer to what was asked first has come.
    func answered() -> Awaited? { awaited.isEmpty ? nil : awaited.removeFirst() }
}
