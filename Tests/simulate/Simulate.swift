import Glibc
import Shell
import Simulation

/// Runs simulations and prints their counts: `simulate [--first N] [--fault NAME] SEEDS`, or `simulate --seed N` for
/// one, whose rows it prints if an invariant is violated.
@main struct Simulate {
    static func main() {
        do throws(UsageError) { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            printError("simulate: \(error.why)")
            exit(2)
        }
    }

    private static let known = [
        LongOption("seed", value: "N"), LongOption("first", value: "N"),
        LongOption("fault", value: "NAME"),
    ]

    private static func run(_ arguments: [String]) throws(UsageError) {
        let line = try LongOptions(arguments, known)
        let one = try number(line.value("seed"), "--seed")
        let start = try number(line.value("first"), "--first")
        let seeds = try number(line.words.first, "SEEDS")
        let count = one == nil ? seeds ?? 1000 : 1
        let first = one ?? start ?? 1
        var fault = InjectedFault.none
        if let name = line.value("fault") {
            guard let found = InjectedFault(rawValue: name) else {
                let all = InjectedFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--fault \(name): this build has \(all)")
            }
            fault = found
        }
        simulate(first, count, fault, showsRows: one != nil)
    }

    private static func number(_ text: String?, _ name: String) throws(UsageError) -> UInt64? {
        guard let text else { return nil }
        guard let number = UInt64(text), number < 1 << 40 else {
            throw UsageError("\(name) \(text): expected a number")
        }
        return number
    }

    private static func simulate(
        _ first: UInt64, _ count: UInt64, _ fault: InjectedFault, showsRows: Bool
    ) {
        var counts = Counts()
        var violations = 0
        var progress = Progress("simulate", of: Int(count), step: 50)
        for seed in first..<first + count {
            let world = World(seed: seed, fault)
            do throws(InvariantViolation) { try world.run() } catch {
                violations += 1
                if showsRows { for line in world.journalLines { print(line) } }
                report(seed, error, fault)
            }
            counts.add(world.counts)
            progress.show(Int(seed - first + 1))
        }
        progress.end()
        for line in counts.lines { print(line) }
        print("violations: \(violations)")
        exit(violations == 0 ? 0 : 1)
    }

    private static func report(_ seed: UInt64, _ error: InvariantViolation, _ fault: InjectedFault)
    {
        let how = fault == .none ? "" : " --fault \(fault.rawValue)"
        let program = CommandLine.arguments[0]
        print("seed \(seed): \(error.what)\n  again: \(program) --seed \(seed)\(how)")
    }
}
