import Support

/// Finds the beginning and the end of each HTTP/1.1 request on a connection by RFC 9112, and passes on only well-formed
/// requests to the HTTP parser of libevent. In this file, a message is a request. `WebConnection` has one value of this type.
///
/// If a proxy and the daemon disagree about the end of a message, an attacker can smuggle a request past the proxy. libevent
/// accepts malformed messages whose end is doubtful, such as messages with `Content-Length : 5`, `Transfer-Encoding: xchunked`,
/// or chunk sizes like `+27`. Therefore libevent receives only the output of this type. In this output, every head is well
/// formed, and every chunk has the simplest form.
///
/// In place of a malformed head, the output has a simple valid request. If a message is malformed after its head, the output
/// ends the message there. In both cases libevent gets a complete request. So the error response gets its place in the order of
/// the responses. All bytes after a malformed message are dropped.
struct HTTPFraming {
    /// The number of messages whose heads are in the output, including the request in place of a malformed head.
    private(set) var messageCount = 0
    /// Why all further input is dropped; nil if no message was malformed.
    private(set) var failure: HTTPFramingError?
    /// The maximum length of a head or a trailer, in bytes.
    private let headLimit: Int
    /// The maximum length of a line with the size of a chunk, in bytes.
    private static let chunkLineLimit = 4096
    private var state = State.head
    /// The bytes of the present line so far; the end of the line has not arrived.
    private var line: [UInt8] = []
    /// The complete lines of the present head so far, each with CR LF.
    private var head: [UInt8] = []
    private var headParts = HeadParts()
    /// The length of the present head, trailer or chunk line so far, in bytes.
    private var limitedLength = 0

    /// Which part of a message the next byte belongs to.
    private enum State: Equatable {
        case head
        /// A body with a Content-Length, of which `left` bytes have not arrived.
        case body(left: Int)
        /// The line with the size of a chunk.
        case chunkSize
        /// The bytes of a chunk, of which `left` bytes have not arrived.
        case chunk(left: Int)
        /// After the bytes of a chunk, before their CR LF.
        case chunkEnd
        /// The lines after the last chunk.
        case trailer
        /// After a malformed message.
        case failed
    }

    /// The parts of a head that determine the end of the message.
    private struct HeadParts {
        /// The first line; nil if it has not arrived.
        var requestLine: [UInt8]?
        /// The values of the `Content-Length` headers.
        var contentLengths: [[UInt8]] = []
        /// The values of the `Transfer-Encoding` headers.
        var transferCodings: [[UInt8]] = []
    }

    init(headLimit: Int) { self.headLimit = headLimit }

    /// Whether a message has begun and is incomplete.
    var isInMessage: Bool {
        state != .head || !line.isEmpty || headParts.requestLine != nil
    }

    /// Processes received bytes. Returns the well-formed bytes to pass on to libevent.
    mutating func process(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var input = bytes[...]
        while !input.isEmpty, state != .failed {
            do throws(HTTPFramingError) { try step(&input, &output) } catch { fail(error, &output) }
        }
        return output
    }

    /// Removes the next part of a message from the input, and appends to the output what libevent gets for this part.
    private mutating func step(_ input: inout ArraySlice<UInt8>, _ output: inout [UInt8])
        throws(HTTPFramingError)
    {
        switch state {
        case .body(let left):
            let part = input.prefix(left)
            output += part
            input.removeFirst(part.count)
            state = part.count == left ? .head : .body(left: left - part.count)
        case .chunk(let left):
            let part = input.prefix(left)
            output += part
            input.removeFirst(part.count)
            state = part.count == left ? .chunkEnd : .chunk(left: left - part.count)
        case .head, .chunkSize, .chunkEnd, .trailer:
            guard let line = try nextLine(&input) else { return }
            try process(line: line, &output)
        case .failed: input = []
        }
    }

