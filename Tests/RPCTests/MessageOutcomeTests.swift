import GameFlow
import JSONCoding
import RPC
import Sessions
import Testing

@Suite struct MessageOutcomeTests {
    let connection: TestConnection

    init() throws { connection = try TestConnection() }

    private static func call(_ method: String, _ params: String = "{}", id: String = "1") -> String
    {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    @Test(
        arguments: [
            (call("ping"), .result),
            (#"{"jsonrpc":"2.0","method":"ping"}"#, .noReply),
            (
                #"{"jsonrpc":"2.0","method":"nosuch"}"#,
                .refusedNotification(.methodNotFound("nosuch"))
            ),
            (#"[{"jsonrpc":"2.0","method":"ping"}]"#, .noReply), ("[\(call("nosuch"))]", .batch),
            ("[]", .error(.invalidRequest("an empty batch"))),
            ("{bad", .error(.parseError("a name is missing, at byte 1"))),
            (call("nosuch"), .error(.methodNotFound("nosuch"))),
            (call("send"), .error(.invalidParams("event: missing"))),
            (
                call("ping", id: "null"),
                .error(
                    .invalidRequest("id: expected a string, or an integer within ±(2^53 − 1)"))
            ),
            (
                call("status", #"{"session":"nosuch"}"#),
                .error(.refused(.unknownSession("nosuch", didYouMean: [])))
            ),
            (
                call("send", #"{"event":"tick"}"#),
                .error(.refused(.forbidden(.event("tick"), source: .unix, needs: .timer)))
            ),
        ] as [(String, MessageOutcome)])
    func `the outcome of a message agrees with its reply`(
        _ message: String, _ expected: MessageOutcome
    ) {
        let (outcome, reply) = connection.outcome(message)
        #expect(outcome == expected)
        switch outcome {
        case .noReply, .refusedNotification: #expect(reply.isEmpty)
        case .result, .error, .batch: #expect(!reply.isEmpty)
        }
        #expect(reply.hasPrefix("[") == (outcome == .batch))
        if case .error = expected { #expect(reply.contains(#""error":"#)) }
    }

    @Test
    func
        `an error that replaces a reply becomes the outcome, except in a batch or without a reply`()
    {
        let error = CallError.refused(.storage(why: "full", outcome: .undone))
        func replaced(_ outcome: MessageOutcome) -> MessageOutcome {
            var outcome = outcome
            outcome.replace(by: error)
            return outcome
        }
        #expect(replaced(.result) == .error(error))
        #expect(replaced(.error(.invalidParams("x"))) == .error(error))
        #expect(replaced(.batch) == .batch)
        #expect(replaced(.noReply) == .noReply)
    }

    @Test func `a result that is delivered later changes the outcome only if it is an error`() {
        let error = CallError.refused(.limit(which: "historyQueries", limit: 16))
        var outcome = MessageOutcome.result
        outcome.deliver(.success { $0.null() })
        #expect(outcome == .result)
        outcome.deliver(.failure(error))
        #expect(outcome == .error(error))
        outcome = .batch
        outcome.deliver(.failure(error))
        #expect(outcome == .batch)
    }
}
