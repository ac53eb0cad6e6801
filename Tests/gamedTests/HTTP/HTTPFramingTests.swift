import Testing

@testable import GamedServer

/// Where each message of a connection ends, and which messages are rejected.
@Suite struct HTTPFramingTests {
    private static let limit = 16_384

    /// The output for a text that arrives at once; checks that it is the same byte by byte.
    private func passed(_ text: String) -> (text: String, framing: HTTPFraming) {
        var (whole, single) = (
            HTTPFraming(headLimit: Self.limit), HTTPFraming(headLimit: Self.limit)
        )
        let out = whole.take(Array(text.utf8))
        var bytes: [UInt8] = []
        for byte in text.utf8 { bytes += single.take([byte]) }
        // The bytes of a chunk are passed on as they arrive, after one size.
        #expect(bytes == out && single.failure == whole.failure)
        #expect(single.messages == whole.messages && single.isInMessage == whole.isInMessage)
        return (String(decoding: out, as: UTF8.self), whole)
    }

    private let post = "POST /v1/rpc HTTP/1.1\r\nHost: h\r\n"

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "GET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length:\t 2 \t\r\n\r\n{}GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "nonsense\r\n\r\n",
        "DELETE / HTTP/1.1\r\nX: \u{E4}: b\r\nContent-Length: 1\r\n\r\n1",
    ])
    func `a well-formed message is passed on unchanged`(_ text: String) {
        let (out, framing) = passed(text)
        #expect(out == text && framing.failure == nil && !framing.isInMessage)
    }

    @Test func `chunks are passed on without extensions and trailers`() {
        let chunks = "0002 ;a=1\r\n"
        #expect(passed(post + "Transfer-Encoding: chunked\r\n\r\n" + chunks).framing.failure != nil)
        let (out, framing) = passed(
            post
                + "Transfer-Encoding: chunked\r\n\r\n0002;a=\"b c\";d\r\n{}\r\nB\r\nhello world\r\n"
                + "00\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        #expect(framing.failure == nil && framing.messages == 2)
        #expect(
            out.hasSuffix("\r\n\r\n2\r\n{}\r\nb\r\nhello world\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"))
    }

    @Test func `lines of a head may end with LF and are passed on with CR LF`() {
        #expect(
            passed("\n\r\nGET / HTTP/1.1\nHost: h\n\n").text == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
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
    func `an ambiguous head is rejected with 400, and later bytes are dropped`(
        _ fields: String
    ) {
        let good = "GET /healthz HTTP/1.1\r\n\r\n"
        let (out, framing) = passed(good + post + fields + "\r\n\r\n" + good)
        #expect(framing.failure?.status == .badRequest && framing.messages == 2)
        #expect(out == good + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a request with a body requires a length`(_ method: String) {
        #expect(passed("\(method) / HTTP/1.1\r\n\r\n").framing.failure?.status == .lengthRequired)
    }

    @Test(arguments: ["HEAD", "TRACE", "CONNECT", "ODD"])
    func `a method without a body must not have one`(_ method: String) {
        for field in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
            let framing = passed("\(method) / HTTP/1.1\r\n\(field)\r\n\r\n").framing
            #expect(framing.failure?.status == .badRequest)
        }
    }

    @Test func `HTTP/1.0 does not have chunks`() {
        #expect(
            passed("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").framing.failure != nil)
    }

    @Test(arguments: [
        "0x27\r\n", "+27\r\n", "-1\r\n", "27\n", " 2\r\n", "2 \r\n", "\r\n", ";a\r\n", "g\r\n",
        "2\r\n{}x", "2\r\n{}\n", "2\r\n{}2\r\n", "ffffffffffffffff\r\n", "2;\u{7}\r\n", "2\r\r\n",
        "0\r\nX : 1\r\n\r\n", "0\r\nX: 1\n\r\n",
    ])
    func `a malformed chunk ends the message, and later bytes are dropped`(
        _ chunk: String
    ) {
        let head = post + "Transfer-Encoding: chunked\r\n\r\n"
        let (out, framing) = passed(head + chunk + "GET / HTTP/1.1\r\n\r\n")
        #expect(framing.failure?.status == .badRequest && framing.messages == 1)
        #expect(out.hasPrefix(head) && out.hasSuffix("0\r\n\r\n"))
    }

    @Test func `the length of a head is limited`() {
        let long = String(repeating: "x", count: Self.limit)
        #expect(passed("GET /\(long)").framing.failure != nil)
        #expect(passed("GET / HTTP/1.1\r\nX: \(long)\r\n").framing.failure != nil)
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(passed(chunked + "2;\(long)").framing.failure != nil)
        #expect(passed(chunked + "0\r\nX: \(long)").framing.failure != nil)
    }
}
