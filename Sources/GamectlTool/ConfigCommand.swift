import GameFlow
import JSONCoding
import Shell

/// `gamectl config --config FILE`: what a daemon would use with this configuration, as the program gamed reads it. Without the
/// option, the running daemon is asked.
struct ConfigCommand: Equatable {
    /// The path of the configuration.
    let file: String
    let isJSON: Bool

    func run() throws(CommandError) {
        let run: FinishedProgram
        do throws(FinishedProgram.RunError) {
            run = try DaemonProgram.run(["--config", file, "--show-config"])
        } catch {
            throw .malformed([
                "gamectl: \(error.why): only gamed can read a configuration; install the package gamed"
            ])
        }
        guard run.status == 0, let result = Value(json: run.output.utf8) else {
            throw .malformed(run.output.split(separator: "\n").map(String.init))
        }
        if isJSON { return Output.json(Array(run.output.utf8.dropLast())) }
        for line in try Printer(.standardOutput).settings(result) { Output.line(line) }
    }
}
