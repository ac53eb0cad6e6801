import Glibc

/// `FlowBench`: what an event costs a machine, in nanoseconds, the best of five rounds, and what a machine and a
/// session cost in memory. statem.erl does the same work with gen_statem. Prints
/// "COUNTDOWN BOTH CYCLE OUTSIDE NAMED OUTSIDE-NAMED WATCHED MACHINE SESSION"; WATCHED is the cycle by name with an
/// observer that is told the names and data.
///
/// `FlowBench NAME ROUNDS` only does one of them so many times, for a tool that counts instructions.
@main struct FlowBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, let rounds = Int(arguments[2]) {
            try Workload.named(arguments[1]).run(rounds)
        } else {
            let times = try measure(try Workload.all)
            print((times + [try Memory.machine(), try Memory.session()]).words)
        }
    }

    /// The time of one event of each workload. They take turns, so that what slows the computer down for a while
    /// slows all of them.
    static func measure(_ workloads: [Workload]) throws -> [Int] {
        let rounds = 200_000
        var best = workloads.map { _ in Int.max }
        for _ in 0..<5 {
            for (place, workload) in workloads.enumerated() {
                let start = now()
                try workload.run(rounds)
                best[place] = min(best[place], (now() - start) / (rounds * workload.events))
            }
        }
        return best
    }

    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

extension [Int] {
    var words: String { map { "\($0)" }.joined(separator: " ") }
}
