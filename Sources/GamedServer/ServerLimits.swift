import Durability
import Net
import RPC
import Sessions
import Support
import Timers

/// All limits of the server: of its connections, requests, notifications and turns of the event loop. The limits of sessions
/// are in `Limits`.
struct ServerLimits: Sendable, Equatable {
    /// The maximum number of connected clients.
    var clients = 10_240
    /// The maximum number of lines of one client that are answered in a turn of the loop. After these lines, the loop continues
    /// with other clients.
    var linesPerTurn = 256
    /// The maximum time for which one client's lines are answered in a turn of the loop; then the loop continues with other
    /// clients. The clock is read only after each sixteen lines and after a long answer, so the time can be exceeded.
    var turnTime = Duration.milliseconds(5)
    /// The maximum time in a turn of the loop for writing to the clients that wait for notifications or for the disk.
    var deliveryTime = Duration.milliseconds(3)
    /// The maximum time in a turn of the loop for all connections of one kind, such as HTTP.
    var timePerKind = Duration.milliseconds(10)
    /// The approximate maximum duration of a turn of the loop.
    var loopTime = Duration.milliseconds(30)
    /// The maximum number of new clients that are accepted in a turn.
    var acceptsPerTurn = 64
    /// The maximum number of bytes that one read from a socket returns.
    var readBytes = 65_536
    /// If a client does not read, and more bytes than this wait for it, no further line of this client is answered until it has
    /// read.
    var unsentBytes = 256 << 10
    /// The maximum number of bytes that are written to one client in a turn.
    var writeBytesPerTurn = 1 << 20
    /// While more bytes than this wait for a client, its further notifications are not encoded.
    var notificationBytes = 65_536
    /// If a watcher does not read, and more bytes of notifications than this wait for it, the watcher has overrun. It is then
    /// disconnected.
    var backlogBytes = 1 << 20
    /// The maximum number of waiting bytes of notifications for a watcher that reads. This limit is higher than `backlogBytes`,
    /// because one turn may produce more bytes than a socket holds.
    var burstBytes = 16 << 20
    /// The time in which a watcher that has overrun must read the remaining output.
    var overrunGrace = Duration.seconds(60)
    /// The time without a notification after which a watcher gets a heartbeat.
    var heartbeat = Duration.seconds(15)
    /// The time in which clients may read their last answers when the daemon ends.
    var stopGrace = Duration.seconds(5)
    /// How long the process may stand still: stopped by a signal or frozen, or while the machine sleeps. After a longer
    /// standstill the daemon executes nothing that was sent before, and its timers continue as after a restart. Zero turns
    /// this off, for debuggers.
    var standstill = Duration.seconds(5)
    /// The time for which no connections are accepted after descriptors or memory were used up.
    var acceptPause = Duration.seconds(1)

    // MARK: Bluetooth

    /// The maximum age of an event of a Bluetooth device. An older event is refused.
    var bluetoothAge = Duration.seconds(3)
    /// The maximum number of events per second of one Bluetooth device, and of one `map` line that is about an MQTT, OSC, serial
    /// or evdev connection. 0 means no limit.
    var presses = 1000

    // MARK: TLS

    /// The maximum number of TLS records in a row without application data that a connection may send after its handshake.
    var tlsRecords = 32
    /// The maximum number of TLS records that a connection may send during its handshake.
    var tlsHandshakeRecords = 1024
    /// The maximum number of TLS records, of all connections together, that are handled in a turn of the loop.
    var tlsRecordsPerTurn = 256

    // MARK: the network

    /// The maximum number of requests per second of one caller on the network: a token, a certificate, else a host or an IPv6
    /// /64. 0 means no limit. Unused requests are saved, up to the number for one second.
    var requests = 1000
    /// The maximum number of requests per second of all callers on the network together; 0 means no limit.
    var requestsInAll = 20_000
    /// The maximum number of requests per second of one user at the UNIX socket; 0 means no limit.
    var unixRequests = 0
    /// The maximum number of clients of one host or IPv6 /64. If it is nil, clients on this machine are not limited, and
    /// `clientsPerMachine` applies to each other machine.
    var clientsPerPeer: Int?
    /// The maximum number of clients of another machine, unless an operator sets `clientsPerPeer`.
    static let clientsPerMachine = 256
    /// The time after which a network client is disconnected if it sends no request and watches nothing.
    var idleTime = Duration.seconds(300)
    /// The time in which an HTTP request must arrive completely, from its first byte or from the
    /// beginning of the connection. Also the time for a TLS handshake.
    var requestTime = Duration.seconds(10)
    /// The maximum number of bytes that may wait for another node, on a connection that this node has made, while the other
    /// node does not read.
    static let outgoingNodeBacklog = 64 << 20
    /// The maximum number of bytes that may wait on a connection that another node has made to this node.
    var incomingNodeBacklog = ServerLimits.outgoingNodeBacklog
    /// The maximum size of a request's body in bytes.
    var bodyBytes = 65_536
    /// The size in bytes up to which a request's body is read. A body that is longer than `bodyBytes` is refused after it was read,
    /// and the connection stays. A body that is longer than this limit is refused unread, and the connection is closed.
    var bodyBytesRead = 128 << 10
    /// The maximum size of a request's header in bytes.
    var headerBytes = 16_384

    // MARK: the table

