import Glibc
import TestSupport

/// Runs shell commands.
enum ShellCommand {
    /// Runs a command in the root of the repository, and returns its output and its error messages. The programs under test
    /// are in its `PATH`. Three variables have the addresses of the daemon: `$S` the path of its UNIX socket, `$WEB` its first
    /// HTTP address, and `$LINES` its address for lines over TCP. An address that the daemon does not have is empty.
    static func run(_ command: String, _ daemon: DaemonProcess? = nil) -> String {
        let addresses =
            "S='\(daemon?.socket ?? "")' WEB='\(daemon?.webAddress ?? "")' "
            + "LINES='\(daemon?.tcpAddress ?? "")'"
        let script =
            "cd '\(RepositoryFile.root)' && PATH='\(DaemonProcess.programDirectory)':$PATH "
            + "\(addresses); \(command)"
        guard let pipe = popen("exec 2>&1; " + script, "r") else { return "popen failed" }
        defer { pclose(pipe) }
        var text = [UInt8]()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 {
            text += chunk[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
