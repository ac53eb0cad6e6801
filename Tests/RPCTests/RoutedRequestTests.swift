import JSONCoding
import Sessions
import Testing

@testable import RPC

/// Requests on their way to the owners of sessions.
@Suite struct RoutedRequestTests {
    /// The refusal of a request that was not executed because its session's store fails.
    private func refusal(_ line: String) throws -> RequestError {
        let request: RoutedRequest?
        if line.hasPrefix("{") {
            var params = Params()
            try params.json.load(Array(line.utf8)[...])
            guard case .request(let message) = try params.readMessage(),
                case .method(let method) = message.call
            else { throw CallError.invalidRequest(line) }
            request = RoutedRequest(method, params)
        } else {
            let bytes = Array(line.utf8)[...]
            request = RoutedRequest(try TextRequest(TextWords.split(bytes)), bytes)
        }
        return try #require(request).outage(why: "the disk is full")
    }

    /// An earlier attempt with the same id may have been stored.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","id":"k"}}"#,
        "send id=k pause", "send\tid=k pause", #"send @guest id="a b" pause"#,
    ])
    func `the outcome is unknown for a request with an id`(_ line: String) throws {
        #expect(try refusal(line) == .storage(why: "the disk is full", outcome: .unknown))
    }

    /// Nothing has changed.
    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"status"}"#, "send pause", "send pause tid=3",
    ])
    func `the outcome is undone for a request without an id`(_ line: String) throws {
        #expect(try refusal(line) == .storage(why: "the disk is full", outcome: .undone))
    }

    @Test func `a line for another node has the parameters of the request`() {
        let request = RoutedRequest.send(
            "pause", [], to: SessionName("guest")!, id: "k", ageMs: 3, entry: 2)
        #expect(
            String(decoding: request.line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"session":"guest","id":"k","#
                + #""event":"pause","args":{},"ageMs":3,"entry":2}}"#)
        #expect(request.isRepeatable)
    }
}
