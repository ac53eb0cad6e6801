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

    private func gap(_ shard: Int, _ session: String, pos: Int) throws -> OwnerGap {
        let params =
            #""session":"*","since":1,"pos":\#(pos),"cursor":"c\#(pos)","#
            + #""sessions":[{"session":"\#(session)","seq":1}],"more":false"#
        return OwnerGap(try notification("gap", params), of: shard)
    }

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

    @Test func `a merged gap replaces the gaps of the owners and precedes the changes`()
        throws
    {
        collector.add(try gap(1, "s1", pos: 9))
        let change = try notification("change", #""session":"s1","seq":2,"pos":10"#)
        change.pos = 10
        collector.hold(change, ofShard: 1)
        collector.add(try gap(2, "s2", pos: 8))
        let merged = collector.merged(with: pages)
        let passedOn = collector.release(after: merged.cursor)
        #expect(passedOn.count == 1 && passedOn[0] === change)
        let text = String(decoding: merged.gap(since: collector.since).params, as: UTF8.self)
        #expect(text.contains(#""since":4,"pos":22,"cursor":"m1.9_2.8_3.5""#), "\(text)")
        let names = text.split(separator: #""session":""#).dropFirst(2).map { $0.prefix(2) }
        #expect(names == ["s1", "s2", "s3"], "\(text)")
    }

    @Test func `a merged gap leaves out the changes that it shows`() throws {
        collector.add(try gap(1, "s1", pos: 9))
        for pos in [5, 6] {
            let change = try notification("change", #""session":"s3","pos":\#(pos)"#)
            change.pos = pos
            collector.hold(change, ofShard: 3)
        }
        let beat = try notification("beat", #""session":"s3""#)
        collector.hold(beat, ofShard: nil)
        let passedOn = collector.release(after: collector.merged(with: pages).cursor)
        #expect(passedOn.map(\.method) == ["change", "beat"] && passedOn[0].pos == 6)
    }

    /// A gap that was collected before the owners were asked again, and the gap of an owner of an earlier version.
    @Test func `a gap that is older than the page of its owner is left out`() throws {
        collector.add(try gap(3, "old", pos: 4))
        let notification = try notification(
            "gap", #""session":"*","pos":9,"cursor":"c9","sessions":[{"session":"older"}]"#)
        collector.add(OwnerGap(notification, of: nil))
        let merged = collector.merged(with: pages)
        let text = String(decoding: merged.gap(since: collector.since).params, as: UTF8.self)
        #expect(text.contains(#""cursor":"m3.5","sessions":[{"session":"s3"}]"#), "\(text)")
    }

    @Test func `too many held notifications are passed on`() throws {
        let text = String(repeating: "x", count: GapCollector.byteLimit)
        collector.hold(
            try notification("change", #""session":"s1","seq":2,"pos":10,"why":"\#(text)""#),
            ofShard: 1)
        #expect(collector.isFull)
        #expect(collector.release().map(\.method) == ["change"])
        #expect(!collector.isFull && !collector.isHolding)
    }

    @Test func `the gap for another node names its shard, even at the position 0`() throws {
        let gap = try gap(1, "s1", pos: 0).notification(after: ClusterCursor(positions: [1: 3]))
        let text = String(decoding: gap.params, as: UTF8.self)
        #expect(text.contains(#""since":3,"pos":0,"cursor":"m1.0""#), "\(text)")
    }
}
