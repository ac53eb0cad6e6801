import Connections
import Glibc
import TestSupport
import Testing

/// Signals that arrive while the daemon starts. The daemon reads its configuration from a named pipe, so that a test decides
/// when the start continues.
@Suite struct EarlySignalTests {
    private let folder = Folder()

    private let socket = DaemonProcess.freshSocketPath()

    /// Starts a daemon that reads its configuration from a new pipe at `path`. It reads the configuration once, because the
    /// options name the directory of flow files and the state directory.
    private func startDaemon(readingFrom path: String) throws -> ChildProcess {
        mkfifo(path, 0o600)
        mkdir("\(folder.path)/flows", 0o700)
        return try ChildProcess(
            [
                "\(DaemonProcess.programDirectory)/gamed", "--socket", socket, "--config", path,
                "--flows", "\(folder.path)/flows", "--state-dir", "\(folder.path)/state",
            ], connecting: [2])
    }

    private var pipePath: String { "\(folder.path)/gamed.conf" }

    /// Waits until the daemon reads the pipe, and returns the descriptor of the other end.
    private func openPipe(_ path: String) -> Int32 { open(path, O_WRONLY | O_CLOEXEC) }

    /// Ends the configuration, which is empty except for a comment.
    private func finish(_ descriptor: Int32) {
        _ = write(descriptor, "# empty\n", 8)
        close(descriptor)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a signal to end that arrives during the start ends the daemon afterwards`(
        _ signal: Int32
    ) throws {
        let daemon = try startDaemon(readingFrom: pipePath)
        let descriptor = openPipe(pipePath)
        daemon.signal(signal)
        finish(descriptor)
        let output = daemon.outputUntilEnd()
        #expect(daemon.waitForEnd() == 0)
        #expect(output.contains("listens at") && output.contains("ended"), "\(output)")
    }

    @Test func `a SIGHUP that arrives during the start reads the configuration again`() throws {
        let daemon = try startDaemon(readingFrom: pipePath)
        let descriptor = openPipe(pipePath)
        daemon.signal(SIGHUP)
        finish(descriptor)
        // The daemon has read the configuration, so the pipe is opened for the second reading.
        #expect(daemon.waitFor("listens at"))
        finish(openPipe(pipePath))
        #expect(daemon.waitFor("reload: configuration reloaded"))
        #expect(try Client(socket).ask("ping") == #"OK {"pong":true}"#)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }
}
