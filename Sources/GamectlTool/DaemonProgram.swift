import GameFlow
import Glibc
import JSONCoding
import Shell
import Support

/// The program gamed, which gamectl runs to read a configuration as a daemon would.
enum DaemonProgram {
    /// The path of gamed beside gamectl, or its name, which is looked up in $PATH.
    static var name: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(
            decoding: buffer.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let beside = "\(FilePath.directory(of: own))/gamed"
        return access(beside, X_OK) == 0 ? beside : "gamed"
    }

    /// Runs gamed with these options. `configuration` is the path of the configuration; nil for the one that gamed reads by
    /// itself. `stateDirectory` is the directory that the service manager would name; nil without one.
    static func run(
        _ options: [String], configuration: String? = nil, stateDirectory: String? = nil
    ) throws(FinishedProgram.RunError) -> FinishedProgram {
        let environment = stateDirectory.map { ["env", "STATE_DIRECTORY=\($0)"] } ?? []
        let path = configuration.map { ["--config", $0] } ?? []
        return try FinishedProgram(environment + [name] + path + options)
    }

    /// The settings in a configuration, as gamed reads them: the result of the method `config`. Nil, with what gamed has printed, if it
    /// has mistakes.
    static func settings(
        _ configuration: String?, stateDirectory: String? = nil
    ) throws(FinishedProgram.RunError) -> (result: Value?, output: String) {
        let run = try run(
            ["--show-config"], configuration: configuration, stateDirectory: stateDirectory)
        guard run.status == 0 else { return (nil, run.output) }
        return (Value(json: run.output.utf8), run.output)
    }
}
