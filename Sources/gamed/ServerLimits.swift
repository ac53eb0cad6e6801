import Durability
import Timers

/// Every limit of the server, in one place.
struct ServerLimits: Sendable, Equatable {
    /// How many clients are connected at once.
    var clients = 10_240
    /// How many lines of one client are answered in a turn of the loop, before the others have theirs.
    var linesPerTurn = 256
    /// How long a client's lines are answered in a turn, a look at the clock every sixteen lines.
    var turnTime = Duration.milliseconds(5)
    /// How much of a turn those have together who came by one way, and about how long a turn is at most.
    var wayTime = Duration.milliseconds(10)
    var loopTime = Duration.milliseconds(30)
    /// How many new clients are let in in a turn.
    var acceptsPerTurn = 64
    /// How many bytes one read takes in.
    var readBytes = 65_536
    /// Above so many bytes of answers that nobody reads, the client is no longer read from.
    var outputHigh = 256 << 10
    /// How many bytes are written to one client in a turn.
    var writeBytesPerTurn = 1 << 20
    /// Notifications are turned into bytes up to here; the rest wait as they are.
    var noticeBytes = 65_536
    /// Past so many bytes of notifications that nobody reads, a watcher has overrun.
    var backlogBytes = 1 << 20
    /// Past so many it has overrun even if it reads: one turn may bring more than a socket holds.
    var burstBytes = 16 << 20
    /// How long a watcher that has overrun may take to read what is left.
    var overrunGrace = Duration.seconds(60)
    /// After so much silence, a watcher gets a sign of life.
    var heartbeat = Duration.seconds(15)
    /// How long clients may take to read their last answers when the daemon ends.
    var stopGrace = Duration.seconds(5)
    /// How long to wait before letting clients in again when descriptors have run out.
    var acceptPause = Duration.seconds(1)

    // MARK: Bluetooth

    /// How old an event of a device may be.
    var bluetoothAge = Duration.seconds(3)
    /// How many events one device may bring about in a second; 0 is no limit.
    var presses = 1000

    // MARK: TLS

    /// How many TLS records a connection may send without application data between them, once its handshake
    /// is over; and how many during the handshake.
    var tlsRecords = 32
    var tlsHandshakeRecords = 1024
    /// How many TLS records all connections together may have handled in a turn of the loop.
    var tlsRecordsPerTurn = 256

    // MARK: the network

    /// Requests a second of one peer of the network, and of all of them; what is saved up lasts a second. 0 is
    /// no limit.
    var requests = 1000
    var requestsInAll = 20_000
    /// Requests a second of one user at the UNIX socket; 0 is no limit.
    var unixRequests = 0
    /// How many clients one peer of the network may have; unless it is set, only other machines are counted.
    var clientsPerPeer: Int?
    static let clientsPerMachine = 256
    /// How long a client of the network that watches nothing may say nothing.
    var idle = Duration.seconds(300)
    /// How long a request may take to come, from its first byte or the connection's beginning to its end.
    var header = Duration.seconds(10)
    /// The longest body of a request, in bytes; and how long a body may be that gets an answer of ours.
    var bodyBytes = 65_536
    var bodyBytesRead = 128 << 10
    /// How long a request's header may be, in bytes.
    var headerBytes = 16_384

    /// As the daemon tells its clients.
    var named: [(name: String, limit: Int)] {
        [
            ("uncommitted", Keeper.limit), ("historyQueries", Keeper.queryLimit),
            ("clients", clients), ("backlogBytes", backlogBytes),
            ("burstBytes", burstBytes), ("requests", requests),
            ("requestsInAll", requestsInAll), ("unixRequests", unixRequests),
            ("clientsPerPeer", clientsPerPeer ?? Self.clientsPerMachine),
            ("idleMs", Int(idle.milliseconds)), ("headerMs", Int(header.milliseconds)),
            ("bluetoothAgeMs", Int(bluetoothAge.milliseconds)), ("presses", presses),
            ("bodyBytes", bodyBytes), ("headerBytes", headerBytes),
            ("passedFiles", PassedFiles.limit), ("tlsRecords", tlsRecords),
            ("tlsHandshakeRecords", tlsHandshakeRecords),
        ]
    }
}
