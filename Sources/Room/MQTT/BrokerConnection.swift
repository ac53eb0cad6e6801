package import EventLoop
package import Inputs
import Timers

/// The connection of a line `mqtt`.
package final class BrokerConnection: RoomConnection {
    package let broker: MQTTConnection
    private let loop: LibeventLoop
    private let hasControls: Bool
    /// The topic filters that `MQTTPublisher` needs, which publishes the states of sessions.
    private var publisherFilters: [String] = []
    /// Whether a message of this broker can change a session: a `map` line is about it, or it can be a command of `controls=yes`.
    /// Otherwise no message that comes back has consequences.
    private var changesSessions = false
    /// The messages that were published a short time ago.
    private var published = PublishedMessages()

    package init(_ line: ConnectionLine, _ broker: MQTTConnection, on loop: LibeventLoop) {
        (self.broker, self.loop) = (broker, loop)
        hasControls = (line.endpoint as? MQTTBroker)?.hasControls == true
        super.init(line, broker)
        broker.onInput = { [unowned self] in onInput($0) }
        broker.onRefusal = { [unowned self] in onRefusal($0) }
    }

    override func subscribe(for patterns: [any InputPattern], and filters: [String]) {
        publisherFilters = filters
        changesSessions = !patterns.isEmpty || hasControls
        let mapFilters = patterns.compactMap { ($0 as? MQTTPattern)?.filter }
        broker.subscribe(to: MQTTTopic.removingCovered(mapFilters + filters))
    }

    /// Publishes a message, and remembers it, because it may come back. Returns the packet id; nil if the connection does not
    /// accept the message.
    package func publish(_ message: MQTTMessage, _ origin: InputOrigin) -> UInt16? {
        guard let packet = broker.publish(message) else { return nil }
        if changesSessions { published.add(message, origin, at: loop.timerQueue.now) }
        return packet
    }

    package override func origin(of input: any RoomInput) -> InputOrigin? {
        (input as? MQTTMessage).flatMap { published.origin(of: $0, at: loop.timerQueue.now) }
    }

    package override func isExpected(_ input: any RoomInput) -> Bool {
        guard let message = input as? MQTTMessage else { return false }
        return publisherFilters.contains { MQTTTopic.selects($0, message.topic) }
    }
}
