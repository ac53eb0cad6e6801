import TestSupport
import Testing

@testable import HTTP

/// `RequestReader`: where each request of a connection ends, what its parts are, and which requests are refused.
@Suite struct RequestReaderTests {
    private static let headLimit = 16_384
    private static let bodyLimit = 131_072

    /// Passes a text to a reader in pieces of this size, and returns the requests, each as `METHOD PATH QUERY BODY`.
    private func read(_ text: String, inPiecesOf size: Int) -> (
        requests: [String], failure: HTTPFramingError?, isInRequest: Bool
    ) {
        var reader = RequestReader(headLimit: Self.headLimit, bodyLimit: Self.bodyLimit)
        var requests: [String] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.append($0) }
            do throws(HTTPFramingError) {
                while try reader.read() {
                    let head = reader.head
                    let parts = [head.path, head.bytes[head.queryRange], reader.body]
                    requests.append(
                        ([head.method.rawValue]
                            + parts.map { String(decoding: $0, as: UTF8.self) })
                            .joined(separator: " "))
                    if !reader.hasUnreadBytes { break }
                }
            } catch { return (requests, error, true) }
        }
        return (requests, nil, reader.isInRequest)
    }

    /// Reads a text at once and in small pieces. Checks that the results are the same, and returns the result.
    private func read(_ text: String) -> (
        requests: [String], failure: HTTPFramingError?, isInRequest: Bool
    ) {
        let whole = read(text, inPiecesOf: max(1, text.utf8.count))
        for size in [1, 3, 7] {
            let result = read(text, inPiecesOf: size)
            #expect(result == whole, "in pieces of \(size)")
        }
        return whole
    }

    private let postHead = "POST /v1/rpc HTTP/1.1\r\nHost: h\r\n"

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", ["GET /  "]),
        ("HEAD /a?b=c HTTP/1.1\r\nContent-Length: 0\r\n\r\n", ["HEAD /a b=c "]),
        ("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", ["POST /  {}"]),
        ("GET / HTTP/1.0\r\n\r\n", ["GET /  "]),
        (
            "POST / HTTP/1.1\r\ncontent-length:\t 2 \t\r\n\r\n{}GET /x HTTP/1.1\r\n\r\n",
            ["POST /  {}", "GET /x  "]
        ),
        (
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            ["POST /  {}"]
        ),
        ("DELETE / HTTP/1.1\r\nX: \u{E4}: b\r\nContent-Length: 1\r\n\r\n1", ["DELETE /  1"]),
        ("POST /a HTTP/1.1\r\nX: a\r\n\r\nPATCH /b HTTP/1.1\r\n\r\n", ["POST /a  ", "PATCH /b  "]),
        ("\n\r\nGET / HTTP/1.1\nHost: h\n\n", ["GET /  "]),
    ])
    func `a request with an unambiguous end is read`(_ text: String, _ requests: [String]) {
        let result = read(text)
        #expect(result.requests == requests && result.failure == nil && !result.isInRequest)
    }

    @Test func `the chunks of a body are read without extensions and trailers`() {
        let result = read(
            postHead
                + "Transfer-Encoding: chunked\r\n\r\n0002;a=\"b c\";d\r\n{}\r\nB\r\nhello world\r\n"
                + "00\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        #expect(result.failure == nil)
        #expect(result.requests == ["POST /v1/rpc  {}hello world", "GET /  "])
    }

    @Test(
        arguments: [
            "Content-Length : 54", "Content-Length\t: 54", " Content-Length: 54", ": 54",
            "Content-Length",
            "Transfer-Encoding : chunked", "Transfer-Encoding: identity",
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding: \"chunked\"", "Transfer-Encoding:",
            "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Content-Length: -0",
            "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5, 5", "Content-Length: ",
            "Content-Length: 99999999999999999999", "Content-Length: 9223372036854775808",
            "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5\r\ncontent-length: 6",
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "X: a\rb", "X: a\u{0}b",
            "X: a\r\n b", "X\u{E4}: a", "(X): a", "A B: a",
        ])
    func `an ambiguous head is refused with 400`(_ fields: String) {
        let validRequest = "GET /healthz HTTP/1.1\r\n\r\n"
        let result = read(validRequest + postHead + fields + "\r\n\r\n" + validRequest)
        #expect(result.failure?.status == .badRequest)
        #expect(result.requests == ["GET /healthz  "])
    }

    @Test(arguments: [
        "nonsense", "GET /", "GET  HTTP/1.1", "GET\t/\tHTTP/1.1", "GET / HTTP/2.0",
        "GET / HTTP/1.1x",
        "GET / http/1.1", "GET / HTTP/0.9", "GET / HTTP/1.", " ",
        "CONNECT a:b:c HTTP/1.1", "GET http://h:x/ HTTP/1.1",
    ])
    func `a malformed first line is refused with 400`(_ line: String) {
        #expect(read("\(line)\r\n\r\n").failure?.status == .badRequest)
    }

    @Test func `an unknown method is refused with 501, and an unknown expectation with 417`() {
        #expect(read("FOO / HTTP/1.1\r\n\r\n").failure?.status == .notImplemented)
        #expect(read("get / HTTP/1.1\r\n\r\n").failure?.status == .notImplemented)
        let body = "Content-Length: 1\r\n\r\n"
        #expect(read(postHead + "Expect: x\r\n" + body).failure?.status == .expectationFailed)
        #expect(read(postHead + "Expect: 100-Continue\r\n" + body).failure == nil)
        #expect(read("POST / HTTP/1.0\r\nExpect: x\r\n" + body).failure == nil)
    }

    @Test(
        arguments: [
            ("http://h.example/a?b#c", "h.example", "/a", "b"), ("HTTP://u@H:80", "h", "", ""),
            ("//h/a", nil, "//h/a", ""), ("http://[::1]:80?x", "[::1]", "", "x"),
            ("/a:b?c?d#e?f", nil, "/a:b", "c?d"), ("*", nil, "*", ""), ("/a b", nil, "/a b", ""),
        ] as [(String, String?, String, String)])
    func `the target of a request is a URL or a path`(
        _ target: String, _ host: String?, _ path: String, _ query: String
    ) {
        let head = RequestHead("GET", target)
        #expect(head.targetHost == host)
        #expect(String(decoding: head.path, as: UTF8.self) == path)
        #expect(String(decoding: head.bytes[head.queryRange], as: UTF8.self) == query)
    }

    @Test(arguments: [
        "PROXY TCP4 192.0.2.7 192.0.2.1 5000 80\r\nGET / HTTP/1.1\r\n\r\n",
        "\r\n\r\n\0\r\nQUIT\n!\u{11}\0\u{c}abcdefghijklGET / HTTP/1.1\r\n\r\n",
    ])
    func `the PROXY protocol is refused with a sentence that names it`(_ bytes: String) {
        let why = read(bytes).failure?.why ?? ""
        #expect(why.contains("this is the PROXY protocol") && why.contains("--http-proxy"))
    }

    @Test(arguments: ["HEAD", "TRACE", "CONNECT", "ODD"])
    func `a request with a body is refused if its method allows no body`(_ method: String) {
        for field in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
            #expect(
                read("\(method) / HTTP/1.1\r\n\(field)\r\n\r\n").failure?.status == .badRequest)
        }
    }

    @Test func `HTTP/1.0 does not have chunks`() {
        #expect(read("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").failure != nil)
    }

    @Test(arguments: [
        "0x27\r\n", "+27\r\n", "-1\r\n", "27\n", " 2\r\n", "2 \r\n", "\r\n", ";a\r\n", "g\r\n",
        "2\r\n{}x", "2\r\n{}\n", "2\r\n{}2\r\n", "ffffffffffffffff\r\n", "2;\u{7}\r\n", "2\r\r\n",
        "0002 ;a=1\r\n", "0\r\nX : 1\r\n\r\n", "0\r\nX: 1\n\r\n",
    ])
    func `a malformed chunk is refused`(_ chunk: String) {
        let head = postHead + "Transfer-Encoding: chunked\r\n\r\n"
        let result = read(head + chunk + "GET / HTTP/1.1\r\n\r\n")
        #expect(result.failure?.status == .badRequest && result.requests.isEmpty)
    }

    @Test func `the length of a head, of a chunk's first line and of a trailer is limited`() {
        let longText = String(repeating: "x", count: Self.headLimit)
        func status(_ text: String) -> WebStatus? {
            read(text, inPiecesOf: 1000).failure?.status
        }
        #expect(status("GET /\(longText)") == .badRequest)
        #expect(status("GET / HTTP/1.1\r\nX: \(longText)\r\n") == .badRequest)
        let chunked = postHead + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(status(chunked + "2;\(longText)") == .badRequest)
        #expect(status(chunked + "0\r\nX: \(longText)") == .badRequest)
        let pairs = String(repeating: "X: y\r\n", count: Self.headLimit / 6)
        #expect(status("GET / HTTP/1.1\r\n\(pairs)") == .badRequest)
    }

    @Test
    func `a request whose body is too long is complete without its body, whatever form it has`() {
        /// Whether the body is too long, and the length of the body that was read.
        func body(_ text: String) -> [Int] {
            var reader = RequestReader(headLimit: Self.headLimit, bodyLimit: Self.bodyLimit)
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: 5000) {
                bytes[start..<min(start + 5000, bytes.count)].withUnsafeBytes { reader.append($0) }
                guard (try? reader.read()) == true else { continue }
                #expect(reader.head.path.elementsEqual("/v1/rpc".utf8) && !reader.awaitsContinue)
                return [reader.isBodyTooLong ? 1 : 0, reader.body.count]
            }
            return []
        }
        func bodies(_ count: Int) -> [[Int]] {
            let content = String(repeating: "x", count: count)
            let chunks = "8000\r\n\(String(repeating: "x", count: 32_768))\r\n"
            let last = String(count % 32_768, radix: 16)
            let tail = count % 32_768 == 0 ? "" : "\(last)\r\n\(content.prefix(count % 32_768))\r\n"
            let chunked = String(repeating: chunks, count: count / 32_768) + tail + "0\r\n\r\n"
            return [
                body(
                    postHead + "Expect: 100-continue\r\nContent-Length: \(count)\r\n\r\n\(content)"),
                body(postHead + "Transfer-Encoding: chunked\r\n\r\n" + chunked),
            ]
        }
        #expect(bodies(Self.bodyLimit) == [[0, Self.bodyLimit], [0, Self.bodyLimit]])
        #expect(bodies(Self.bodyLimit + 1) == [[1, 0], [1, 0]])
        #expect(body(postHead + "Content-Length: 50000000\r\n\r\n") == [1, 0])
    }

    @Test func `empty lines before a request and the lines of chunks take no memory`() {
        var reader = RequestReader(headLimit: Self.headLimit, bodyLimit: Self.bodyLimit)
        func append(_ text: String) {
            Array(text.utf8).withUnsafeBytes { reader.append($0) }
            #expect(throws: Never.self) { try reader.read() }
        }
        for _ in 0..<100 { append(String(repeating: "\r\n", count: 1000)) }
        #expect(reader.head.bytes.isEmpty)
        append(postHead + "Transfer-Encoding: chunked\r\n\r\n")
        for _ in 0..<100 {
            append(String(repeating: "1;\(String(repeating: "e", count: 90))\r\nx\r\n", count: 10))
        }
        #expect(reader.head.bytes.count < 1200)
    }

    @Test func `a long request leaves no memory behind`() throws {
        var reader = RequestReader(headLimit: Self.headLimit, bodyLimit: Self.bodyLimit)
        for text in [
            "GET / HTTP/1.1\r\n" + String(repeating: "X:\r\n", count: 3000) + "\r\n",
            postHead + "Content-Length: 100000\r\n\r\n" + String(repeating: "x", count: 100_000),
        ] {
            Array(text.utf8).withUnsafeBytes { reader.append($0) }
            #expect(try reader.read())
            reader.freeLongRequest()
            #expect(reader.head.bytes.capacity + reader.head.fields.capacity == 0)
            #expect(!reader.isInRequest)
        }
    }
}
