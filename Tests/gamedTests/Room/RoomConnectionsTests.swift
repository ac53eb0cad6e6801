import EventLoop
import GameFlow
import Inputs
import Outputs
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Parts
@testable import Room

/// `RoomConnections` tells other parts when a connection is lost, and operators what a broker refuses.
@Suite struct RoomConnectionsTests {
    private let folder = Folder()
    private let loop: LibeventLoop
    private let board = AlertBoard { .zero }
    /// The packet by which a broker accepts a connection (CONNACK with the code 0).
    private static let acceptance: [UInt8] = [0x20, 2, 0, 0]

    init() throws { loop = try LibeventLoop() }

    /// Runs the loop until `isReady` returns true.
    private func run(until isReady: @escaping () -> Bool) {
        let timeout = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        let check = ScopedPendulum(on: loop, .milliseconds(10)) { _ in if isReady() { loop.stop() }
        }
        loop.run()
        withExtendedLifetime((timeout, check)) {}
    }

    @Test(arguments: ["client=other\n", nil])
    func `a message that waits for a broker fails at once if its line is changed or removed`(
        _ word: String?
    ) throws {
        let broker = try #require(try ScriptedServer(on: loop, sending: Self.acceptance))
        let line = "mqtt hall mqtt://127.0.0.1:\(broker.port) "
        let connections = RoomConnections(board, on: loop)
        let sender = MQTTSender(connections)
        connections.replace(by: try folder.options(line + "\n").room.connections, [])
        run { connections["hall"]?.inputConnection.status.isUp == true }
        var result: DeliveryResult?
        let content = MQTTContent(
            message: MQTTMessage(topic: "safe", payload: []), connection: "hall")
        sender.send(
            content,
            OutputAttempt(content, line: 1, node: .this, timeout: .seconds(10))
        ) { result = $0 }
        #expect(result == nil)
        connections.replace(
            by: try folder.options(word.map { line + $0 } ?? "").room.connections, [])
        #expect(result == .failed("the connection was lost"))
        connections.replace(by: [], [])
    }

    @Test func `subscriptions that a broker refuses are an alert until their line is removed`()
        throws
    {
        // The answer to the packet 1 (SUBACK): the second filter is refused.
        let answer: [UInt8] = [0x90, 4, 0, 1, 1, 0x80]
        let broker = try #require(try ScriptedServer(on: loop, sending: Self.acceptance + answer))
        let mqtt = "mqtt hall mqtt://127.0.0.1:\(broker.port)\n"
        let map = "map mqtt=hall topic=a event=abandon\nmap mqtt=hall topic=b/+ event=abandon\n"
        let (room, connections) = (
            try folder.options(mqtt + map).room, RoomConnections(board, on: loop)
        )
        connections.replace(by: room.connections, room.inputs)
        run { !board.alerts.isEmpty }
        #expect(board.alerts.map(\.id) == ["connection:hall subscriptions"])
        #expect(
            board.alerts.map(\.text) == [
                "mqtt hall: the broker refuses the subscription to b/+. Messages with these topics do not arrive."
            ])
        #expect(connections["hall"]?.inputConnection.status.isUp == true)
        // Without the second line, nothing is refused.
        connections.replace(by: room.connections, [room.inputs[0]])
        #expect(board.alerts.isEmpty)
        connections.replace(by: [], [])
    }
}
