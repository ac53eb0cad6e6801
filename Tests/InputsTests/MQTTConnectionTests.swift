import EventLoop
import Inputs
import TestSupport
import Testing
import Timers

/// An MQTT connection to a broker that reads nothing.
@Suite struct MQTTConnectionTests {
    /// The packet by which a broker accepts a connection (CONNACK with the code 0).
    private static let acceptance: [UInt8] = [0x20, 2, 0, 0]

    /// A connection to a broker that sends these packets, and the broker.
    private func connection(
        to filters: [String], _ packets: [UInt8], on loop: LibeventLoop
    ) throws -> (MQTTConnection, ScriptedServer) {
        let broker = try #require(try ScriptedServer(on: loop, sending: packets))
        let connection = MQTTConnection(
            host: "127.0.0.1", port: broker.port, MQTTLogin(client: "test"), filters: filters,
            on: loop)
        return (connection, broker)
    }

    @Test func `a connection fails if the broker does not read the subscriptions`() throws {
        let loop = try LibeventLoop()
        // 32 MB, which is more than the backlog of the connection and the buffers of the sockets.
        let filters = (0..<512).map { "\($0)/" + String(repeating: "x", count: 62_500) }
        let (connection, broker) = try connection(to: filters, Self.acceptance, on: loop)
        var changes: [String?] = []
        connection.onChange = {
            changes.append($0)
            if $0 != nil { loop.stop() }
        }
        connection.start()
        let timeout = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        loop.run()
        withExtendedLifetime((broker, timeout)) {}
        let isUp = connection.status.isUp
        connection.onChange = nil
        connection.stop {}
        #expect(changes == [nil, "the broker does not read"])
        #expect(!isUp)
    }

    @Test func `refused subscriptions are reported until they are not wanted any more`() throws {
        let loop = try LibeventLoop()
        // The answer to the packet 1 (SUBACK): the filters 2 and 3 are refused.
        let answer: [UInt8] = [0x90, 5, 0, 1, 1, 0x80, 0x80]
        let (connection, broker) = try connection(
            to: ["a", "b", "c"], Self.acceptance + answer, on: loop)
        var refusals: [[String]] = []
        connection.onRefusal = {
            refusals.append($0)
            loop.stop()
        }
        connection.start()
        let timeout = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        loop.run()
        withExtendedLifetime((broker, timeout)) {}
        #expect(connection.status.isUp)
        connection.subscribe(to: ["b"])
        connection.subscribe(to: [])
        connection.stop {}
        #expect(refusals == [["b", "c"], ["b"], []])
    }
}
