import Support
import Testing

@Suite struct ChunkedArrayTests {
    @Test func `elements stay where they were appended, and can be changed`() {
        var numbers = ChunkedArray<Int>()
        #expect(numbers.indices.isEmpty)
        let count = 3 * ChunkedArray<Int>.chunkSize + 1
        for number in 0..<count { numbers.append(number) }
        for place in stride(from: 0, to: count, by: 3) { numbers[place] += 1_000_000 }
        #expect(numbers.count == count)
        let isRight = numbers.indices.allSatisfy {
            numbers[$0] == ($0 % 3 == 0 ? $0 + 1_000_000 : $0)
        }
        #expect(isRight)
    }

    @Test func `what is given back of one list is still in its copy`() {
        var numbers = ChunkedArray<Int>()
        let size = ChunkedArray<Int>.chunkSize
        for number in 0..<2 * size { numbers.append(number) }
        let copy = numbers
        numbers.dropChunk(of: size - 1)
        #expect(numbers[size] == size)
        #expect(copy[0] == 0 && copy[size - 1] == size - 1)
    }
}
