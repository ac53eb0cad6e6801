import EventLoop
import Inputs
import Testing

@Suite struct OSCConnectionTests {
    @Test func `a message can be sent to a broadcast address`() throws {
        let loop = try LibeventLoop()
        let connection = OSCConnection(host: "0.0.0.0", port: 0, on: loop)
        connection.start()
        defer { connection.stop {} }
        // The broadcast address of the loopback network. Port 9 discards what it receives.
        #expect(connection.send(OSCMessage("/go"), toHost: "127.255.255.255", port: 9) == nil)
    }
}
