import CLinux
import Glibc
import TestSupport

/// Runs shell commands.
enum ShellCommand {
    /// Runs a command in the root of the repository, and returns its output and its error messages. The programs under test
    /// are in its `PATH`. Four variables have the addresses of the daemon: `$S` the path of its UNIX socket, `$WEB` its first
    /// HTTP address, `$LINES` its address for lines over TCP, and `$METRICS` its address for the metrics. An address that the daemon does not have is empty.
    ///
    /// After `timeout` seconds without output the shell is killed, and the result ends with a line that says so. A program that
    /// the shell has left in the background must not write to the output, because this function waits for its end.
    static func run(_ command: String, _ daemon: DaemonProcess? = nil, timeout: Int = 300) -> String
    {
        let addresses =
            "S='\(daemon?.socket ?? "")' WEB='\(daemon?.webAddress ?? "")' "
            + "LINES='\(daemon?.tcpAddress ?? "")' METRICS='\(daemon?.metricsAddress ?? "")'"
        let script =
            "cd '\(RepositoryFile.root)' && PATH='\(DaemonProcess.programDirectory)':$PATH "
            + "\(addresses); \(command)"
        // A pipe, because a shell cannot open `/dev/stdout` if it is a socket. Close-on-exec: a program that another test starts
        // at the same time must not keep it open.
        var ends: [Int32] = [0, 0]
        guard linux_pipe(&ends) == 0 else { return "no pipe" }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let shell = try? ChildProcess.start(
            ["/bin/sh", "-c", script], environment, [(1, writing), (2, writing)])
        close(writing)
        guard let shell else { return "the shell cannot be started" }
        var (text, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            var isReadable = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&isReadable, 1, Int32(timeout * 1000)) > 0 else {
                kill(shell, SIGKILL)
                text += "\nno output for \(timeout) s: \(command)\n".utf8
                break
            }
            let count = read(reading, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        waitpid(shell, nil, 0)
        return String(decoding: text, as: UTF8.self)
    }

    /// The environment variables of this process, each as `NAME=value`.
    private static let environment: [String] = {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables
    }()
}
