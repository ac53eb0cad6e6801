import Glibc

/// `FlowBench`: the time of an event in nanoseconds, best of five measurements, and the bytes of a machine and of a session.
/// Prints "COUNTDOWN BOTH CYCLE OUTSIDE NAMED OUTSIDE-NAMED WATCHED MACHINE SESSION". The first seven are the times of the
/// workloads in Workload.swift; statem.erl runs the first three of them with gen_statem. WATCHED is the game's cycle by name,
/// with an observer that receives names and data.
///
/// `FlowBench machine` prints the bytes of a machine of a shared definition, in a state with one countdown.
/// `FlowBench memory` prints only "MACHINE SESSION".
/// `FlowBench NAME ROUNDS` runs one workload for a number of rounds, for a tool that counts instructions.
@main struct FlowBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, let rounds = Int(arguments[2]) {
            try Workload.named(arguments[1]).run(rounds)
        } else if arguments.count == 2, arguments[1] == "machine" {
            print(Memory.machineWithCountdown())
        } else if arguments.count == 2, arguments[1] == "memory" {
            print([try Memory.machine(), try Memory.session()].joinedBySpaces)
        } else {
            let times = try measure(try Workload.all)
            print((times + [try Memory.machine(), try Memory.session()]).joinedBySpaces)
        }
    }

    /// The time of one event of each workload. The workloads alternate, so that temporary load of the machine affects all
    /// workloads.
    static func measure(_ workloads: [Workload]) throws -> [Int] {
        let rounds = 200_000
        var best = workloads.map { _ in Int.max }
        for _ in 0..<5 {
            for (index, workload) in workloads.enumerated() {
                let start = now()
                try workload.run(rounds)
                best[index] = min(best[index], (now() - start) / (rounds * workload.eventsInRound))
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
    var joinedBySpaces: String { map { "\($0)" }.joined(separator: " ") }
}
