import GameFlow
import Sessions
import ShippedFlows
import Testing

@testable import RPC

/// A `list` for which few of very many sessions fit. It takes several turns of the loop.
@Suite struct LongListTests {
    /// Collects what is to be done in the next turn of the loop.
    private final class Turns: SessionRequests {
        private var work: [() -> Void] = []
        var isIdle: Bool { work.isEmpty }

        func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult {
            DeferredResult { $0(.failure(.methodNotFound(request.method.name))) }
        }
        func callInLaterTurn(_ work: @escaping () -> Void) { self.work.append(work) }

        /// Runs the next turn.
        func run() { for work in exchange(&work, with: []) { work() } }
    }

    /// 12 000 sessions of the game, and after them in the order of the names three sessions of the quiz.
    private static let rareNames = ["x1", "x2", "x3"]
    private let turns = Turns()
    private let connection: TestConnection

    init() throws {
        var limits = Limits()
        limits.ring = 10
        connection = try TestConnection(limits: limits, opensMain: false)
        for number in 0..<12_000 { _ = connection.reply(to: "open @s\(number) flow=game") }
        for name in Self.rareNames { _ = connection.reply(to: "open @\(name) flow=quiz") }
        connection.dispatcher.sessionRequests = turns
    }

    /// Sends a request, and begins to fetch its result if that is deferred. Returns the reply; empty while it is deferred.
    private func begin(_ line: String) -> String {
        let reply = connection.reply(to: line)
        connection.outbox.endExecution(for: connection)
        return reply
    }

    private func sendable() -> String {
        String(decoding: connection.outbox.takeSendableBytes(), as: UTF8.self)
    }

    private func names(in reply: String) -> [String] {
        reply.split(separator: #""session":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    @Test func `a list that examines very many sessions ends in a later turn`() {
        #expect(begin("list flow=quiz limit=2") == "")
        var turnCount = 0
        while !turns.isIdle {
            #expect(sendable() == "")
            turns.run()
            turnCount += 1
        }
        // Each turn examines 4096 sessions, and the first ones are examined at once.
        #expect(turnCount == 2)
        let reply = sendable()
        #expect(names(in: reply) == ["x1", "x2"] && reply.contains(#""more":true"#), "\(reply)")
        // A list that finds enough sessions at once is not deferred.
        #expect(names(in: begin("list flow=game limit=3")) == ["s0", "s1", "s10"])
        #expect(begin("list after=x1 flow=quiz").contains(#""session":"x2""#))
        connection.end()
    }

    @Test func `sessions that are closed meanwhile give their places to others`() throws {
        #expect(begin("list flow=quiz limit=2") == "")
        #expect(!turns.isIdle)
        let session = try connection.sessions.session(SessionName("x2")!)
        try connection.sessions.close(session, RequestContext(from: connection.source))
        while !turns.isIdle { turns.run() }
        let reply = sendable()
        #expect(names(in: reply) == ["x1", "x3"] && reply.contains(#""more":false"#), "\(reply)")
        connection.end()
    }

    @Test func `several long lists end one after the other, and each gets its result`() {
        #expect(begin("list flow=quiz limit=1") == "")
        var outcomes: [String] = []
        let list = LongLists.List(SessionSearch(flow: "none", limit: 5), connection)
        connection.dispatcher.longLists.result(
            of: list, connection.dispatcher, ifEmpty: .methodNotFound("none")
        ).begin { outcome in
            if case .failure(let error) = outcome.result { outcomes.append("\(error)") }
        }
        var turnCount = 0
        while !turns.isIdle {
            turns.run()
            turnCount += 1
        }
        #expect(names(in: sendable()) == ["x1"])
        #expect(outcomes.count == 1 && turnCount >= 4, "\(turnCount)")
        connection.end()
    }

    @Test func `the list of a client that has gone ends`() {
        #expect(begin("list flow=quiz") == "")
        connection.isGone = true
        turns.run()
        #expect(turns.isIdle && sendable() == "")
        connection.end()
    }

    @Test func `a list of an unknown flow is refused with the name`() {
        #expect(begin("list flow=none") == "")
        while !turns.isIdle { turns.run() }
        #expect(sendable().hasPrefix("ERR unknownFlow"))
        connection.end()
    }
}
