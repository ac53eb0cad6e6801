import Durability
import Sessions
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

    // MARK: the table

    /// The limits that clients see and operators set, in the order of `hello`. A limit is added here: `hello`, the option
    /// `--limit`, and the tables of the manual and the documentation are derived.
    static let table: [Limit] = [
        Limit(
            "uncommitted", .fixed { _ in GroupCommit.limit },
            "changes that are not on the disk yet",
            then: "Requests wait for the disk."),
        Limit(
            "historyQueries", .fixed { _ in GroupCommit.queryLimit },
            "queries of `history` that wait for the journal at once", then: refused),
        Limit(
            "clients", .count(\.clients), "clients that are connected at once",
            then: "The next one gets the error `limit` and is disconnected."),
        Limit(
            "backlogBytes", .fixed(\.backlogBytes), "bytes of notifications that nobody reads",
            then: "The watcher gets `overrun` and is disconnected."),
        Limit(
            "burstBytes", .fixed(\.burstBytes),
            "bytes of notifications that one turn of the loop may bring",
            then: "The watcher gets `overrun` and is disconnected, even if it reads."),
        Limit(
            "requests", .rate(\.requests),
            "requests a second of one peer of the network: of a token's or certificate's holder, else of a host or an IPv6 /64",
            then: refusedHTTP),
        Limit(
            "requestsInAll", .rate(\.requestsInAll),
            "requests a second of all peers of the network",
            then: refusedHTTP),
        Limit(
            "unixRequests", .rate(\.unixRequests),
            "requests a second of one user at the UNIX socket",
            then: refused),
        Limit(
            "clientsPerPeer", .count(\.shownClientsPerPeer),
            "clients of one host or IPv6 /64; unless it is set, of other machines only",
            then: "The next one gets the error `limit` and is disconnected."),
        Limit(
            "idleMs", .duration(\.idle), "silence of a client of the network that watches nothing",
            then: "The client is disconnected."),
        Limit(
            "headerMs", .duration(\.header),
            "time for a whole HTTP request to come, and for a TLS handshake",
            then: "The answer is 408, or the connection is closed."),
        Limit(
            "bluetoothAgeMs", .duration(\.bluetoothAge), "age of an event of a Bluetooth device",
            then: "The event is refused with `stale`."),
        Limit(
            "presses", .rate(\.presses), "events a second of one Bluetooth device",
            then: "Further events are dropped and counted."),
        Limit("bodyBytes", .fixed(\.bodyBytes), "bytes of an HTTP request's body", then: "413."),
        Limit(
            "headerBytes", .fixed(\.headerBytes), "bytes of an HTTP request's header", then: "400."),
        Limit(
            "passedFiles", .fixed { _ in PassedFiles.limit },
            "files that clients have passed and no request has taken",
            then: "The file is closed, and `backup` finds none."),
        Limit(
            "tlsRecords", .fixed(\.tlsRecords),
            "TLS records in a row without application data, after the handshake",
            then: "The connection is closed, and the log says so."),
        Limit(
            "tlsHandshakeRecords", .fixed(\.tlsHandshakeRecords),
            "TLS records in a row without application data, during the handshake",
            then: "The connection is closed, and the log says so."),
    ]

    private static let refused = "The request is refused with `limit`."
    private static let refusedHTTP =
        "The request is refused with `limit`, over HTTP with 429. What is not used is saved up for a second; 0 is no limit."

    /// What `hello` shows.
    var named: [(name: String, limit: Int)] {
        Self.table.map { ($0.shown.name, $0.shown.value(self)) }
    }

    /// How many clients one peer may have, as `hello` shows it.
    private var shownClientsPerPeer: Int {
        get { clientsPerPeer ?? Self.clientsPerMachine }
        set { clientsPerPeer = newValue }
    }
}
