import Support
import Testing

@Suite struct BinarySearchTests {
    @Test(arguments: 0...40)
    func `the prefix count is the first index for which the condition is false`(_ count: Int) {
        for prefix in 0...count {
            var examinedCount = 0
            let result = BinarySearch.prefixCount(count) { index in
                examinedCount += 1
                return index < prefix
            }
            #expect(result == prefix)
            #expect(examinedCount <= 6, "\(count) indices need at most 6 steps")
        }
    }
}
