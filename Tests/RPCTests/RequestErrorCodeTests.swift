import GameFlow
import JSONCoding
import Testing

@testable import RPC
@testable import Sessions

@Suite struct RequestErrorCodeTests {
    /// One error of each kind, in the order of their codes.
    private static let errors: [RequestError] = [
        .noTransition(event: "x", state: "y", accepts: [], last: nil),
        .invalid(.event("x"), argument: "a", why: "missing"), .hookRefused(hook: "h", why: "no"),
        .forbidden(.event("x"), source: .unix, needs: .timer),
        .unknownSession("x", didYouMean: []), .unknownEvent("x", didYouMean: []),
        .finished(state: "y"), .stale(ageMs: 2, limitMs: 1), .deferQueueFull(limit: 1),
        .exists("x"), .limit(which: "ids", limit: 1), .storage(why: "full", outcome: .undone),
        .unknownFlow("x", didYouMean: []), .notVirtual, .unknownState("x", didYouMean: []),
        .elsewhere(session: "x", node: "b", address: "127.0.0.1:1"),
    ]

    @Test func `each error has its own code, which equals the number in journals`() {
        #expect(Self.errors.map { CallError.refused($0).code } == Array(1...16))
        #expect(Self.errors.map(\.number) == Array(1...16))
    }

    @Test func `a reply and the record of a refused event contain the same error`() {
        for error in Self.errors {
            var reply = JSONWriter()
            reply.reply(refusing: .refused(error))
            let record = String(
                decoding: JSONWriter.bytes { $0.error(.refused(error)) }, as: UTF8.self)
            #expect(
                String(decoding: reply.bytes, as: UTF8.self)
                    == #"{"jsonrpc":"2.0","id":null,"error":\#(record)}"#)
        }
    }
}
