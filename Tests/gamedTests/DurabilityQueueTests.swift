import Durability
import Testing

@testable import GamedServer
@testable import Shards

@Suite struct DurabilityQueueTests {
    @Test
    func `a commit releases those who wait for its rows, in the order in which they began to wait`()
    {
        var queue = DurabilityQueue<String>()
        queue.add("b", until: 7)
        queue.add("a", until: 5)
        queue.add("next commit", until: 0)
        queue.add("c", until: 9)
        #expect(queue.take(after: .durable, durable: 7) == ["b", "a", "next commit"])
        #expect(queue.take(after: .durable, durable: 8).isEmpty)
        #expect(queue.take(after: .recovered, durable: 8) == ["c"])
        #expect(queue.take(after: .recovered, durable: 8).isEmpty)
    }
}
