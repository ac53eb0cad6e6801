import Glibc
import Testing

@Suite struct ClosingTests {
    /// With a state directory, the journal's thread reads the history, and the reply comes later. No change is written
    /// meanwhile, so that the reply itself must cause the daemon to send it, and to close the connection after it.
    @Test(.timeLimit(.minutes(1)))
    func `a client that closes its sending side gets its history and the end of the connection`()
        throws
    {
        let directory = DaemonProcess.freshSocket() + ".d"
        defer { system("rm -r \(directory)") }
        let daemon = try DaemonProcess(["--state-dir", directory])
        let client = try Client(daemon.socket)
        client.write("history\n")
        client.endInput()
        let began = time(nil)
        #expect(client.rest().hasPrefix("OK {\"records\":["))
        #expect(time(nil) - began < 20, "the connection stayed open until the client's time-out")
    }
}
