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
        let settings: (result: Value?, output: String)
        do throws(FinishedProgram.RunError) {
            settings = try DaemonProgram.settings(file)
        } catch {
            throw .malformed([
                "gamectl: \(error.why): only gamed can read a configuration; install the package gamed"
            ])
        }
        guard let result = settings.result else {
            let lines = settings.output.split(separator: "\n").map(String.init)
            throw .malformed(lines.isEmpty ? ["gamectl: gamed has not read \(file)"] : lines)
        }
        if isJSON { return Output.json(Array(settings.output.utf8.dropLast())) }
        for line in try Printer(.standardOutput).settings(result) { Output.line(line) }
    }
}
