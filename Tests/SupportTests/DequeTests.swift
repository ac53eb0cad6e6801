import Support
import Testing

@Suite struct DequeTests {
    @Test func `a queue gives out what it took in, in order, and forgets it`() {
        var queue = Deque<Int>()
        var next = 0
        for number in 0..<10_000 {
            queue.append(number)
            if number % 3 == 0 {
                #expect(queue.removeFirst() == next)
                next += 1
            }
        }
        while let number = queue.removeFirst() {
            #expect(number == next)
            next += 1
        }
        #expect(next == 10_000)
        #expect(queue.isEmpty)
    }

    @Test func `what was appended last can be changed and taken back`() {
        var queue = Deque<Int>()
        queue.changeLast { $0 += 1 }
        #expect(queue.removeLast() == nil && queue.last == nil && queue.first == nil)
        for number in 1...3 { queue.append(number) }
        #expect(queue.removeFirst() == 1)
        queue.changeLast { $0 += 10 }
        #expect(queue.last == 13 && queue.first == 2 && queue.count == 2)
        #expect(queue.removeLast() == 13)
        #expect(queue.removeLast() == 2)
        #expect(queue.removeLast() == nil && queue.removeFirst() == nil)
        queue.append(4)
        #expect(queue.removeFirst() == 4)
        queue.append(5)
        queue.removeAll()
        #expect(queue.isEmpty)
    }
}
