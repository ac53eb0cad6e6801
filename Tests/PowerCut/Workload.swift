internal import TestSupport

/// The steps that are done with a journal, drawn from a seed.
package struct Workload: Sendable {
    package enum Step: Equatable, Sendable {
        /// A batch of rows. Each number is the size of one row's body in bytes.
        case append([Int])
        /// Copies the write-ahead log of SQLite into the database.
        case checkpoint
        /// Adds some rows to the index of sessions.
        case fillIndex
        /// Closes the journal and opens it again.
        case reopen
        /// Marks the journal as one of version 2, closes it, and opens it again, which converts it.
        case convert
        /// Removes rows from the end; `leaving` is the percentage of all acknowledged rows that remain.
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
        insert(.fillIndex, upTo: 2, &random)
        insert(.reopen, upTo: 2, &random)
        insert(.convert, upTo: 1, &random)
        if random.below(2) == 0 {
            // Later batches reuse the positions of the removed rows.
            steps.insert(.remove(leaving: random.below(100)), at: 1 + random.below(steps.count))
        }
        if random.below(2) == 0 { steps.append(Self.batch(&random)) }
    }

    /// A random batch.
    static func batch(_ random: inout SeededRandom) -> Step {
        .append(
            (0...random.below(4)).map { _ in
                // Some rows need pages of their own.
                random.below(random.below(6) == 0 ? 9000 : 200)
            })
    }

    /// Inserts a step at random places, at most `limit` times.
    private mutating func insert(_ step: Step, upTo limit: Int, _ random: inout SeededRandom) {
        for _ in 0..<random.below(limit + 1) {
            steps.insert(step, at: random.below(steps.count + 1))
        }
    }
}
