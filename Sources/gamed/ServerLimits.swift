import Keeping
import Timers

/// Every limit of the server, in one place.
struct ServerLimits: Sendable {
    /// How many clients are connected at once.
    var clients = 10_240
    /// How many lines of one client are answered in a turn of the loop, before the others have theirs.
    var linesPerTurn = 256
    /// How long a client's lines are answered in a turn, a look at the clock every sixteen lines.
    var turnTime = Interval.milliseconds(5)
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
    var overrunGrace = Interval.seconds(60)
    /// After so much silence, a watcher gets a sign of life.
    var heartbeat = Interval.seconds(15)
    /// How long clients may take to read their last answers when the daemon ends.
    var stopGrace = Interval.seconds(5)
    /// How long to wait before letting clients in again when descriptors have run out.
    var acceptPause = Interval.seconds(1)

    /// As the daemon tells its clients.
    var named: [(name: String, limit: Int)] {
        [
            ("uncommitted", Keeper.limit), ("clients", clients), ("backlogBytes", backlogBytes),
            ("burstBytes", burstBytes),
        ]
    }
}
