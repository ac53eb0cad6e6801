import Glibc
import Shell
import Simulation

/// Runs simulations, and says what they did: `simulate [--first N] [--mistake NAME] SEEDS`, or `simulate --seed N`
/// for one, whose rows it shows if a promise is broken.
@main struct Simulate {
    static func main() {
        do throws(UsageError) { try run(Array(CommandLine.arguments.dropFirst())) } catch {
            printError("simulate: \(error.message)")
            exit(2)
        }
    }

    private static let known = [
        LongOption("seed", value: "N"), LongOption("first", value: "N"),
        LongOption("mistake", value: "NAME"),
    ]

    private static func run(_ arguments: [String]) throws(UsageError) {
        let line = try LongOptions(arguments, known)
        let one = try number(line.value("seed"), "--seed")
        let start = try number(line.value("first"), "--first")
        let seeds = try number(line.words.first, "SEEDS")
        let count = one == nil ? seeds ?? 1000 : 1
        let first = one ?? start ?? 1
        var mistake = Mistake.none
        if let name = line.value("mistake") {
            guard let found = Mistake(rawValue: name) else {
                let all = Mistake.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--mistake \(name): there is \(all)")
            }
            mistake = found
        }
        simulate(first, count, mistake, showsRows: one != nil)
    }

    private static func number(_ text: String?, _ name: String) throws(UsageError) -> UInt64? {
        guard let text else { return nil }
        guard let number = UInt64(text), number < 1 << 40 else {
            throw UsageError("\(name) \(text): expected a number")
        }
        return number
    }

    private static func simulate(
        _ first: UInt64, _ count: UInt64, _ mistake: Mistake, showsRows: Bool
    ) {
        var counts = Counts()
        var broken = 0
        var progress = Progress("simulate", of: Int(count), step: 50)
        for seed in first..<first + count {
            let world = World(seed: seed, mistake)
            do throws(Broken) { try world.run() } catch {
                broken += 1
                if showsRows { for line in world.journal { print(line) } }
                tell(seed, error, mistake)
            }
            counts.add(world.counts)
            progress.show(Int(seed - first + 1))
        }
        progress.end()
        for line in counts.lines { print(line) }
        print("promises broken: \(broken)")
        exit(broken == 0 ? 0 : 1)
    }

    private static func tell(_ seed: UInt64, _ error: Broken, _ mistake: Mistake) {
        let how = mistake == .none ? "" : " --mistake \(mistake.rawValue)"
        print("seed \(seed): \(error.what)\n  again: .build/release/simulate --seed \(seed)\(how)")
    }
}
