package import EventLoop
package import Inputs
package import Outputs

/// A content that a connection of the room can send at once.
package protocol ConnectionContent: OutputContent {
    associatedtype Device: InputConnection

    /// The name of the connection.
    var connection: String { get }
    /// Sends the content, and calls `done` once, now or later, with a sentence about the failure or nil.
    func write(to device: Device, _ done: @escaping (_ failure: String?) -> Void)
}

/// Sends contents by the connections that they name.
package final class ConnectionSender<Content: ConnectionContent>: OutputSender {
    private let connections: RoomConnections

    package init(_ connections: RoomConnections) { self.connections = connections }

    package func send(
        _ content: Content, _ attempt: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void
    ) {
        let connection = connections[content.connection]?.inputConnection
        guard let device = connection as? Content.Device else {
            return done(.failed("no connection \(content.connection)"))
        }
        content.write(to: device) { done(DeliveryResult(failure: $0)) }
    }
}

extension OutputTarget where Content: ConnectionContent {
    package static func sender(_ connections: RoomConnections, on loop: LibeventLoop)
        -> any OutputSender
    {
        ConnectionSender<Content>(connections)
    }
}