    /// The limits that clients see and operators set, in the order of `hello`. To add a limit, add its row here. `hello`, the
    /// option `--limit`, and the tables of the manual and the documentation are derived from this table.
    static let table: [Limit] = [
        Limit(
            "uncommitted", .fixed { _ in GroupCommit.uncommittedLimit },
            "changes that are not durable yet",
            then: "Requests wait for the disk."),
        Limit(
            "historyQueries", .fixed { _ in GroupCommit.queryLimit },
            "queries of `history` that wait for the journal at once", then: refused),
        Limit(
            "clients", .count(\.clients), "clients connected at once",
            then: "The next one gets the error `limit` and is disconnected."),
        Limit(
            "backlogBytes", .fixed(\.backlogBytes),
            "bytes of notifications that a watcher does not read",
            then: "The watcher gets `overrun` and is disconnected."),
        Limit(
            "burstBytes", .fixed(\.burstBytes),
            "bytes of notifications produced in one turn of the loop",
            then: "The watcher gets `overrun` and is disconnected, even if it reads."),
        Limit(
            "requests", .rate(\.requests),
            "requests a second of one caller on the network: a token, a certificate, else a host or an IPv6 /64",
            then: refusedHTTP),
        Limit(
            "requestsInAll", .rate(\.requestsInAll),
            "requests a second of all callers on the network",
            then: refusedHTTP),
        Limit(
            "unixRequests", .rate(\.unixRequests),
            "requests a second of one user at the UNIX socket",
            then: refused),
        Limit(
            "clientsPerPeer", .count(\.shownClientsPerPeer),
            "clients of one host or IPv6 /64; clients on this machine count only if the limit is set",
            then: "The next one gets the error `limit` and is disconnected."),
        Limit(
            "idleMs", .duration(\.idleTime), "idle time of a network client that watches nothing",
            then: "The client is disconnected."),
        Limit(
            "headerMs", .duration(\.requestTime),
            "time for an HTTP request to arrive completely, and for a TLS handshake",
            then: "The answer is 408, or the connection is closed."),
        Limit(
            "bluetoothAgeMs", .duration(\.bluetoothAge), "age of an event of a Bluetooth device",
            then: "The event is refused with `stale`."),
        Limit(
            "presses", .rate(\.presses),
            "events a second of one Bluetooth device, or of one `map` line of a connection",
            then: "Further events are dropped and counted."),
        Limit(
            "stoppedMs", .durationOrNone(\.standstill),
            "time for which the process may be stopped or the machine may sleep, on the real clock",
            then:
                "What was sent before is not executed: connections are closed. Timers continue as after a restart. 0 turns this off."
        ),
        Limit(
            "alerts", .fixed { _ in AlertBoard.limit },
            "alerts; those of the outputs of one `on` line are at most \(AlertBoard.limitPerLine)",
            then: "The oldest of an output ends."),
        Limit(
            "programs", .fixed { _ in OutputSenders.programLimit },
            "programs that outputs run at once",
            then: "The attempt fails, and is repeated like any other that fails."),
        Limit("bodyBytes", .fixed(\.bodyBytes), "bytes of an HTTP request's body", then: "413."),
        Limit(
            "headerBytes", .fixed(\.headerBytes), "bytes of an HTTP request's header", then: "400."),
        Limit(
            "tokens", .fixed { _ in TokenFile.limit },
            "tokens, invitations and guests among them", then: refused),
        Limit(
            "guests", .fixed { _ in TokenFile.guestsPerInvitation },
            "guests of one invitation; all guests together leave \(TokenFile.placesForOperators) tokens to operators",
            then: "`/join` answers 429."),
        Limit(
            "joins", .fixed { _ in JoinGate.joinLimit },
            "guests a minute from one host or IPv6 /64", then: "`/join` answers 429."),
        Limit(
            "invitationBytes", .fixed { _ in Invitation.byteLimit },
            "bytes of an invitation's event pattern, and of the arguments that it binds, as JSON",
            then: refused),
        Limit(
            "wrongCodes", .fixed { _ in JoinGate.hostLimit },
            "wrong codes a minute at `/join` from one host or IPv6 /64",
            then: "429 for codes of that host for a minute, and a line is logged."),
        Limit(
            "wrongCodesInAll", .fixed { _ in JoinGate.totalLimit },
            "wrong codes a minute at `/join` from all hosts",
            then: "429 for all codes for a minute, and a line is logged."),
        Limit(
            "passedFiles", .fixed { _ in PassedFiles.limit },
            "files that clients have passed and no request has used",
            then:
                "The file is closed. A `backup` without a path is then refused, because no file came with it."
        ),
        Limit(
            "tlsRecords", .fixed(\.tlsRecords),
            "TLS records in a row without application data, after the handshake",
            then: "The connection is closed, and a line is logged."),
        Limit(
            "tlsHandshakeRecords", .fixed(\.tlsHandshakeRecords),
            "TLS records in a row without application data, during the handshake",
            then: "The connection is closed, and a line is logged."),
    ]

    /// What happens at a limit of requests, as the tables say it.
    private static let refused = "The request is refused with `limit`."
    private static let refusedHTTP =
        "The request is refused with `limit`, over HTTP with 429. An unused allowance is kept for one second; 0 means no limit."

    /// The limits that `hello` shows, in the order of the table.
    var named: [(name: String, limit: Int)] {
        Self.table.map { ($0.namedLimit.name, $0.namedLimit.value(self)) }
    }

    /// The limit of clients per host, as `hello` shows it and an operator sets it.
    private var shownClientsPerPeer: Int {
        get { clientsPerPeer ?? Self.clientsPerMachine }
        set { clientsPerPeer = newValue }
    }
}
