import Testing

@testable import GamedServer

/// `HTTPFraming`: where each message of a connection ends, and which messages are rejected.
@Suite struct HTTPFramingTests {
    private static let headLimit = 16_384

    /// Passes a text through one framing at once, and byte by byte through a second framing. Checks that both framings have the
    /// same result, and returns the result.
    private func frame(_ text: String) -> (text: String, framing: HTTPFraming) {
        var (framing, bytewiseFraming) = (
            HTTPFraming(headLimit: Self.headLimit), HTTPFraming(headLimit: Self.headLimit)
        )
        let output = framing.process(Array(text.utf8))
        var bytewiseOutput: [UInt8] = []
        for byte in text.utf8 { bytewiseOutput += bytewiseFraming.process([byte]) }
        // The outputs are equal even if a chunk arrives in parts, because the framing writes the size of a chunk only once.
        #expect(bytewiseOutput == output && bytewiseFraming.failure == framing.failure)
        #expect(
            bytewiseFraming.messageCount == framing.messageCount
                && bytewiseFraming.isInMessage == framing.isInMessage)
        return (String(decoding: output, as: UTF8.self), framing)
    }

    private let postHead = "POST /v1/rpc HTTP/1.1\r\nHost: h\r\n"

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "HEAD / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", "GET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length:\t 2 \t\r\n\r\n{}GET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "nonsense\r\n\r\n",
        "DELETE / HTTP/1.1\r\nX: \u{E4}: b\r\nContent-Length: 1\r\n\r\n1",
    ])
    func `a message with an unambiguous end is passed on unchanged`(_ text: String) {
        let (output, framing) = frame(text)
        #expect(output == text && framing.failure == nil && !framing.isInMessage)
    }

    @Test func `chunks are passed on without extensions and trailers`() {
        let malformedChunk = "0002 ;a=1\r\n"
        #expect(
            frame(postHead + "Transfer-Encoding: chunked\r\n\r\n" + malformedChunk).framing.failure
                != nil)
        let (output, framing) = frame(
            postHead
                + "Transfer-Encoding: chunked\r\n\r\n0002;a=\"b c\";d\r\n{}\r\nB\r\nhello world\r\n"
                + "00\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        #expect(framing.failure == nil && framing.messageCount == 2)
        #expect(
            output.hasSuffix(
                "\r\n\r\n2\r\n{}\r\nb\r\nhello world\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n"))
    }

    @Test func `lines of a head may end with LF and are passed on with CR LF`() {
        #expect(
            frame("\n\r\nGET / HTTP/1.1\nHost: h\n\n").text == "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
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
        let validRequest = "GET /healthz HTTP/1.1\r\n\r\n"
        let (output, framing) = frame(validRequest + postHead + fields + "\r\n\r\n" + validRequest)
        #expect(framing.failure?.status == .badRequest && framing.messageCount == 2)
        // In place of the rejected message, the framing passes on a valid request. The daemon answers this request with the
        // error, after its responses to the earlier requests.
        #expect(output == validRequest + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a request without a length has no body`(_ method: String) {
        let next = "GET / HTTP/1.1\r\n\r\n"
        let (output, framing) = frame("\(method) / HTTP/1.1\r\nX: a\r\n\r\n\(next)")
        #expect(framing.failure == nil && framing.messageCount == 2)
        // libevent refuses such a request unless it has a length.
        #expect(output == "\(method) / HTTP/1.1\r\nX: a\r\nContent-Length: 0\r\n\r\n\(next)")
    }

    @Test(arguments: [
        "PROXY TCP4 192.0.2.7 192.0.2.1 5000 80\r\nGET / HTTP/1.1\r\n\r\n",
        "\r\n\r\n\0\r\nQUIT\n!\u{11}\0\u{c}abcdefghijklGET / HTTP/1.1\r\n\r\n",
    ])
    func `the PROXY protocol is refused with a sentence that names it`(_ bytes: String) {
        let framing = frame(bytes).framing
        #expect(framing.failure?.why.contains("this is the PROXY protocol") == true)
        #expect(framing.failure?.why.contains("--http-proxy") == true)
    }

    @Test(arguments: ["HEAD", "TRACE", "CONNECT", "ODD"])
    func `a request with a body is rejected if its method allows no body`(_ method: String) {
        for field in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
            let framing = frame("\(method) / HTTP/1.1\r\n\(field)\r\n\r\n").framing
            #expect(framing.failure?.status == .badRequest)
        }
    }

    @Test func `HTTP/1.0 does not have chunks`() {
        #expect(
            frame("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").framing.failure != nil)
    }

    @Test(arguments: [
        "0x27\r\n", "+27\r\n", "-1\r\n", "27\n", " 2\r\n", "2 \r\n", "\r\n", ";a\r\n", "g\r\n",
        "2\r\n{}x", "2\r\n{}\n", "2\r\n{}2\r\n", "ffffffffffffffff\r\n", "2;\u{7}\r\n", "2\r\r\n",
        "0\r\nX : 1\r\n\r\n", "0\r\nX: 1\n\r\n",
    ])
    func `a malformed chunk ends the message, and later bytes are dropped`(
        _ chunk: String
    ) {
        let head = postHead + "Transfer-Encoding: chunked\r\n\r\n"
        let (output, framing) = frame(head + chunk + "GET / HTTP/1.1\r\n\r\n")
        #expect(framing.failure?.status == .badRequest && framing.messageCount == 1)
        #expect(output.hasPrefix(head) && output.hasSuffix("0\r\n\r\n"))
    }

    @Test func `the length of a head, of a chunk's first line and of a trailer is limited`() {
        let longText = String(repeating: "x", count: Self.headLimit)
        #expect(frame("GET /\(longText)").framing.failure != nil)
        #expect(frame("GET / HTTP/1.1\r\nX: \(longText)\r\n").framing.failure != nil)
        let chunked = postHead + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(frame(chunked + "2;\(longText)").framing.failure != nil)
        #expect(frame(chunked + "0\r\nX: \(longText)").framing.failure != nil)
    }
}
