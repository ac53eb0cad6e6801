import Glibc
import Testing

@Suite struct ClosingTests {
    /// Nothing is written to the disk meanwhile that would let it go.
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
        #expect(time(nil) - began < 20, "its patience came to an end, and not its connection")
    }
}
