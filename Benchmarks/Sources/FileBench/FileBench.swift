import FlowAnalysis
import FlowFiles
import GameFlow
import Glibc
import ShippedFlows

/// `FileBench FOLDER`: the speed of flow files, compared with the Swift flows that they describe. FOLDER is `Examples/flows`.
///
/// Prints these lines; each value is the best of five measurements:
///
/// - "step NAME FILE SWIFT" for each flow: FILE is the nanoseconds of a step of the flow file, and SWIFT is the nanoseconds of
///   a step of the Swift flow. An observer receives names and data, as in a session.
/// - "bare NAME FILE SWIFT" for each flow: as above, without an observer.
/// - "check MS": the time to check 1 000 files of 200 lines.
/// - "lint MS": the time of lint for vault.yaml.
/// - "hostile NAME MS" for each file of `HostileFile`: the time until the checker refuses the file.
///
/// `FileBench FOLDER NAME ROUNDS` only runs the cycle of one flow ROUNDS times, or checks ROUNDS files if NAME is `check`.
@main struct FileBench {
    static func main() throws {
        let arguments = CommandLine.arguments
        let folder = arguments.dropFirst().first ?? "../Examples/flows"
        if arguments.count == 4, let rounds = Int(arguments[3]) {
            return try run(arguments[2], rounds: rounds, folder: folder)
        }
        for cycle in Cycle.all {
            let file = try FlowFile(path: "\(folder)/\(cycle.flowName).yaml").flow
            let swiftFlow = [any Flow].shipped.first { $0.name == cycle.flowName }!.anyFlow
            for (title, observer) in [("step", StepObserver()), ("bare", nil)] {
                let times = try stepTimes(cycle, [file, swiftFlow], observer)
                print(title, cycle.flowName, times[0], times[1])
            }
        }
        let files = (0..<1000).map { SampleFile.text(number: $0) }
        print(
            "check",
            try bestTime {
                for text in files { _ = try FlowFile(text: text, file: "sample.yaml") }
            } / 1_000_000)
        let vault = try FlowFile(path: "\(folder)/vault.yaml")
        print("lint", bestTime { _ = Lint(vault.flow) } / 1_000_000)
        for (name, text) in HostileFile.all {
            let time = bestTime {
                if (try? FlowFile(text: text, file: "hostile.yaml")) != nil {
                    fatalError("\(name) is accepted")
                }
            }
            print("hostile", name, (time + 999_999) / 1_000_000)
        }
    }

    /// Runs a cycle of a flow file, or checks files ("check"), for a tool that counts instructions.
    private static func run(_ name: String, rounds: Int, folder: String) throws {
        guard let cycle = Cycle.all.first(where: { $0.flowName == name }) else {
            for number in 0..<rounds {
                _ = try FlowFile(text: SampleFile.text(number: number), file: "sample.yaml")
            }
            return
        }
        let machine = try cycle.machine(
            of: FlowFile(path: "\(folder)/\(name).yaml").flow, observer: nil)
        for _ in 0..<rounds { try cycle.run(machine) }
        machine.end()
    }

    /// The time of one step of each flow, in nanoseconds. The flows are measured alternately.
    private static func stepTimes(
        _ cycle: Cycle, _ flows: [AnyFlow], _ observer: StepObserver?
    ) throws -> [Int] {
        let rounds = 10_000
        var times = flows.map { _ in Int.max }
        let machines = try flows.map { try cycle.machine(of: $0, observer: observer) }
        for _ in 0..<5 {
            for (index, machine) in machines.enumerated() {
                let start = now()
                for _ in 0..<rounds { try cycle.run(machine) }
                times[index] = min(times[index], (now() - start) / (rounds * cycle.events.count))
            }
        }
        for machine in machines { machine.end() }
        withExtendedLifetime(observer) {}
        return times
    }

    /// The shortest time of five executions of `work`, in nanoseconds.
    private static func bestTime(_ work: () throws -> Void) rethrows -> Int {
        var best = Int.max
        for _ in 0..<5 {
            let start = now()
            try work()
            best = min(best, now() - start)
        }
        return best
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
