/// The chance of a session: a seed, and the number of values that were drawn from it.
///
/// Draw number n, counted from 1, is the value that a SplitMix64 generator with the seed `seed + n` gives first. So a session that
/// is restored, undone or replayed draws the same values again.
public struct Chance: Equatable, Sendable {
    /// The seed, which no client sees.
    public let seed: UInt64
    /// The number of values that were drawn.
    public private(set) var drawn: UInt64

    public init(seed: UInt64, drawn: UInt64 = 0) { (self.seed, self.drawn) = (seed, drawn) }

    /// The next value.
    public mutating func next() -> UInt64 {
        drawn &+= 1
        var z = seed &+ drawn &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// Returns a number from 0 to `count - 1`; 0 if `count` is 0. The values above the largest multiple of `count` are
    /// rejected: the next one is drawn in their place. So all numbers are equally probable.
    public mutating func next(below count: UInt64) -> UInt64 {
        if count == 0 { return 0 }
        // 2^64 mod count
        let excess = (UInt64.max % count &+ 1) % count
        while true {
            let value = next()
            if value <= UInt64.max - excess { return value % count }
        }
    }
}

/// The outcomes of draws that a search chooses, one draw after the other.
///
/// A machine without a seed draws from here. A search makes a move again for each outcome of its draws. All calls are on the
/// thread of the search.
@usableFromInline package final class DrawScript {
    /// The outcomes that the search has chosen for the first draws of a move; each further draw has the outcome 0.
    private var choices: [Int] = []
    /// For each draw of the move, how many outcomes the search can choose among. Of more than `drawLimit` draws, it has one more.
    package private(set) var counts: [Int] = []
    /// Whether a draw had other outcomes that a search does not try.
    package private(set) var leavesOut = false

    package init() {}

    /// Begins a move whose first draws have these outcomes.
    package func begin(_ choices: [Int]) {
        self.choices = choices
        counts = []
    }

    /// The greatest number of draws of one move whose outcomes a search tries.
    package static let drawLimit = 4

    /// The other choices for a move that was made with the choices `given`: each draw beyond them has each of its other outcomes
    /// once. So each list of choices is made once.
    package func others(than given: [Int]) -> [[Int]] {
        counts.prefix(Self.drawLimit).enumerated().dropFirst(given.count).flatMap { index, count in
            let zeros = Array(repeating: 0, count: index - given.count)
            return (1..<max(count, 1)).map { given + zeros + [$0] }
        }
    }

    /// Returns the outcome of the next draw, of `count` possible ones. `isWhole` is false if the draw has others.
    package func choose(of count: Int, isWhole: Bool) -> Int {
        if !isWhole { leavesOut = true }
        let index = counts.count
        // A search varies no further draws, and their number has no limit.
        guard index <= Self.drawLimit else { return 0 }
        counts.append(count)
        return index < choices.count ? min(choices[index], count - 1) : 0
    }
}
