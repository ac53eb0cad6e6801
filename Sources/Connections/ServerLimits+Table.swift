import Access
import Durability
import Net
package import Parts
import RPC
import Room
import Sessions
import Support
import Timers

/// The table of the limits, with those that a part of the daemon fixes.
extension ServerLimits {
    /// The limits that clients see and operators set, in the order of `hello`. To add a limit, add its row here, or to the kind
    /// of output that fixes it. `hello`, the option `--limit`, and the tables of the manual and the documentation are derived
    /// from this table.
    package static let table: [Limit] =
        rowsBeforeOutputs + RoomKinds.outputs.flatMap { $0.limits } + rowsAfterOutputs

    private static let rowsBeforeOutputs: [Limit] = [
        Limit(
            "uncommitted", .fixed { _ in GroupCommit.uncommittedLimit },
            "changes that are not durable yet",
            then: "Requests wait for the disk."),
        Limit(
            "historyQueries", .fixed { _ in GroupCommit.queryLimit },
            "queries of `history` and `presses` that wait for the journal at once", then: refused),
        Limit(
            "clients", .count(\.clients), "clients connected at once",
            then: "The next one gets the error `limit` and is disconnected."),
        Limit(
            "backlogBytes", .fixed(\.backlogBytes),
            "bytes of notifications that wait for a watcher that has not read for a second",
            then: "The watcher gets `overrun` and is disconnected."),
        Limit(
            "replyBytes", .fixed(\.replyBytes), "bytes of a reply to a client of another node",
            then: refused),
        Limit(
            "burstBytes", .fixed(\.burstBytes),
            "bytes of notifications that wait for a watcher",
            then: "The watcher gets `overrun` and is disconnected, even if it reads."),
        Limit(
            "requests", .rate(\.requests),
            "requests a second of one caller on the network: a token, a certificate, else a host or an IPv6 /64; also the commands of one `mqtt` connection",
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
            "idleMs", .duration(\.idleTime),
            "time in which a network client must send, watch or read something",
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
    ]

    private static let rowsAfterOutputs: [Limit] = [
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
    package var named: [(name: String, limit: Int)] {
        Self.table.map { ($0.namedLimit.name, $0.namedLimit.value(self)) }
    }

    /// The limit of clients per host, as `hello` shows it and an operator sets it.
    private var shownClientsPerPeer: Int {
        get { clientsPerPeer ?? Self.clientsPerMachine }
        set { clientsPerPeer = newValue }
    }
}
