import Durability
import EventLoop
import RPC
import Sessions
import Timers

/// What all clients share, by whatever way they came: the loop and its turns, the sessions, the disk that
/// answers wait for, and who may do what.
final class ServerContext: GroupCommitClients {
    let loop: LibeventLoop
    /// When the daemon was started.
    let start: Instant
    let sessions: Sessions
    let conversation: ProtocolHandler
    let gatekeeper: Authorizer
    let meter: RateLimiter
    private(set) lazy var turns = TimeSlices(on: loop) { [unowned self] in limits }
    /// Nil where nothing is kept.
    private let keeper: GroupCommit?
    var limits: ServerLimits {
        didSet {
            meter.limits = limits
            conversation.show(limits: limits.named)
        }
    }
    let tally = Tally()
    let farewells = Farewells()
    let passedFiles = PassedFiles()
    private(set) lazy var tlsBudget = TLSRecordGuard.Budget { [unowned self] in
        limits.tlsRecordsPerTurn
    }
    /// What one read takes in; used by one client at a time.
    var scratch: [UInt8]
    /// What comes over Bluetooth; nil where nobody listens.
    weak var bluetooth: BluetoothSource?
    /// How many streams of events are open, at all web addresses together.
    var webStreams: () -> Int = { 0 }
    /// Called each time before the loop sleeps, behind everything else.
    var beforeSleep: [() -> Void] = []
    private var toFlush: [any Client] = []
    private var toRelease: [any Client] = []
    /// How many clients are connected, by whatever way.
    var clients = 0
    /// How many are connected from one host.
    var perHost: [String: Int] = [:]
    /// Whether it was said already that no more clients fit.
    var isCrowded = false

    init(
        on loop: LibeventLoop, _ sessions: Sessions, _ conversation: ProtocolHandler,
        _ gatekeeper: Authorizer, keeper: GroupCommit? = nil, limits: ServerLimits
    ) {
        (self.loop, self.sessions, self.conversation) = (loop, sessions, conversation)
        start = loop.timerQueue.now
        (self.gatekeeper, self.keeper, self.limits) = (gatekeeper, keeper, limits)
        meter = RateLimiter(limits, on: loop)
        scratch = Array(repeating: 0, count: limits.readBytes)
        loop.beforeSleep = { [unowned self] in
            for work in beforeSleep { work() }
            keeper?.flush()
            flushAll()
            turns.begin()
            tlsBudget.renew()
        }
        keeper?.clients = self
    }

    // MARK: the disk

    /// Whether so much waits for the disk that nothing more is taken in.
    /// How many rows are on the disk, and how many transactions that took since the start; nil without a store.
    var journal: (rows: Int, transactions: Int)? {
        keeper.map { (sessions.keptRow, $0.transactions) }
    }
    var isFull: Bool { keeper?.isFull ?? false }

    /// Has a client go on when more is on the disk.
    func releaseLater(_ client: any Client) {
        guard keeper != nil, !client.isToRelease else { return }
        client.isToRelease = true
        toRelease.append(client)
    }

    func settled(_ outcome: GroupCommit.Outcome) {
        for client in exchange(&toRelease, with: []) {
            client.isToRelease = false
            if !client.isGone { client.release(outcome) }
        }
    }

    // MARK: notifications

    /// Has a client's notifications written before the loop sleeps: all that one turn brings in one
    /// go, and never in the middle of what brings them.
    func flushLater(_ client: any Client) {
        if !client.isToFlush {
            client.isToFlush = true
            toFlush.append(client)
        }
    }

    private func flushAll() {
        while !toFlush.isEmpty {
            for client in exchange(&toFlush, with: []) {
                client.isToFlush = false
                client.flush()
            }
        }
    }
}
