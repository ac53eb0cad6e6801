import Cluster
import Testing

/// The page of a list that is merged from parts of the owners' lists.
@Suite struct MergedPagesTests {
    private var pages = MergedPages(
        limit: 2, shardCount: 256, missingShardCount: 0, from: ClusterCursor())

    private func page(_ names: [String], hasMore: Bool) -> RelayedPage {
        let sessions = names.map { #"{"session":"\#($0)"}"# }.joined(separator: ",")
        return RelayedPage(Array(#"{"sessions":[\#(sessions)],"more":\#(hasMore)}"#.utf8))
    }

    private var inside: [ShardRouter.Owner] { pages.ownersInsidePage.map(\.owner) }

    @Test mutating func `an owner is asked for more if its part ends before the page`() {
        pages.add(page(["b"], hasMore: true), of: .shard(1), at: nil)
        #expect(inside == [.shard(1)])
        pages.add(page(["c", "d"], hasMore: true), of: .shard(2), at: nil)
        #expect(inside == [.shard(1)])
        pages.add(page(["e"], hasMore: true), of: .shard(1), at: nil)
        #expect(inside == [])
    }

    @Test mutating func `an owner that does not answer for the rest is not asked again`() {
        pages.add(page(["b"], hasMore: true), of: .shard(1), at: nil)
        pages.addMissing(.shard(1), shardCount: 1)
        #expect(inside == [])
        #expect(pages.missingShardCount == 1)
    }
}
