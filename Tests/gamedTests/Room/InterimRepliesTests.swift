import EventLoop
import HTTP
import TestSupport
import Testing
import Timers

@testable import Room

/// Interim replies of HTTP servers, which come before the final reply.
@Suite struct InterimRepliesTests {
    private static let interim =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    private static let final = "HTTP/1.1 204 No Content\r\n\r\n"

    /// What remains of a reply that arrives in pieces of this size.
    private func rest(of reply: String, pieces size: Int) -> String {
        var (replies, rest, remaining) = (InterimReplies(), [UInt8](), Array(reply.utf8)[...])
        while !remaining.isEmpty {
            let piece = Array(remaining.prefix(size))
            remaining = remaining.dropFirst(size)
            rest += replies.areOver ? piece : replies.skip(in: piece)
        }
        return String(decoding: rest, as: UTF8.self)
    }

    @Test(arguments: [1, 2, 7, 50, 1000])
    func `interim replies are skipped, however the bytes are divided`(_ size: Int) {
        #expect(rest(of: Self.interim + Self.final, pieces: size) == Self.final)
        #expect(rest(of: Self.final + Self.interim, pieces: size) == Self.final + Self.interim)
        #expect(rest(of: "HTTP/1.1 103 \n\nHTTP/1.0 500 \n\n", pieces: size) == "HTTP/1.0 500 \n\n")
        #expect(
            rest(of: "HTTP/1.1 101 Upgrade\r\n\r\n", pieces: size) == "HTTP/1.1 101 Upgrade\r\n\r\n"
        )
        #expect(rest(of: Self.interim, pieces: size) == "")
        #expect(rest(of: "not HTTP at all", pieces: size) == "not HTTP at all")
    }

    @Test func `interim replies are skipped before a reply that is longer than a header`() {
        let long = Self.final + String(repeating: "x", count: 40_000)
        #expect(rest(of: Self.interim + long, pieces: 30_000) == long)
    }

    @Test func `an interim reply without an end is not kept for ever`() {
        let endless = "HTTP/1.1 103 Early Hints\r\nLink: " + String(repeating: "x", count: 20_000)
        #expect(rest(of: endless, pieces: 1000) == endless)
    }

    @Test(arguments: [interim, "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\n\r\n", ""])
    func `a request ends with the status of the final reply`(_ interim: String) throws {
        let loop = try LibeventLoop()
        let server = try #require(
            try ScriptedServer(on: loop, sending: Array((interim + Self.final).utf8)))
        let origin = HTTPOrigin(isSecure: false, host: "127.0.0.1", port: server.port)
        let content = WebRequestContent(
            id: "1", origin: origin, path: "/", method: .post, headers: [], secrets: [],
            allowsSpecial: true)
        var status: Int?
        let request = OutgoingRequest(
            content, to: "127.0.0.1", timeout: .seconds(60), nil, on: loop
        ) { ending in
            if case .status(let code) = ending { status = code }
            loop.stop()
        }
        loop.run()
        withExtendedLifetime((server, request)) {}
        #expect(status == 204)
    }
}
