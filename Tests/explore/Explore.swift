import Glibc
import PowerCut
import Shell

/// Explores power cuts and disk errors of a journal: prints what was explored, and each violation of durability. A point is one
/// power cut or one disk error; the points of a seed are numbered from 0.
@main struct Explore {
    /// The exploration ends after this number of violations.
    private static let violationLimit = 100

    static func main() {
        guard let arguments = ExploreArguments(Array(CommandLine.arguments.dropFirst())) else {
            printError(
                "usage: explore POINTS [SEED]       explores POINTS points, of SEED (or 1) and the next seeds\n"
                    + "       explore --point N --seed S  explores point N of one seed, with a trace"
            )
            exit(2)
        }
        let explorer = Explorer()
        var progress = Progress("explore", of: arguments.points, step: 1000)
        var seed = arguments.seed
        repeat {
            if let point = arguments.point {
                explorer.trace = { print($0) }
                explorer.explore(seed, .point(point))
            } else {
                explorer.explore(seed, limit: arguments.points - explorer.tally.points)
            }
            progress.show(explorer.tally.points)
            seed += 1
        } while arguments.point == nil && explorer.tally.points < arguments.points
            && explorer.violations.count < Self.violationLimit
        progress.end()
        print(Summary.text(explorer.tally, arguments.seed..<seed))
        for violation in explorer.violations { print("violation: \(violation)") }
        print("\(explorer.violations.count) violations")
        exit(explorer.violations.isEmpty ? 0 : 1)
    }
}