    /// The next line including its end; nil if it is incomplete.
    private mutating func nextLine(_ input: inout ArraySlice<UInt8>) throws(HTTPFramingError)
        -> [UInt8]?
    {
        let end = input.firstIndex(of: 0x0A)
        let part = end.map { input[input.startIndex...$0] } ?? input
        limitedLength += part.count
        let isHeadOrTrailer = state == .head || state == .trailer
        let limit = isHeadOrTrailer ? headLimit : Self.chunkLineLimit
        guard limitedLength <= limit else {
            let limitedPart =
                switch state {
                case .head: "the head"
                case .trailer: "the trailer"
                default: "the line with the size of a chunk"
                }
            throw HTTPFramingError(
                status: .badRequest, why: "\(limitedPart) is longer than \(limit) bytes")
        }
        line += part
        input = input[part.endIndex...]
        guard end != nil else { return nil }
        defer { line.removeAll(keepingCapacity: true) }
        return line
    }

    /// Processes a complete line, with its end.
    private mutating func process(line: [UInt8], _ output: inout [UInt8]) throws(HTTPFramingError) {
        switch state {
        case .head: try processHeadLine(line, &output)
        case .chunkSize:
            limitedLength = 0
            let size = try Self.chunkSize(line)
            if size == 0 {
                state = .trailer
            } else {
                output += Array(String(size, radix: 16).utf8) + [0x0D, 0x0A]
                state = .chunk(left: size)
            }
        case .chunkEnd:
            limitedLength = 0
            guard line == [0x0D, 0x0A] else {
                throw Self.malformed("a chunk is not followed by CR LF")
            }
            output += line
            state = .chunkSize
        case .trailer:
            guard let text = Self.withoutEnd(line) else { throw Self.malformed("a bare CR or LF") }
            if !text.isEmpty {
                _ = try Self.field(text)
                return
            }
            output += Array("0\r\n\r\n".utf8)
            beginMessage()
        case .body, .chunk, .failed: break
        }
    }

    /// Prepares for the head of the next message.
    private mutating func beginMessage() {
        (state, limitedLength, headParts) = (.head, 0, HeadParts())
        head.removeAll(keepingCapacity: true)
    }

    // MARK: the PROXY protocol

