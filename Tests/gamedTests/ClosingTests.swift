import Connections
import Glibc
import Testing

/// The end of a connection whose client has sent its last request.
@Suite struct ClosingTests {
    /// With a state directory, the journal's thread reads the history. This takes longer than the client needs to close its
    /// sending side, so the reply is ready only afterwards. No other event wakes the connection: the reply alone must cause the
    /// daemon to send and to close.
    @Test(.timeLimit(.minutes(1)))
    func
        `a client that closes its sending side gets the reply, and then the end of the connection`()
        throws
    {
        let directory = DaemonProcess.freshSocketPath() + ".d"
        defer { system("rm -r \(directory)") }
        let daemon = try DaemonProcess(["--state-dir", directory])
        let client = try Client(daemon.socket)
        client.write("history\n")
        client.endInput()
        let start = time(nil)
        #expect(client.textUntilEnd().hasPrefix("OK {\"records\":["))
        #expect(time(nil) - start < 20, "the daemon did not end the connection")
    }
}
