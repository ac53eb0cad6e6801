import Timers

/// What a line of the log is about, so that an operator can select lines.
package enum LogKind: String, CaseIterable, Sendable {
    case transition, refused, limited, forbidden
    case slowCommit = "slow-commit"
    case slowTurn = "slow-turn"
    case lateTimer = "late-timer"
    case connection, output, alert, lease, shard, clock, reload, start, stop
    case access, flow, link, log, session, storage

    /// The text in the line.
    package var name: String { rawValue }

    /// What the lines of this kind say, for the documentation.
    package var meaning: String {
        switch self {
        case .transition: "a session has changed its state"
        case .refused: "an event was refused by its session"
        case .limited: "a client was refused or disconnected because of a limit"
        case .forbidden: "a client was refused because of its rights"
        case .slowCommit:
            "rows were durable later than \(LogThresholds.commit.milliseconds) ms after they were passed to the store"
        case .slowTurn:
            "a turn of the event loop took longer than \(LogThresholds.turn.milliseconds) ms"
        case .lateTimer:
            "a session's timer fired more than \(LogThresholds.timer.milliseconds) ms after its deadline"
        case .connection:
            "a device, a broker, another node or the database was connected or lost"
        case .output: "an output was given up, withheld, or is turned on or off"
        case .alert: "an alert has begun"
        case .lease: "leases of shards were lost, or cannot be held"
        case .shard: "shards were taken, moved or handed over"
        case .clock: "the clock was set, or clocks differ"
        case .reload: "the configuration was read again"
        case .start: "what the daemon found and opened when it started"
        case .stop: "the daemon ends"
        case .access: "tokens and invitations were made, removed or could not be stored"
        case .flow:
            "flow files with mistakes, and values of `set` lines that a flow does not accept"
        case .link: "an `on` line could not send an event to another session"
        case .log: "lines of the log were dropped or left out"
        case .session: "a session could not be opened or restored"
        case .storage: "the journal or the database failed, or works again"
        }
    }
}