    /// Whether the first line of a message is the beginning of the PROXY protocol: the word PROXY in version 1. In version 2, the
    /// signature consists of an empty line, a zero byte and the word QUIT.
    private static func isProxyProtocol(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: "PROXY ".utf8) || line.elementsEqual([0])
    }

    private static let proxyProtocol = HTTPFramingError(
        status: .badRequest,
        why:
            "this is the PROXY protocol, which gamed does not read: let the proxy send plain HTTP with "
            + "X-Forwarded-For, and name it with --http-proxy")

    // MARK: heads

    /// Appends a line to `head`, with CR LF as its end; the received line may end with LF alone. Ends the head after an empty
    /// line.
    private mutating func processHeadLine(_ line: [UInt8], _ output: inout [UInt8])
        throws(HTTPFramingError)
    {
        let text = Self.withoutEnd(line) ?? line.dropLast()
        if headParts.requestLine == nil, Self.isProxyProtocol(text) { throw Self.proxyProtocol }
        guard !text.contains(where: { $0 == 0x0D || $0 == 0 }) else {
            throw Self.malformed("a bare CR or a NUL")
        }
        if headParts.requestLine == nil {
            // Empty lines before a request are ignored.
            if text.isEmpty {
                limitedLength = 0
                return
            }
            headParts.requestLine = Array(text)
            head += text + [0x0D, 0x0A]
            return
        }
        head += text + [0x0D, 0x0A]
        if text.isEmpty { return try endHead(&output) }
        let (name, value) = try Self.field(text)
        switch name {
        case "content-length": headParts.contentLengths.append(value)
        case "transfer-encoding": headParts.transferCodings.append(value)
        default: break
        }
    }

    /// Checks a complete head, and appends it to the output.
    private mutating func endHead(_ output: inout [UInt8]) throws(HTTPFramingError) {
        let nextState = try stateAfterHead()
        if needsLength {
            // Without a length, a request has no body (RFC 9112, section 6.3). libevent refuses such a POST, so it gets a length.
            output += head.dropLast(2) + Array("Content-Length: 0\r\n\r\n".utf8)
        } else {
            output += head
        }
        messageCount += 1
        beginMessage()
        state = nextState
    }

    /// The state after a complete head, by RFC 9112, section 6: it depends on the length of the body.
    private func stateAfterHead() throws(HTTPFramingError) -> State {
        let words = (headParts.requestLine ?? []).split(separator: 0x20).map {
            String(decoding: $0, as: UTF8.self)
        }
        let method = words.first ?? ""
        guard headParts.contentLengths.count + headParts.transferCodings.count <= 1 else {
            throw Self.malformed("expected one Content-Length or Transfer-Encoding")
        }
        if let coding = headParts.transferCodings.first {
            guard String(decoding: coding, as: UTF8.self).lowercased() == "chunked",
                words.last == "HTTP/1.1"
            else { throw Self.malformed("Transfer-Encoding: expected chunked, over HTTP/1.1") }
            guard Self.mayHaveBody(method) else {
                throw Self.malformed("\(method): must not have a body")
            }
            return .chunkSize
        }
        guard let text = headParts.contentLengths.first else { return .head }
        // The largest Int has 19 digits.
        guard 1...19 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }),
            let length = Int(String(decoding: text, as: UTF8.self))
        else { throw Self.malformed("Content-Length: expected digits") }
        guard length == 0 || Self.mayHaveBody(method) else {
            throw Self.malformed("\(method): must not have a body")
        }
        return length == 0 ? .head : .body(left: length)
    }

    /// Whether the head is that of a request without a length, whose method usually has a body. `curl -X POST` sends it.
    private var needsLength: Bool {
        guard headParts.contentLengths.isEmpty, headParts.transferCodings.isEmpty,
            let method = headParts.requestLine?.prefix(while: { $0 != 0x20 })
        else { return false }
        return ["POST", "PUT", "PATCH"].contains(String(decoding: method, as: UTF8.self))
    }

    /// Whether a request with this method may have a body. libevent would parse the body of a request with any other method as
    /// the next request.
    private static func mayHaveBody(_ method: String) -> Bool {
        ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].contains(method)
    }

    /// The name of a header line in lower case, and its value without surrounding blanks. Throws if the line is malformed.
    private static func field(_ line: ArraySlice<UInt8>) throws(HTTPFramingError) -> (
        name: String, value: [UInt8]
    ) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw malformed("invalid field name") }
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let value = line[(colon + 1)...].drop(while: isBlank)
        let end = value.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? value.startIndex
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return (name, Array(value[..<end]))
    }

    /// Whether a byte is allowed in a token, by RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    // MARK: chunks

    /// The size in the first line of a chunk: hexadecimal digits. Extensions after `;` are ignored.
    private static func chunkSize(_ line: [UInt8]) throws(HTTPFramingError) -> Int {
        guard let text = withoutEnd(line), !text.contains(0x0D) else {
            throw malformed("chunk size: has a bare CR or LF")
        }
        let digits = text.prefix { $0 != UInt8(ascii: ";") }
        // 13 digits are less than 2^52, and therefore fit an Int.
        guard 1...13 ~= digits.count, digits.allSatisfy(isHexDigit),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("chunk size: expected up to 13 hexadecimal digits") }
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw malformed("chunk extension: has control characters")
        }
        return size
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// A line without its CR LF; nil if the line does not end with CR LF.
    private static func withoutEnd(_ line: [UInt8]) -> ArraySlice<UInt8>? {
        line.suffix(2) == [0x0D, 0x0A] ? line.dropLast(2) : nil
    }

    // MARK: failure

    private static func malformed(_ why: String) -> HTTPFramingError {
        HTTPFramingError(status: .badRequest, why: why)
    }

    /// If a message is incomplete in the output, ends it there. If its head is not in the output, adds a valid request in its
    /// place.
    private mutating func fail(_ failure: HTTPFramingError, _ output: inout [UInt8]) {
        switch state {
        case .head:
            messageCount += 1
            output += Array("GET / HTTP/1.1\r\nConnection: close\r\n\r\n".utf8)
        case .chunkEnd: output += Array("\r\n0\r\n\r\n".utf8)
        case .chunkSize, .trailer: output += Array("0\r\n\r\n".utf8)
        case .body, .chunk, .failed: break
        }
        (self.failure, state) = (failure, .failed)
        (line, head, headParts) = ([], [], HeadParts())
    }
}

/// Why a message is malformed, and the status of the response.
struct HTTPFramingError: DescribedError, Equatable, Sendable {
    let status: WebStatus
    let why: String
}
