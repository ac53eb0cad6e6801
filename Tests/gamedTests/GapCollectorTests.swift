import RPC
import Testing
import Timers

@testable import Cluster
@testable import GamedServer

/// `GapCollector`, which collects the gaps of the owners of shards in a watch of all sessions, and holds other notifications
/// meanwhile. These tests check the notifications that the client gets.
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

    /// A collection for a client that has four changes.
    private let collector = GapCollector(since: 4, deadline: .zero)
    /// The page of the owner of shard 3. Shard 2 has no owner when the pages are made.
    private let pages: MergedPages = {
        var pages = MergedPages(
            limit: 10, shardCount: 256, missingShardCount: 1, from: ClusterCursor())
        pages.add(
            RelayedPage(Array(#"{"sessions":[{"session":"s3"}],"more":false}"#.utf8)),
            at: ClusterCursor(positions: [3: 5]))
        return pages
    }()

    @Test mutating func `a merged gap replaces the gaps of the owners and precedes the changes`()
        throws
    {
        collector.add(try gap(1, "s1", pos: 9))
        let change = try notification("change", #""session":"s1","seq":2,"pos":10"#)
        change.pos = 10
        collector.hold(change, ofShard: 1)
        collector.add(try gap(2, "s2", pos: 8))
        let passedOn = collector.notifications(mergingGapsInto: pages)
        #expect(passedOn.map(\.method) == ["gap", "change"] && passedOn.last === change)
        let text = String(decoding: passedOn[0].params, as: UTF8.self)
        #expect(text.contains(#""since":4,"pos":22,"cursor":"m1.9_2.8_3.5""#), "\(text)")
        let names = text.split(separator: #""session":""#).dropFirst(2).map { $0.prefix(2) }
        #expect(names == ["s1", "s2", "s3"], "\(text)")
    }

    @Test mutating func `a merged gap leaves out the changes that it shows`() throws {
        collector.add(try gap(1, "s1", pos: 9))
        for pos in [5, 6] {
            let change = try notification("change", #""session":"s3","pos":\#(pos)"#)
            change.pos = pos
            collector.hold(change, ofShard: 3)
        }
        let beat = try notification("beat", #""session":"s3""#)
        collector.hold(beat, ofShard: nil)
        let passedOn = collector.notifications(mergingGapsInto: pages)
        #expect(passedOn.map(\.method) == ["gap", "change", "beat"] && passedOn[1].pos == 6)
    }

    @Test func `without a gap, the client gets all changes`() throws {
        let change = try notification("change", #""session":"s3","pos":5"#)
        change.pos = 5
        collector.hold(change, ofShard: 3)
        #expect(collector.notifications(mergingGapsInto: pages).map(\.method) == ["change"])
    }

    @Test mutating func `a collection that ends early passes on the gaps of the owners`() throws {
        let text = String(repeating: "x", count: GapCollector.byteLimit)
        collector.hold(
            try notification("change", #""session":"s1","seq":2,"pos":10,"why":"\#(text)""#),
            ofShard: 1)
        collector.add(try gap(1, "s1", pos: 9))
        #expect(collector.isFull)
        let passedOn = collector.notifications()
        #expect(passedOn.map(\.method) == ["gap", "change"])
        // Such a gap has a cursor of all shards: with the gap, the client has seen the changes up to there.
        let gap = String(decoding: passedOn[0].params, as: UTF8.self)
        #expect(gap.contains(#""since":3,"pos":12,"cursor":"m1.9_7.3""#), "\(gap)")
        #expect(!collector.isFull && !collector.isHolding)
    }

    @Test mutating func `a gap moves the position back if rows of its shard were lost`() throws {
        _ = try gap(7, "s1", pos: 2)
        #expect(seen == ClusterCursor(positions: [7: 2]))
    }
}
