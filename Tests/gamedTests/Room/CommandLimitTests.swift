import Access
import EventLoop
import GameFlow
import Inputs
import Net
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import Connections
@testable import GamedServer
@testable import Parts
@testable import Room

/// The commands that come from a broker, to which many clients may publish, have the limit of one caller.
@Suite struct CommandLimitTests {
    private final class CountingSender: DeviceEventSender {
        let isFull = false
        private(set) var count = 0

        func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
            count += 1
            done(.accepted("startPlaying", kind: "enter", state: nil))
        }

        func announce(_ input: @autoclosure () -> UnmatchedInput) {}
    }

    private final class IdleConnection: InputConnection {
        let status = ConnectionStatus(at: .zero)
        var onChange: ((String?) -> Void)?
        func start() {}
        func stop(_ done: @escaping () -> Void) { done() }
        func readUnread() {}
    }

    private let folder = Folder()
    private let loop: LibeventLoop
    private let context: ServerContext
    private let sender = CountingSender()
    private let commands: PublishedCommands

    init() throws {
        loop = try LibeventLoop()
        let sessions = Sessions(AnyFlow.shipped(), on: loop)
        let authorizer = Authorizer(Rules(ownUID: Rules.ownUID), try TokenFile(nil))
        var limits = ServerLimits()
        limits.requests = 3
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        let accountLimits = AccountLimits(limits, on: loop)
        context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)), authorizer,
            Invitations(authorizer, to: PageAddress(WebOptions()), on: loop), accountLimits,
            limits: limits)
        commands = PublishedCommands(sender, count: accountLimits.countCommand)
        commands.rights = Rights([Grant(.operate)])
    }

    /// The connections of the brokers `hall` and `bar`.
    private func connections() throws -> [RoomConnection] {
        let options = try folder.options(
            "mqtt hall mqtt://127.0.0.1 publish=a\nmqtt bar mqtt://127.0.0.1 publish=b\n")
        return options.room.connections.map { RoomConnection($0, IdleConnection()) }
    }

    private func execute(_ command: PublishedPrefix.Command, _ connection: RoomConnection) {
        commands.execute(
            command, .main, MQTTMessage(topic: "t", payload: Array("ON".utf8)), context.sessions,
            nil, connection)
    }

    @Test func `a connection sends as many commands a second as one caller, and no more`() throws {
        let connections = try connections()
        let (hall, bar) = (connections[0], connections[1])
        for _ in 0..<5 { execute(.send(event: "startPlaying"), hall) }
        #expect(sender.count == 3)
        #expect(hall.statistics.accepted == 3 && hall.statistics.refused == 2)
        #expect(hall.statistics.lastRefusal == "startPlaying: limit")
        // A pause counts, too.
        execute(.pause, hall)
        #expect(hall.statistics.lastRefusal == "paused: limit")
        let metrics = String(decoding: context.metrics.text(isComplete: true), as: UTF8.self)
        #expect(
            metrics.contains(#"gamed_limited_total{limit="requests",principal="mqtt:hall"} 3"#),
            "\(metrics)")
        // The other connection has a limit of its own.
        execute(.send(event: "startPlaying"), bar)
        #expect(sender.count == 4)
        loop.timerQueue.move(to: loop.timerQueue.now + .seconds(1))
        for _ in 0..<4 { execute(.send(event: "startPlaying"), hall) }
        #expect(sender.count == 7)
    }
}
