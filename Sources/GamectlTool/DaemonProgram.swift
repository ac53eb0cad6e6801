import Glibc
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

    /// Runs gamed with these options.
    static func run(_ options: [String]) throws(FinishedProgram.RunError) -> FinishedProgram {
        try FinishedProgram([name] + options)
    }
}
