import Glibc
import PowerCut
import Shell

/// Cuts the power of a journal at so many points, and says what was found.
@main struct Explore {
    /// After so many violations nobody wants more.
    private static let enough = 100

    static func main() {
        guard let order = Order(Array(CommandLine.arguments.dropFirst())) else {
            printError("usage: explore POINTS [SEED]\n       explore --point N --seed S")
            exit(2)
        }
        let explorer = Explorer()
        var progress = Progress("explore", of: order.points, step: 1000)
        var seed = order.seed
        repeat {
            if let point = order.point {
                explorer.trace = { print($0) }
                explorer.explore(seed, .point(point))
            } else {
                explorer.explore(seed, limit: order.points - explorer.tally.points)
            }
            progress.show(explorer.tally.points)
            seed += 1
        } while order.point == nil && explorer.tally.points < order.points
            && explorer.violations.count < Self.enough
        progress.end()
        print(Summary.text(explorer.tally, order.seed..<seed))
        for violation in explorer.violations { print("violation: \(violation)") }
        print("\(explorer.violations.count) violations")
        exit(explorer.violations.isEmpty ? 0 : 1)
    }
}
