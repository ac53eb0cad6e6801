import RPC
import Testing

@testable import Cluster
@testable import GamedServer

/// `GapCollector`, which holds the notifications of all owners of shards while a watch of all sessions begins. After that, it
/// passes on to the client the owners' gaps, or one merged gap in place of them, and then the changes. These tests check the
/// notifications that the client gets.
@Suite struct GapCollectorTests {
    private func notification(_ method: String, _ params: String) throws -> EncodedNotification {
        let line = #"{"jsonrpc":"2.0","method":"\#(method)","params":{\#(params)}}"#
        return try #require(EncodedNotification(relayed: Array(line.utf8)))
    }

    private let gapParams = #""session":"*","since":1,"pos":9,"sessions":[],"more":false"#

    @Test func `a merged gap replaces the gaps of the owners and precedes the changes`() throws {
        let collector = GapCollector()
        let change = try notification("change", #""session":"s1","seq":2,"pos":10"#)
        collector.add(try notification("gap", gapParams))
        collector.add(change)
        collector.add(try notification("gap", gapParams))
        #expect(collector.hasGap)
        let mergedGap = try notification("gap", #""session":"*","since":1,"pos":10"#)
        let passedOn = collector.notifications(mergedGap: mergedGap)
        #expect(
            passedOn.map(ObjectIdentifier.init) == [mergedGap, change].map(ObjectIdentifier.init))
    }

    @Test func `a collection that ends early passes on the gaps of the owners`() throws {
        let collector = GapCollector()
        let text = String(repeating: "x", count: GapCollector.byteLimit)
        collector.add(
            try notification("change", #""session":"s1","seq":2,"pos":10,"why":"\#(text)""#))
        collector.add(try notification("gap", gapParams))
        #expect(collector.isFull)
        #expect(collector.notifications(mergedGap: nil).map(\.method) == ["gap", "change"])
    }

    @Test func `the gap of one session is passed on as it is`() throws {
        let collector = GapCollector()
        collector.add(try notification("gap", #""session":"s1","seq":2,"pos":10"#))
        #expect(!collector.hasGap)
        #expect(collector.notifications(mergedGap: nil).map(\.method) == ["gap"])
    }
}
