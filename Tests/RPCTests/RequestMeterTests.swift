import GameFlow
import JSONCoding
import Sessions
import ShippedFlows
import Support
import Testing
import Timers

@testable import RPC

/// What is counted of the requests.
@Suite struct RequestMeterTests {
    private let clock = VirtualClock()
    private let meter: RequestMeter
    private let buffer = ReplyBuffer()

    init() { meter = RequestMeter(clock.timerQueue) }

    private var counts: [String] {
        var counts: [String] = []
        meter.forEachCount { counts.append("\($0) \($1.name) \($2)") }
        return counts
    }

    private func reply(_ method: Method?, _ outcome: CallOutcome, durable: Int = 0) {
        let start = buffer.writer.count
        buffer.writer.raw("x")
        buffer.holdIfNecessary(outcome, of: method, from: start, durable: durable, meter) { .text }
    }

    @Test(
        arguments: [
            (CallError.parseError(""), "invalid"), (.methodNotFound("x"), "invalid"),
            (.invalidParams(""), "invalid"), (.refused(.exists("a")), "refused"),
            (.refused(.finished(state: "a")), "refused"),
            (.refused(.limit(which: "requests", limit: 1)), "limited"),
            (.refused(.storage(why: "", outcome: .undone)), "storage"),
            (.refused(.forbidden(.event("a"), source: .timer, needs: .timer)), "forbidden"),
            (.refused(.invalid(.event("a"), argument: "", why: "")), "invalid"),
            (
                .refused(.invalid(.event("a"), argument: "", why: "", isOfFlow: true)), "refused"
            ),
            (.relayed(RelayedError(code: 2, name: "invalid", data: Array("{}".utf8))), "invalid"),
            (
                .relayed(
                    RelayedError(code: 0, name: "invalid", data: Array(#"{"ofFlow":true}"#.utf8))),
                "refused"
            ),
            (.relayed(RelayedError(code: 4, name: "forbidden", data: [])), "forbidden"),
            (.relayed(RelayedError(code: 12, name: "storage", data: [])), "storage"),
            (.relayed(RelayedError(code: 1, name: "noTransition", data: [])), "refused"),
        ] as [(CallError, String)])
    func `each error has an outcome`(_ error: CallError, _ outcome: String) {
        reply(.send, .refused(error))
        #expect(counts == ["send \(outcome) 1"])
    }

    @Test func `each method and each outcome has a slot of its own`() {
        #expect(Method.allCases.allSatisfy { $0.rawValue < RequestMeter.noMethod })
        #expect(RequestMeter.Outcome.allCases.allSatisfy { $0.rawValue < 8 })
        for method in Method.allCases { reply(method, .succeeded(row: 0)) }
        reply(nil, .refused(.parseError("")))
        #expect(counts == Method.allCases.map { "\($0.name) ok 1" } + ["other invalid 1"])
    }

    @Test func `a reply that waits for a row counts when the row is durable, with its time`() {
        reply(.send, .succeeded(row: 5))
        reply(.status, .succeeded(row: 0))
        #expect(counts == ["status ok 1"])
        clock.advance(by: .milliseconds(3))
        buffer.release(upTo: 4)
        #expect(counts == ["status ok 1"])
        buffer.release(upTo: 5)
        #expect(counts == ["send ok 1", "status ok 1"])
        #expect(meter.sendTimes.sum == 3_000_000 && meter.statusTimes.sum == 0)
        #expect(meter.otherTimes.count == 0)
    }

    @Test func `a reply that the store could not make durable counts once, as a failure`() {
        reply(.send, .succeeded(row: 5))
        _ = buffer.fail(after: 4, .storage(why: "", outcome: .undone))
        #expect(counts == ["send storage 1"])
    }

    @Test func `a deferred result counts with the error that has arrived`() {
        let result = DeferredResult(assumedBytes: 0) { _ in }
        reply(.history, .deferred(result))
        reply(.history, .deferred(result))
        #expect(counts.isEmpty)
        buffer.deliver(1, .failure(.refused(.notVirtual)))
        buffer.deliver(2, .success { $0.null() })
        #expect(counts == ["history ok 1", "history refused 1"])
    }

    @Test func `lines of both dialects, batches, notifications and unreadable lines count`() throws
    {
        let connection = try TestConnection()
        let handler = connection.handler
        for line in [
            "ping", "nothing", #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            #"{"jsonrpc":"2.0","method":"ping"}"#, #"{"jsonrpc""#, "[1]",
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"no"}]"#,
        ] { handler.answer(.line(Array(line.utf8)[...]), from: connection) }
        var counts: [String] = []
        handler.meter.forEachCount { counts.append("\($0) \($1.name) \($2)") }
        #expect(counts == ["ping ok 4", "other invalid 4"])
    }

    /// The lines and messages that call no method.
    private static let uncalled = [
        "%", "?", "[]", "[1]", "7", "{}", #"{"jsonrpc""#, "help", #"send "x"#,
        String(repeating: "x", count: 70_000),
    ]

    /// The counts of a handler.
    private func counts(_ handler: ProtocolHandler) -> [String] {
        var counts: [String] = []
        handler.meter.forEachCount { counts.append("\($0) \($1.name) \($2)") }
        return counts
    }

    @Test(arguments: uncalled)
    func `each answered line counts, also one that calls no method`(_ line: String) throws {
        let connection = try TestConnection()
        #expect(connection.reply(to: line) != "")
        let outcome =
            line.count > 1000 ? "limited" : ["?", "help"].contains(line) ? "ok" : "invalid"
        #expect(counts(connection.handler) == ["other \(outcome) 1"], "\(line.prefix(20))")
    }

    @Test(arguments: uncalled)
    func `each answered line counts against the limit of requests`(_ line: String) throws {
        let connection = try TestConnection()
        connection.requestsLeft = 1
        #expect(!connection.reply(to: line).contains("requests"))
        #expect(connection.reply(to: line).contains(#"{"which":"requests","limit":1}"#))
        #expect(counts(connection.handler).last?.hasPrefix("other ") == true)
        let limited = line.count > 1000 ? 2 : 1
        #expect(counts(connection.handler).contains("other limited \(limited)"))
    }

    @Test func `an unfinished last line counts, and a comment does not`() throws {
        let connection = try TestConnection()
        for line in ["# x", "", "ping"] {
            connection.handler.answerUnfinished(Array(line.utf8)[...], from: connection)
        }
        #expect(counts(connection.handler) == ["other invalid 1"])
    }

    @Test func `the elements of a batch whose reply is too long count as limited`() throws {
        let connection = try TestConnection()
        for number in 0..<1000 {
            _ = connection.reply(to: "open @session-with-a-rather-long-name-number-\(number)")
        }
        let request = #"{"jsonrpc":"2.0","id":1,"method":"list","params":{"limit":1000}}"#
        let batch = Array(repeating: request, count: 200) + ["1"]
        let reply = connection.reply(to: "[\(batch.joined(separator: ","))]")
        let refused = reply.ranges(of: "batchBytes").count
        #expect(refused > 0, "\(reply.utf8.count)")
        #expect(
            counts(connection.handler) == [
                "list ok \(200 - refused)", "list limited \(refused)", "open ok 1000",
                "other invalid 1",
            ])
    }
}
