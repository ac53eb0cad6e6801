import Sessions
import Timers

/// All limits of the server: of its connections, requests, notifications and turns of the event loop. The limits of sessions
/// are in `Limits`.
package struct ServerLimits: Sendable, Equatable {
    /// The maximum number of connected clients.
    package var clients = 10_240
    /// The requests per second of single principals, in place of `requests` and `unixRequests`. A key is the text of a
    /// principal, such as `token:hall`; 0 means no limit.
    package var quotas: [String: Int] = [:]
    /// The maximum number of `quotas`.
    package static let quotaLimit = 1000
    /// The maximum number of lines of one client that are answered in a turn of the loop. After these lines, the loop continues
    /// with other clients.
    package var linesPerTurn = 256
    /// The maximum time for which one client's lines are answered in a turn of the loop; then the loop continues with other
    /// clients. The clock is read only after each sixteen lines and after a long answer, so the time can be exceeded.
    package var turnTime = Duration.milliseconds(5)
    /// The maximum time in a turn of the loop for writing to the clients that wait for notifications or for the disk.
    package var deliveryTime = Duration.milliseconds(3)
    /// The maximum time in a turn of the loop for all connections of one kind, such as HTTP.
    package var timePerKind = Duration.milliseconds(10)
    /// The approximate maximum duration of a turn of the loop.
    package var loopTime = Duration.milliseconds(30)
    /// The maximum number of new clients that are accepted in a turn.
    package var acceptsPerTurn = 64
    /// The maximum number of bytes that one read from a socket returns.
    package var readBytes = 65_536
    /// If a client does not read, and more bytes than this wait for it, no further line of this client is answered until it has
    /// read.
    package var unsentBytes = 256 << 10
    /// The maximum number of bytes that are written to one client in a turn.
    package var writeBytesPerTurn = 1 << 20
    /// While more bytes than this wait for a client, its further notifications are not encoded.
    package var notificationBytes = 65_536
    /// If a watcher does not read, and more bytes of notifications than this wait for it, the watcher has overrun. It is then
    /// disconnected.
    package var backlogBytes = 1 << 20
    /// The time after which a watcher whose backlog has not become less counts as one that does not read. A socket may be full for
    /// a moment although the client reads all the time.
    package var readPatience = Duration.seconds(1)
    /// The maximum number of waiting bytes of notifications for a watcher that reads. This limit is higher than `backlogBytes`,
    /// because one turn may produce more bytes than a socket holds.
    package var burstBytes = 16 << 20
    /// The time in which a watcher that has overrun must read the remaining output.
    package var overrunGrace = Duration.seconds(60)
    /// The time without a notification after which a watcher gets a heartbeat.
    package var heartbeat = Duration.seconds(15)
    /// The time in which clients may read their last answers when the daemon ends.
    package var stopGrace = Duration.seconds(5)
    /// How long the process may stand still: stopped by a signal or frozen, or while the machine sleeps. After a longer
    /// standstill the daemon executes nothing that was sent before, and its timers continue as after a restart. Zero turns
    /// this off, for debuggers.
    package var standstill = Duration.seconds(5)
    /// The time for which no connections are accepted after descriptors or memory were used up.
    package var acceptPause = Duration.seconds(1)

    // MARK: Bluetooth

    /// The maximum age of an event of a Bluetooth device. An older event is refused.
    package var bluetoothAge = Duration.seconds(3)
    /// The maximum number of events per second of one Bluetooth device, and of one `map` line that is about an MQTT, OSC, serial
    /// or evdev connection. 0 means no limit.
    package var presses = 1000

    // MARK: TLS

    /// The maximum number of TLS records in a row without application data that a connection may send after its handshake.
    package var tlsRecords = 32
    /// The maximum number of TLS records that a connection may send during its handshake.
    package var tlsHandshakeRecords = 1024
    /// The maximum number of TLS records, of all connections together, that are handled in a turn of the loop.
    package var tlsRecordsPerTurn = 256

    // MARK: the network

    /// The maximum number of requests per second of one caller on the network: a token, a certificate, else a host or an IPv6
    /// /64. 0 means no limit. Unused requests are saved, up to the number for one second.
    package var requests = 1000
    /// The maximum number of requests per second of all callers on the network together; 0 means no limit.
    package var requestsInAll = 20_000
    /// The maximum number of requests per second of one user at the UNIX socket; 0 means no limit.
    package var unixRequests = 0
    /// The maximum number of clients of one host or IPv6 /64. If it is nil, clients on this machine are not limited, and
    /// `clientsPerMachine` applies to each other machine.
    package var clientsPerPeer: Int?
    /// The maximum number of clients of another machine, unless an operator sets `clientsPerPeer`.
    package static let clientsPerMachine = 256
    /// The time after which a network client is disconnected if it sends no request and watches nothing.
    package var idleTime = Duration.seconds(300)
    /// The time in which an HTTP request must arrive completely, from its first byte or from the
    /// beginning of the connection. Also the time for a TLS handshake.
    package var requestTime = Duration.seconds(10)
    /// The maximum number of bytes that may wait for another node, on a connection that this node has made, while the other
    /// node does not read.
    package static let outgoingNodeBacklog = 64 << 20
    /// The maximum number of bytes that may wait on a connection that another node has made to this node.
    package var incomingNodeBacklog = ServerLimits.outgoingNodeBacklog
    /// The maximum size of a reply to a client of another node, in bytes. It fits into a frame between the nodes, also if each of its
    /// bytes takes two there, as quotation marks do.
    package var replyBytes = outgoingNodeBacklog / 2
    /// The maximum size of a request's body in bytes.
    package var bodyBytes = 65_536
    /// The size in bytes up to which a request's body is read. A body that is longer than `bodyBytes` is refused after it was read,
    /// and the connection stays. Of a longer request only the head is read and checked, and the connection is closed after the answer.
    package var bodyBytesRead = 128 << 10
    /// The maximum size of a request's header in bytes.
    package var headerBytes = 16_384

    package init() {}
}
