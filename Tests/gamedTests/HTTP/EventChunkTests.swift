import Access
import Connections
import EventLoop
import GameFlow
import JSONCoding
import Net
import Parts
import RPC
import Sessions
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The bytes of event streams, from a web server whose event loop the test runs.
@Suite struct EventChunkTests {
    private let loop: LibeventLoop
    private let sessions: Sessions
    private let server: WebServer
    private let socketPath = DaemonProcess.freshSocketPath()

    init() throws {
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: loop)
        _ = try sessions.open(.main, sessions.flow("game"), RequestContext(from: .ownProcess))
        let limits = ServerLimits()
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        let rules = Rules(
            [Rule(try Principal("source:web"), Grant(.observe))], ownUID: Rules.ownUID)
        let authorizer = Authorizer(rules, try TokenFile(nil))
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)), authorizer,
            Invitations(authorizer, to: PageAddress(WebOptions()), on: loop),
            AccountLimits(limits, on: loop),
            limits: limits)
        server = try WebServer(
            UnixSocket(socketPath), context, instance: "0", access: WebAccess(WebOptions()))
    }

    /// Runs the server for a short time.
    private func run() {
        loop.run(for: .milliseconds(1))
    }

    /// Opens a stream, and returns its client and the first lines, up to the end of the snapshot.
    private func open(_ version: String) throws -> (client: Client, lines: [String]) {
        let client = try Client(socketPath)
        client.write(
            "GET /v1/events?session=main HTTP/\(version)\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"
        )
        var lines: [String] = []
        receive(client, &lines) { $0.contains { $0.hasPrefix("event: snapshot") } }
        return (client, lines)
    }

    /// Receives lines until they satisfy the condition, and then as long as lines arrive.
    private func receive(
        _ client: Client, _ lines: inout [String], until isComplete: ([String]) -> Bool
    ) {
        for _ in 0..<10_000 {
            run()
            let line = client.availableLine()
            if let line { lines.append(line) }
            while let line = client.availableLine() { lines.append(line) }
            if line == nil, isComplete(lines) { return }
        }
        Issue.record("lines are missing")
    }

    /// Sends an event that changes the state.
    private func change(_ number: Int) throws {
        let event = number % 2 == 0 ? "displayHelp" : "dismissHelp"
        _ = try sessions.send(
            event, to: sessions.session(.main), RequestContext(from: .ownProcess))
    }

    /// The body of an answer, after its header.
    private func body(_ lines: [String]) -> String {
        lines.drop { $0 != "\r" }.dropFirst().map { $0 + "\n" }.joined()
    }

    /// The contents of the chunks of a body, which must consist of complete chunks.
    private func chunks(_ body: String) throws -> [String] {
        var (bytes, chunks) = (Array(body.utf8)[...], [String]())
        while !bytes.isEmpty {
            let lineEnd = try #require(bytes.firstIndex(of: 0x0D))
            let digits = String(decoding: bytes[..<lineEnd], as: UTF8.self)
            let start = lineEnd + 2
            let end = start + (try #require(Int(digits, radix: 16)))
            try #require(end + 2 <= bytes.endIndex)
            chunks.append(String(decoding: bytes[start..<end], as: UTF8.self))
            try #require(bytes[end] == 0x0D && bytes[end + 1] == 0x0A)
            bytes = bytes[(end + 2)...]
        }
        return chunks
    }

    private func changeCount(_ lines: [String]) -> Int {
        lines.reduce(0) { $0 + ($1.hasPrefix("event: change") ? 1 : 0) }
    }

    @Test func `each event is one chunk, and a client of HTTP 1.0 gets the events without chunks`()
        throws
    {
        var (client, lines) = try open("1.1")
        var (olderClient, olderLines) = try open("1.0")
        for number in 0..<4 {
            try change(number)
            run()
        }
        receive(client, &lines) { changeCount($0) == 4 }
        receive(olderClient, &olderLines) { changeCount($0) == 4 }
        #expect(lines.contains("Transfer-Encoding: chunked\r"))
        #expect(!olderLines.contains("Transfer-Encoding: chunked\r"))
        let chunks = try chunks(body(lines))
        #expect(chunks.count == 6)
        #expect(chunks.first == "retry: 1000\n\n")
        for chunk in chunks.dropFirst() {
            #expect(chunk.hasPrefix("id: 0:"), "\(chunk)")
            #expect(chunk.hasSuffix("}\n\n"), "\(chunk)")
        }
        // The snapshots were made at different times.
        #expect(body(olderLines).hasPrefix("retry: 1000\n\nid: 0:1\nevent: snapshot\n"))
        #expect(body(olderLines).hasSuffix(chunks.dropFirst(2).joined()))
    }

    @Test func `a stream that is read late has each event once, in order, and no broken chunk`()
        throws
    {
        var (client, lines) = try open("1.1")
        let stream = try #require(server.streams.first)
        // The socket takes only a part of this event, and none of the next ones.
        let text = String(repeating: "x", count: 200_000)
        for number in 0..<100 {
            try change(number)
            run()
        }
        stream.receive(EncodedNotification("long") { $0.object([.init("text", text)]) })
        run()
        for number in 100..<200 {
            try change(number)
            // From time to time, two changes in one turn.
            if number % 10 != 0 { run() }
        }
        receive(client, &lines) { changeCount($0) == 200 }
        let chunks = try chunks(body(lines))
        let long = try #require(chunks.firstIndex { $0.hasPrefix("event: long") })
        #expect(chunks[long] == "event: long\ndata: {\"text\":\"\(text)\"}\n\n")
        let changes = chunks.filter { $0.contains("event: change") }
        let seqs = changes.compactMap { chunk in
            chunk.firstRange(of: #""seq":"#).map { chunk[$0.upperBound...].prefix { $0.isNumber } }
        }
        #expect(seqs == (2...201).map { "\($0)" })
        #expect(chunks[..<long].filter { $0.contains("event: change") }.count == 100)
        // The stream is not stalled: the next change arrives, too.
        try change(200)
        receive(client, &lines) { changeCount($0) == 201 }
    }
}
