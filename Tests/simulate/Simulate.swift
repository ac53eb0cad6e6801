import Glibc
import Shell
import Simulation

/// Runs simulations and prints their counts. With `--cluster` several nodes and a database are simulated, else one daemon.
///
/// `simulate [--cluster] [--fault NAME] [--first N] [SEEDS]` runs SEEDS simulations, with the seeds from N on.
/// `simulate [--cluster] [--fault NAME] --seed N` runs one simulation, and prints its rows if an invariant is violated.
@main struct Simulate {
    static func main() {
        do throws(UsageError) { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            printError("simulate: \(error.why)")
            exit(2)
        }
    }

    private static let optionForms = [
        LongOption("seed", value: "N"), LongOption("first", value: "N"),
        LongOption("fault", value: "NAME"), LongOption("cluster"),
    ]

    private static func run(_ arguments: [String]) throws(UsageError) {
        let line = try LongOptions(arguments, optionForms)
        let onlySeed = try number(line.value("seed"), "--seed")
        let start = try number(line.value("first"), "--first")
        let seeds = try number(line.words.first, "SEEDS")
        let count = onlySeed == nil ? seeds ?? 1000 : 1
        let first = onlySeed ?? start ?? 1
        let name = line.value("fault")
        let simulation =
            line.has("cluster")
            ? cluster(try fault(name, ClusterFault.allCases))
            : daemon(try fault(name, InjectedFault.allCases) ?? .none)
        let options =
            (line.has("cluster") ? " --cluster" : "") + (name.map { " --fault \($0)" } ?? "")
        simulate(first, count, simulation, options, showsRows: onlySeed != nil)
    }

    /// The result of one simulation.
    private struct Outcome {
        let violation: InvariantViolation?
        let counts: Counts
        let rows: [String]
    }

    private static func daemon(_ fault: InjectedFault) -> (UInt64) -> Outcome {
        { seed in
            let world = World(seed: seed, fault)
            var violation: InvariantViolation?
            do throws(InvariantViolation) { try world.run() } catch { violation = error }
            return Outcome(violation: violation, counts: world.counts, rows: world.journalLines)
        }
    }

    private static func cluster(_ fault: ClusterFault?) -> (UInt64) -> Outcome {
        { seed in
            let world = ClusterWorld(seed: seed, fault)
            var violation: InvariantViolation?
            do throws(InvariantViolation) { try world.run() } catch { violation = error }
            return Outcome(
                violation: violation, counts: world.counts,
                rows: violation == nil ? [] : world.journalLines)
        }
    }

    private static func fault<Fault: RawRepresentable<String>>(_ name: String?, _ all: [Fault])
        throws(UsageError) -> Fault?
    {
        guard let name else { return nil }
        guard let fault = Fault(rawValue: name) else {
            // A release build lacks the faults that need FAULT_INJECTION.
            let names = all.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--fault \(name): this build has \(names)")
        }
        return fault
    }

    private static func number(_ text: String?, _ name: String) throws(UsageError) -> UInt64? {
        guard let text else { return nil }
        guard let number = UInt64(text), number < 1 << 40 else {
            throw UsageError("\(name) \(text): expected a number")
        }
        return number
    }

    /// Runs `count` simulations with the seeds from `first`, prints the result, and exits. Each violation is printed with the
    /// command that repeats the simulation; `options` are the options of this command, besides `--seed`.
    private static func simulate(
        _ first: UInt64, _ count: UInt64, _ simulation: (UInt64) -> Outcome, _ options: String,
        showsRows: Bool
    ) {
        var counts = Counts()
        var violations = 0
        var progress = Progress("simulate", of: Int(count), step: 50)
        for seed in first..<first + count {
            let outcome = simulation(seed)
            if let violation = outcome.violation {
                violations += 1
                if showsRows { for row in outcome.rows { print(row) } }
                let program = CommandLine.arguments[0]
                print(
                    "seed \(seed): \(violation.message)\n  again: \(program)\(options) --seed \(seed)"
                )
            }
            counts.add(outcome.counts)
            progress.show(Int(seed - first + 1))
        }
        progress.end()
        for line in counts.lines { print(line) }
        print("violations: \(violations)")
        exit(violations == 0 ? 0 : 1)
    }
}
