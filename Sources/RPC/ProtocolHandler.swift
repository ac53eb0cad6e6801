internal import JSON
public import Sessions

/// Answers a peer's lines, each in its own dialect. One for all conversations of a loop: between two
/// lines it remembers nothing but memory to read into.
public final class ProtocolHandler {
    private let dispatcher: Dispatcher
    private let json: JSONDialect
    private let text: TextDialect
    /// Writes what peers are told: one for all of them, so that a change is written once for each view.
    public let encoder: Encoder

    public init(_ dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        json = JSONDialect(dispatcher)
        text = TextDialect(dispatcher)
        encoder = dispatcher.encoder
    }

    /// Shows other limits of the server from now on.
    public func show(limits: [(name: String, limit: Int)]) {
        dispatcher.identity.limits = limits
    }

    /// Answers one line: nothing, or one line in the peer's outbox.
    public func answer(_ line: LineBuffer.Line, from peer: any Caller) {
        let outbox = peer.outbox
        switch line {
        case .line(let bytes): answer(bytes, peer, outbox)
        case .tooLong(let beginning):
            let error = CallError.refused(.limit(which: "lineBytes", limit: LineBuffer.limit))
            // Nothing but blanks so far is no dialect's, but a line too long all the same.
            if beginning.isEmpty {
                text.refuse(error, &outbox.writer)
            } else {
                refuse(beginning, error, &outbox.writer)
            }
        }
    }

    /// Answers a message of JSON-RPC, or a batch of them, that came as a whole. Deferred results are fetched
    /// when the caller calls `fetch`, so that it knows the outcome before they change it.
    public func answerJSON(_ message: ArraySlice<UInt8>, from peer: any Caller) -> MessageOutcome {
        json.answer(message, peer, peer.outbox)
    }

    /// Answers what came last and has no end: whoever sent it may have died in the middle of it, so
    /// it is not carried out.
    public func answerUnfinished(_ bytes: ArraySlice<UInt8>, to outbox: ReplyBuffer) {
        refuse(bytes, .parseError("the last line has no end"), &outbox.writer)
    }

    /// A line for somebody who is turned away before anything was said.
    public func refusal(_ error: RequestError) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.reply(refusing: .refused(error))
        writer.newline()
        return writer.bytes
    }

    private func answer(_ line: ArraySlice<UInt8>, _ peer: any Caller, _ outbox: ReplyBuffer) {
        switch Dialect(of: line) {
        case .none: return
        case .json: _ = json.answer(line, peer, outbox)
        case .text: text.answer(line, peer, outbox)
        case .help: text.answerHelp(peer, &outbox.writer)
        case .unknown: text.refuse(.parseError(""), &outbox.writer)
        }
        outbox.fetch(for: peer)
    }

    private func refuse(
        _ line: ArraySlice<UInt8>, _ error: CallError, _ writer: inout JSONWriter
    ) {
        switch Dialect(of: line) {
        case .none: return
        case .json: _ = json.refuse(error, &writer)
        case .text, .help, .unknown: text.refuse(error, &writer)
        }
    }
}

/// What a line's first byte that is no blank makes of it.
enum Dialect {
    /// A blank line, or a comment.
    case none
    case json, text, help, unknown

    init(of line: ArraySlice<UInt8>) {
        guard let first = line.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else {
            self = .none
            return
        }
        switch first {
        case UInt8(ascii: "#"): self = .none
        case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            self = .text
        case UInt8(ascii: "?"): self = .help
        default: self = .unknown
        }
    }
}
