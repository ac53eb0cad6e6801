internal import TestSupport

/// What is done to a journal while the power can go: drawn from a seed, so another seed is another
/// one.
package struct Workload: Sendable {
    package enum Step: Equatable, Sendable {
        /// A batch, a row for each size of a body.
        case append([Int])
        case checkpoint
        case reopen
        /// Removes rows from the end, until so many of a hundred are left.
        case remove(leaving: Int)
    }

    package let seed: UInt64
    package let device: Device
    package private(set) var steps: [Step] = []

    package init(_ seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed)
        device = Device(&random)
        for _ in 0..<(2 + random.below(5)) { steps.append(Self.batch(&random)) }
        insert(.checkpoint, upTo: 2, &random)
        insert(.reopen, upTo: 2, &random)
        if random.below(2) == 0 {
            // Behind it batches take the places of the rows that are gone.
            steps.insert(.remove(leaving: random.below(100)), at: 1 + random.below(steps.count))
        }
        if random.below(2) == 0 { steps.append(Self.batch(&random)) }
    }

    /// A batch for whoever goes on when the workload is over.
    static func batch(_ random: inout SeededRandom) -> Step {
        .append(
            (0...random.below(4)).map { _ in
                // Some rows need pages of their own.
                random.below(random.below(6) == 0 ? 9000 : 200)
            })
    }

    private mutating func insert(_ step: Step, upTo limit: Int, _ random: inout SeededRandom) {
        for _ in 0..<random.below(limit + 1) {
            steps.insert(step, at: random.below(steps.count + 1))
        }
    }
}
