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

    private mutating func gap(_ shard: Int, _ session: String, pos: Int) throws -> OwnerGap {
        let params =
            #""session":"*","since":1,"pos":\#(pos),"cursor":"c\#(pos)","#
            + #""sessions":[{"session":"\#(session)","seq":1}],"more":false"#
        return OwnerGap(try notification("gap", params), of: shard, movingPast: &seen)
    }

    /// What the client of the test has seen: three changes of shard 7.
    private var seen = ClusterCursor(positions: [7: 3])

    @Test mutating func `a merged gap replaces the gaps of the owners and precedes the changes`()
        throws
    {
        let collector = GapCollector()
        let change = try notification("change", #""session":"s1","seq":2,"pos":10"#)
        collector.add(try gap(1, "s1", pos: 9))
        collector.add(change)
        collector.add(try gap(2, "s2", pos: 8))
        // The page of a third owner; shard 2 had no owner when the pages were made.
        var pages = MergedPages(
            limit: 10, shardCount: 256, missingShardCount: 1, from: ClusterCursor())
        pages.add(
            RelayedPage(Array(#"{"sessions":[{"session":"s3"}],"more":false}"#.utf8)),
            at: ClusterCursor(positions: [3: 5]))
        let passedOn = collector.notifications(mergingGapsInto: pages, since: 4)
        #expect(passedOn.map(\.method) == ["gap", "change"] && passedOn.last === change)
        let text = String(decoding: passedOn[0].params, as: UTF8.self)
        #expect(text.contains(#""since":4,"pos":22,"cursor":"m1.9_2.8_3.5""#), "\(text)")
        let names = text.split(separator: #""session":""#).dropFirst(2).map { $0.prefix(2) }
        #expect(names == ["s1", "s2", "s3"], "\(text)")
    }

    @Test mutating func `a collection that ends early passes on the gaps of the owners`() throws {
        let collector = GapCollector()
        let text = String(repeating: "x", count: GapCollector.byteLimit)
        collector.add(
            try notification("change", #""session":"s1","seq":2,"pos":10,"why":"\#(text)""#))
        collector.add(try gap(1, "s1", pos: 9))
        #expect(collector.isFull)
        let passedOn = collector.notifications(mergingGapsInto: nil, since: 0)
        #expect(passedOn.map(\.method) == ["gap", "change"])
        // Such a gap has a cursor of all shards: with the gap, the client has seen the changes up to there.
        let gap = String(decoding: passedOn[0].params, as: UTF8.self)
        #expect(gap.contains(#""since":3,"pos":12,"cursor":"m1.9_7.3""#), "\(gap)")
    }

    @Test func `the gap of one session is passed on as it is`() throws {
        let collector = GapCollector()
        let gap = try notification("gap", #""session":"s1","seq":2,"pos":10"#)
        collector.add(gap)
        let passedOn = collector.notifications(mergingGapsInto: nil, since: 0)
        #expect(passedOn.count == 1 && passedOn[0] === gap)
    }

    @Test mutating func `a gap moves the position back if rows of its shard were lost`() throws {
        _ = try gap(7, "s1", pos: 2)
        #expect(seen == ClusterCursor(positions: [7: 2]))
    }
}
