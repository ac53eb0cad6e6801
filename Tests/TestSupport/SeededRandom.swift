/// The seeds of a property test: `count` seeds, or `long` seeds in `make test-long`. Each run has the same seeds. A failure
/// prints its seed, so that the case can be run alone.
public func seeds(_ count: UInt64, long: UInt64? = nil) -> ClosedRange<UInt64> {
    1...(TestLength.isLong ? long ?? count : count)
}

/// A generator of random numbers that are determined by a seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(_ seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A random number that is at least 0 and less than `limit`.
    public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// A random element of an array that is not empty.
    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
