import Support
import TestSupport
import Testing

@Suite struct DequeTests {
    @Test func `elements are removed in the order in which they were appended`() {
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

    @Test func `the last element can be changed and removed`() {
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

    @Test(arguments: seeds(4))
    func `a queue that wraps around equals an array at each step`(seed: UInt64) {
        var random = SeededRandom(seed)
        var (queue, array) = (Deque<String>(), [String]())
        for number in 0..<5000 {
            switch random.below(5) {
            // The condition belongs to 2 only. Below 100 elements the queue grows. From then on, its length stays near 100.
            case 0, 1,
                2 where array.count < 100:
                queue.append("\(number)")
                array.append("\(number)")
            case 3: #expect(queue.removeLast() == array.popLast())
            default:
                #expect(queue.removeFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            let isSame =
                queue.count == array.count && queue.first == array.first
                && queue.last == array.last && queue.elements == array
                && array.indices.allSatisfy { queue[$0] == array[$0] }
            guard isSame else {
                Issue.record("differs at step \(number)")
                return
            }
        }
    }
}

@Suite struct ChunkedArrayTests {
    @Test func `elements keep their indices and can be changed`() {
        var numbers = ChunkedArray<Int>()
        #expect(numbers.indices.isEmpty)
        let count = 3 * ChunkedArray<Int>.chunkSize + 1
        for number in 0..<count { numbers.append(number) }
        for index in stride(from: 0, to: count, by: 3) { numbers[index] += 1_000_000 }
        #expect(numbers.count == count)
        let isRight = numbers.indices.allSatisfy {
            numbers[$0] == ($0 % 3 == 0 ? $0 + 1_000_000 : $0)
        }
        #expect(isRight)
    }

    @Test func `dropping a chunk does not affect a copy`() {
        var numbers = ChunkedArray<Int>()
        let size = ChunkedArray<Int>.chunkSize
        for number in 0..<2 * size { numbers.append(number) }
        let copy = numbers
        numbers.dropChunk(of: size - 1)
        #expect(numbers[size] == size)
        #expect(copy[0] == 0 && copy[size - 1] == size - 1)
    }
}
