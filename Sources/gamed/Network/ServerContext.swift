import Durability
import EventLoop
import RPC
import Sessions
import Timers

/// What all connections share, of every kind: the loop and its turns, the sessions, the storage
/// that replies wait for, and the access control.
final class ServerContext: GroupCommitClients {
    let loop: LibeventLoop
    /// The time at which the daemon was started.
    let start: Instant
    let sessions: Sessions
    let conversation: ProtocolHandler
    let gatekeeper: Authorizer
    let meter: RateLimiter
    private(set) lazy var turns = TimeSlices(on: loop) { [unowned self] in limits }
    /// Nil without a store.
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
    /// The buffer for one read; used by one client at a time.
    var scratch: [UInt8]
    /// The Bluetooth input; nil without Bluetooth.
    weak var bluetooth: BluetoothSource?
    /// The number of open event streams, over all HTTP addresses.
    var webStreams: () -> Int = { 0 }
    /// Called each time before the loop sleeps, after all other work.
    var beforeSleep: [() -> Void] = []
    private var toFlush: [any Client] = []
    private var toRelease: [any Client] = []
    /// The number of connected clients of all kinds.
    var clients = 0
    /// The number of connections by host.
    var perHost: [String: Int] = [:]
    /// Whether it was already logged that the limit of clients is reached.
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

    // MARK: storage

    /// The number of durable rows, and of transactions since the start; nil without a store.
    var journal: (rows: Int, transactions: Int)? {
        keeper.map { (sessions.keptRow, $0.transactions) }
    }
    var isFull: Bool { keeper?.isFull ?? false }

    /// Continues a client when more rows are durable.
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

    /// Writes a client's notifications before the loop sleeps: all those of one turn together, and
    /// never while they are being produced.
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
