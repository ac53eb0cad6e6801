import Glibc
import Support

/// Reads the requests of an HTTP/1.1 connection by RFC 9112, from bytes that arrive in pieces of any size. `HTTPConnection` has one
/// value of this type.
///
/// If a proxy and the daemon disagree about the end of a request, an attacker can smuggle a request past the proxy. Therefore a
/// request whose end is doubtful is an error: for example one with `Content-Length : 5`, `Transfer-Encoding: xchunked`, or chunk
/// sizes like `+27`. After an error, nothing further is read.
///
/// The bytes of a request stay where they have arrived. Only the chunks of a body are moved together.
package struct RequestReader {
    /// The head of the present request; complete as soon as a body is expected or the request is complete.
    package private(set) var head = RequestHead()
    /// Whether the client waits for the answer `100 Continue` before it sends the body, and none of the body has arrived.
    package private(set) var awaitsContinue = false
    /// Whether the body of the request that `read` has completed is longer than the limit. The body is then empty, and nothing further
    /// can be read, because the end of the request is not known. The head is checked before its length is: it is complete.
    package private(set) var isBodyTooLong = false
    /// The maximum length of a head or a trailer, and of a body, in bytes.
    private let headLimit, bodyLimit: Int
    /// The maximum length of a line with the size of a chunk, in bytes.
    private static let chunkLineLimit = 4096
    /// The capacity in bytes, and the number of headers, that a request may keep until the next one, so that an idle connection uses
    /// little memory.
    private static let (idleCapacity, idleFields) = (4096, 64)
    private var state = State.requestLine
    /// The index of the first byte that was not read.
    private var position = 0
    /// The place of the first line.
    private var requestLine = 0..<0
    /// The place of the body: of the chunks so far that were moved together, if it has chunks.
    private var bodyRange = 0..<0
    /// The length of the complete lines so far of the present head, trailer or chunk line, in bytes.
    private var limitedLength = 0
    /// The values of the `Content-Length` and `Transfer-Encoding` headers, and how many there are.
    private var (contentLength, transferCoding): (Range<Int>?, Range<Int>?)
    private var lengthCount = 0

    /// Which part of a request the next byte belongs to.
    private enum State: Equatable {
        case requestLine, fields
        /// A body of `count` bytes, which has not arrived completely.
        case body(count: Int)
        /// The line with the size of a chunk.
        case chunkSize
        /// The bytes of a chunk, of which `left` bytes have not arrived.
        case chunk(left: Int)
        /// After the bytes of a chunk, before their CR LF.
        case chunkEnd
        /// The lines after the last chunk.
        case trailer
        /// The request has arrived completely. Its bytes stay until the next one is read.
        case complete
    }

    package init(headLimit: Int, bodyLimit: Int) {
        (self.headLimit, self.bodyLimit) = (headLimit, bodyLimit)
    }

    /// The body of the request that `read` has completed.
    package var body: ArraySlice<UInt8> { head.bytes[bodyRange] }
    /// Whether bytes have arrived that were not read.
    package var hasUnreadBytes: Bool { position < head.bytes.count }
    /// Whether a request has begun and is incomplete.
    package var isInRequest: Bool { hasUnreadBytes || state != .requestLine && state != .complete }

    /// Adds bytes that have arrived.
    package mutating func append(_ received: UnsafeRawBufferPointer) {
        head.bytes.append(contentsOf: received)
    }

    /// Reads what has arrived, up to the end of the request. Returns whether the request is complete. If the previous request was
    /// complete, begins the next one.
    package mutating func read() throws(HTTPFramingError) -> Bool {
        if state == .complete { removeRequest() }
        while state != .complete {
            switch state {
            case .body(let count):
                guard head.bytes.count - position >= count else { return false }
                bodyRange = position..<position + count
                position += count
                state = .complete
            case .chunk(let left):
                guard hasUnreadBytes else { return dropReadBytes() }
                moveChunk(left)
            case .requestLine, .fields, .chunkSize, .chunkEnd, .trailer, .complete:
                guard let line = try nextLine() else { return dropReadBytes() }
                try process(line)
            }
        }
        return true
    }

    /// Frees the memory of a complete request that was long, unless further requests have arrived.
    package mutating func freeLongRequest() {
        guard state == .complete, !hasUnreadBytes,
            head.bytes.capacity > Self.idleCapacity || head.fields.capacity > Self.idleFields
        else { return }
        removeRequest()
        head = RequestHead()
    }

    /// Removes a complete request. The bytes of requests that have arrived together are removed after the last of them.
    private mutating func removeRequest() {
        (state, limitedLength, lengthCount) = (.requestLine, 0, 0)
        (contentLength, transferCoding) = (nil, nil)
        bodyRange = 0..<0
        head.fields.removeAll(keepingCapacity: true)
        (head.method, head.isVersion10, head.targetHostRange) = (.get, false, nil)
        guard !hasUnreadBytes else { return }
        head.bytes.removeAll(keepingCapacity: true)
        position = 0
    }

    // MARK: lines

    /// The place of the next line including its end; nil if it is incomplete.
    private mutating func nextLine() throws(HTTPFramingError) -> Range<Int>? {
        let start = position
        let end = find(0x0A, in: start..<head.bytes.count).map { $0 + 1 }
        let count = (end ?? head.bytes.count) - start
        let (name, limit, limitName): (String, Int, String?) =
            switch state {
            case .trailer: ("the trailer", headLimit, "headerBytes")
            case .chunkSize, .chunkEnd:
                ("the line with the size of a chunk", Self.chunkLineLimit, nil)
            default: ("the head", headLimit, "headerBytes")
            }
        guard limitedLength + count <= limit else {
            throw HTTPFramingError(
                status: .badRequest, why: "\(name) is longer than \(limit) bytes",
                limit: limitName)
        }
        guard let end else { return nil }
        limitedLength += count
        position = end
        return start..<end
    }

    /// Processes a complete line, with its end.
    private mutating func process(_ line: Range<Int>) throws(HTTPFramingError) {
        let strictText = withoutEnd(line)
        switch state {
        case .requestLine, .fields:
            // Lines of a head may end with LF alone.
            try processHeadLine(strictText ?? line.dropLast())
        case .chunkSize:
            limitedLength = 0
            let size = try chunkSize(strictText)
            state = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            limitedLength = 0
            guard strictText?.isEmpty == true else {
                throw Self.malformed("a chunk is not followed by CR LF")
            }
            state = .chunkSize
        case .trailer:
            guard let text = strictText else { throw Self.malformed("a bare CR or LF") }
            if text.isEmpty { state = .complete } else { _ = try field(text) }
        case .body, .chunk, .complete: break
        }
    }

    /// The place of a line without its CR LF; nil if the line does not end with CR LF.
    private func withoutEnd(_ line: Range<Int>) -> Range<Int>? {
        line.count >= 2 && head.bytes[line.upperBound - 2] == 0x0D ? line.dropLast(2) : nil
    }

    // MARK: heads

    private mutating func processHeadLine(_ text: Range<Int>) throws(HTTPFramingError) {
        if state == .fields {
            if text.isEmpty { return try endHead() }
            let field = try field(text)
            return note(field)
        }
        if isProxyProtocol(text) { throw Self.proxyProtocol }
        try refuseControl(in: text)
        // Empty lines before a request are ignored.
        guard !text.isEmpty else {
            limitedLength = 0
            return
        }
        (requestLine, state) = (text, .fields)
    }

    /// Whether the first line of a request is the beginning of the PROXY protocol: the word PROXY in version 1. In version 2, the
    /// signature consists of an empty line, a zero byte and the word QUIT.
    private func isProxyProtocol(_ line: Range<Int>) -> Bool {
        "PROXY " ~= head.bytes[line].prefix(6)
            || line.count == 1 && head.bytes[line.lowerBound] == 0
    }

    private static let proxyProtocol = malformed(
        "this is the PROXY protocol, which gamed does not read: let the proxy send plain HTTP with "
            + "X-Forwarded-For, and name it with --http-proxy")

    private func refuseControl(in text: Range<Int>) throws(HTTPFramingError) {
        if find(0x0D, in: text) != nil || find(0, in: text) != nil {
            throw Self.malformed("a bare CR or a NUL")
        }
    }

    /// The places of a header's name and of its value without surrounding blanks. Throws if the line is malformed.
    private func field(_ line: Range<Int>) throws(HTTPFramingError) -> RequestHead.HeaderField {
        try refuseControl(in: line)
        let bytes = head.bytes
        var colon = line.lowerBound
        while colon < line.upperBound, Self.isTokenByte(bytes[colon]) { colon += 1 }
        guard colon > line.lowerBound, colon < line.upperBound, bytes[colon] == UInt8(ascii: ":")
        else { throw Self.malformed("invalid field name") }
        var (start, end) = (colon + 1, line.upperBound)
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while start < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
        return RequestHead.HeaderField(name: line.lowerBound..<colon, value: start..<end)
    }

    /// Adds a header, and notes the value if it says where the request ends.
    private mutating func note(_ field: RequestHead.HeaderField) {
        head.fields.append(field)
        switch field.name.count {
        case 14 where head.bytes.hasWord("content-length", at: field.name.lowerBound):
            contentLength = field.value
        case 17 where head.bytes.hasWord("transfer-encoding", at: field.name.lowerBound):
            transferCoding = field.value
        default: return
        }
        lengthCount += 1
    }

    /// Reads the first line and what the headers say about the body, by RFC 9112, section 6.
    private mutating func endHead() throws(HTTPFramingError) {
        limitedLength = 0
        while head.bytes[requestLine.upperBound - 1] == 0x20, requestLine.count > 1 {
            requestLine = requestLine.dropLast()
        }
        let line = head.bytes[requestLine]
        let methodText = line.prefix { $0 != 0x20 }
        let version = line.suffix(from: line.lastIndex(of: 0x20).map { $0 + 1 } ?? line.startIndex)
        let method = HTTPMethod(methodText)
        func refuseBody() throws(HTTPFramingError) {
            guard method?.mayHaveBody != true else { return }
            throw Self.malformed(
                "\(String(decoding: methodText, as: UTF8.self)): must not have a body")
        }
        guard lengthCount <= 1 else {
            throw Self.malformed("expected one Content-Length or Transfer-Encoding")
        }
        var length: Int? = 0
        if let coding = transferCoding {
            guard coding.count == 7, head.bytes.hasWord("chunked", at: coding.lowerBound),
                "HTTP/1.1" ~= version
            else { throw Self.malformed("Transfer-Encoding: expected chunked, over HTTP/1.1") }
            length = nil
        } else if let text = contentLength {
            length = try number(head.bytes[text])
        }
        if length != 0 { try refuseBody() }
        // Between the method and the version there is a target. It may contain spaces: no path that the daemon serves has any.
        let target = methodText.endIndex + 1..<max(methodText.endIndex + 1, version.startIndex - 1)
        guard version.count == 8, "HTTP/1." ~= version.prefix(7), let minor = version.last,
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= minor, !target.isEmpty
        else { throw Self.malformed("the first line is not that of a request of HTTP/1.1") }
        guard setTarget(target, isAuthority: method == .connect) else {
            throw Self.malformed("the target of the request is not a URL or a path")
        }
        guard let method else {
            throw HTTPFramingError(status: .notImplemented, why: "this method does not exist here")
        }
        (head.method, head.isVersion10) = (method, minor == UInt8(ascii: "0"))
        try beginBody(of: length)
    }

    /// A length in decimal digits.
    private func number(_ text: ArraySlice<UInt8>) throws(HTTPFramingError) -> Int {
        // The largest Int has 19 digits.
        guard 1...19 ~= text.count, text.allSatisfy({ 0x30...0x39 ~= $0 }),
            let length = Int(String(decoding: text, as: UTF8.self))
        else { throw Self.malformed("Content-Length: expected digits") }
        return length
    }

    /// `length` is nil for a body in chunks.
    private mutating func beginBody(of length: Int?) throws(HTTPFramingError) {
        bodyRange = position..<position
        guard length != 0 else {
            state = .complete
            return
        }
        if !head.isVersion10, let expectation = head["Expect"] {
            guard expectation.count == 12,
                expectation.hasWord("100-continue", at: expectation.startIndex)
            else {
                throw HTTPFramingError(
                    status: .expectationFailed, why: "Expect: only 100-continue is possible")
            }
            awaitsContinue = !hasUnreadBytes
        }
        if let length, length > bodyLimit { return refuseBody() }
        state = length.map { .body(count: $0) } ?? .chunkSize
    }

    /// Ends the request before its body, which is too long.
    private mutating func refuseBody() {
        (state, isBodyTooLong, awaitsContinue) = (.complete, true, false)
        bodyRange = position..<position
    }

    /// Called when the answer `100 Continue` was sent.
    package mutating func didContinue() { awaitsContinue = false }

    // MARK: targets

    /// Finds the parts of a request's target. It is a path, a URL, or for CONNECT an authority: `host:port`. Returns false if it is
    /// malformed.
    private mutating func setTarget(_ target: Range<Int>, isAuthority: Bool) -> Bool {
        var rest = head.bytes[target]
        (head.pathRange, head.queryRange) = (target.upperBound..<target.upperBound, 0..<0)
        let scheme = rest.prefix { !Self.isDelimiter($0) }
        if isAuthority { return setAuthority(rest) }
        if scheme.last == UInt8(ascii: ":"), "//" ~= rest[scheme.endIndex...].prefix(2) {
            let authority = rest[(scheme.endIndex + 2)...].prefix { !Self.isDelimiter($0) }
            guard setAuthority(authority) else { return false }
            rest = rest[authority.endIndex...]
        }
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        let path = rest.prefix { $0 != UInt8(ascii: "?") }
        head.pathRange = path.startIndex..<path.endIndex
        head.queryRange = min(path.endIndex + 1, rest.endIndex)..<rest.endIndex
        return true
    }

    /// Finds the host in `user@host:port`. Returns false if what follows the host is not a port.
    private mutating func setAuthority(_ authority: ArraySlice<UInt8>) -> Bool {
        let start =
            authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let text = authority[start...]
        var host = text.prefix { $0 != UInt8(ascii: ":") }
        if text.first == UInt8(ascii: "["), let end = text.firstIndex(of: UInt8(ascii: "]")) {
            host = text[...end]
        }
        head.targetHostRange = host.startIndex..<host.endIndex
        let port = text[host.endIndex...]
        return port.isEmpty
            || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy { 0x30...0x39 ~= $0 }
    }

    // MARK: chunks

    /// The size in the first line of a chunk: hexadecimal digits. Extensions after `;` are ignored.
    private func chunkSize(_ line: Range<Int>?) throws(HTTPFramingError) -> Int {
        guard let text = line.map({ head.bytes[$0] }), !text.contains(0x0D) else {
            throw Self.malformed("chunk size: has a bare CR or LF")
        }
        let digits = text.prefix { $0 != UInt8(ascii: ";") }
        // 13 digits are less than 2^52, and therefore fit an Int. `Int` would accept a sign.
        guard 1...13 ~= digits.count, digits.first != UInt8(ascii: "+"),
            digits.first != UInt8(ascii: "-"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Self.malformed("chunk size: expected up to 13 hexadecimal digits") }
        guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw Self.malformed("chunk extension: has control characters")
        }
        return size
    }

    /// Moves the bytes of a chunk that have arrived to the end of the body so far.
    private mutating func moveChunk(_ left: Int) {
        let (source, target) = (position, bodyRange.upperBound)
        let count = min(left, head.bytes.count - source)
        guard bodyRange.count + count <= bodyLimit else { return refuseBody() }
        head.bytes.withUnsafeMutableBytes {
            if let base = $0.baseAddress { memmove(base + target, base + source, count) }
        }
        bodyRange = bodyRange.lowerBound..<target + count
        position += count
        state = count == left ? .chunkEnd : .chunk(left: left - count)
    }

    /// Removes bytes that were read and that nothing refers to: empty lines before a request, and the lines and the former places
    /// of chunks. Returns false: the request is incomplete.
    private mutating func dropReadBytes() -> Bool {
        switch state {
        case .requestLine:
            head.bytes.removeSubrange(..<position)
            position = 0
        case .chunkSize, .chunk, .chunkEnd, .trailer:
            head.bytes.removeSubrange(bodyRange.upperBound..<position)
            position = bodyRange.upperBound
        case .fields, .body, .complete: break
        }
        return false
    }

    // MARK: bytes

    /// The index of the first byte with this value. Wraps memchr(3).
    private func find(_ byte: Int32, in range: Range<Int>) -> Int? {
        head.bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + range.lowerBound, byte, range.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Whether a byte ends the scheme or the authority of a URL.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a byte is allowed in a token, by RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }

    private static func malformed(_ why: String) -> HTTPFramingError {
        HTTPFramingError(status: .badRequest, why: why)
    }
}

/// Why a request is malformed, and the status of the response.
package struct HTTPFramingError: DescribedError, Equatable, Sendable {
    package let status: WebStatus
    package let why: String
    /// The name of the limit that the request exceeds; nil for another mistake.
    package var limit: String?
}
