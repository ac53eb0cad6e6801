import GameFlow
import JSONCoding
import Sessions
import Testing

@testable import RPC

/// Pausing and resuming all sessions of several owners.
@Suite struct AllTimersTests {
    /// Answers the lists with these pages, and each other request with success.
    private final class Pages: SessionRequests {
        private var pages: [String]
        private(set) var asked: [String] = []

        init(_ pages: [String]) { self.pages = pages }

        func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult {
            if case .session(let name) = request.target { asked.append(name.text) }
            let isList = request.method == .list
            let page = isList ? pages.removeFirst() : "{}"
            return DeferredResult { $0(.success { $0.raw(Array(page.utf8)) }) }
        }
        func callInLaterTurn(_ work: @escaping () -> Void) { work() }
    }

    @Test func `shards that were missing in one page are missing in the result`() throws {
        let pages = Pages([
            #"{"sessions":[{"session":"a"}],"more":true,"missing":1,"shards":8}"#,
            #"{"sessions":[{"session":"b"}],"more":true,"missing":3,"shards":8}"#,
            #"{"sessions":[{"session":"c"}],"more":false}"#,
        ])
        let connection = try TestConnection(opensMain: false)
        connection.dispatcher.sessionRequests = pages
        let reply = connection.reply(to: "pause @*")
        #expect(
            reply.hasPrefix(#"OK {"sessions":3,"failed":[],"missing":3,"shards":8}"#), "\(reply)")
        #expect(pages.asked == ["a", "b", "c"])
    }
}
