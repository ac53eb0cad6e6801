import JSONCoding
import Testing

@testable import RPC

@Suite struct FragmentCacheTests {
    private final class Subject {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// Writes each subject once, and returns how many of them the cache did not have.
    private func missed(_ cache: inout FragmentCache<Subject>, _ subjects: [Subject]) -> Int {
        var composed = 0
        for subject in subjects {
            let bytes = JSONWriter.bytes { writer in
                cache.write(subject, to: &writer) {
                    composed += 1
                    $0.int(subject.number)
                }
            }
            #expect(String(decoding: bytes, as: UTF8.self) == "\(subject.number)")
        }
        return composed
    }

    @Test func `a cache grows with the number of objects that are written again and again`() {
        let subjects = (0..<300).map(Subject.init)
        var cache = FragmentCache<Subject>()
        for _ in 0..<20 { _ = missed(&cache, subjects) }
        #expect(cache.slotCount >= 512)
        // The objects that are alone in their slots are found. Their addresses, which no test can choose, determine the slots.
        let slots = Dictionary(grouping: subjects) {
            Int(bitPattern: ObjectIdentifier($0)) >> 4 & (cache.slotCount - 1)
        }
        let sharing = slots.values.filter { $0.count > 1 }.joined().count
        #expect(missed(&cache, subjects) == sharing)
    }

    @Test func `a cache of few objects stays small`() {
        let subjects = (0..<4).map(Subject.init)
        var cache = FragmentCache<Subject>(slots: 64)
        for _ in 0..<10 { _ = missed(&cache, subjects) }
        #expect(cache.slotCount == 64)
    }

    @Test func `a cache does not grow beyond its limit`() {
        var cache = FragmentCache<Subject>()
        let subjects = (0..<5000).map(Subject.init)
        for _ in 0..<3 { _ = missed(&cache, subjects) }
        #expect(cache.slotCount == FragmentCache<Subject>.slotLimit)
    }
}
