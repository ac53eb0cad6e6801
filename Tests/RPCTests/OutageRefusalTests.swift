import Sessions
import Testing

@testable import RPC

/// The refusal of requests that were not executed because their session's store fails. If a request has an id, an earlier
/// attempt with the same id may have been stored, so its outcome is unknown. The outcome `undone` means that nothing has
/// changed.
@Suite struct OutageRefusalTests {
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","id":"k"}}"#,
        "send id=k pause", "send\tid=k pause", #"send @guest id="a b" pause"#, "{",
    ])
    func `the outcome is unknown for a request with an id or one that cannot be parsed`(
        _ line: String
    ) {
        let refusal = RequestError.outage(why: "the disk is full", refusing: Array(line.utf8))
        #expect(refusal == .storage(why: "the disk is full", outcome: .unknown))
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"status"}"#, "send pause", "send pause tid=3",
    ])
    func `the outcome is undone for a request without an id`(_ line: String) {
        let refusal = RequestError.outage(why: "the disk is full", refusing: Array(line.utf8))
        #expect(refusal == .storage(why: "the disk is full", outcome: .undone))
    }
}
