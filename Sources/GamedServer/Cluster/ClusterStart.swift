import Access
import Cluster
import EventLoop
import Glibc
import Journal
import LocalJournals
import Net
import Ownership
import Parts
import PostgresStore
import Room
import Sessions
import Shards
import Shell
import Support
import Timers

/// The parts of a node after its start. The node is connected to the store that the nodes share, and owns no shard yet.
struct JoinedCluster {
    /// Sends requests to the owners of sessions.
    let router: ShardRouter
    /// The rows that the nodes share.
    let store: PostgresStore
    /// The tokens that the nodes share.
    let tokens: SharedTokens
    /// The `instance` that clients see. It identifies the data of the store, and is the same on every node.
    let instance: String
    /// A directory that only this process uses. It contains backups that are being written.
    let temporaryDirectory: String
}

/// Starts a node: connects to the database, checks whether this node may join the other nodes, and joins them. The function
/// `run`, which may be called only once, runs the event loop until the node has joined or the start has failed.
final class ClusterStart {
    private let loop: LibeventLoop
    private let location: PostgresLocation
    private let store: PostgresStore
    /// This node's leases of shards, and the table in the database with the leases of all nodes.
    private let leases: ShardLeases
    private let options: Options
    private let host: Host
    /// Retains what the host uses to end the start.
    private var hostWatchers: [AnyObject] = []
    private var retryTimer = Alarm()
    private var joining = Joining.reading

    private enum Joining {
        /// The lease table was not read yet.
        case reading
        /// The first content of the lease table.
        case read(LeaseTable.Snapshot)
        /// The start ends with this error.
        case failed(any Error)
    }

    /// Thrown by `run` if the host ends the daemon before this node has joined.
    struct InterruptedError: Error {}

    /// The pauses between two reads of the lease table. The first is used until there is a connection. The second is used while
    /// another node prevents this node from joining (see `conflict`).
    private static let (connectionRetryDelay, conflictRetryDelay) =
        (Duration.milliseconds(50), Duration.milliseconds(100))

    /// `location` is the database of the option `--store`. While the database cannot be reached, `waiting` is called with a
    /// sentence for the service manager.
    init(
        _ location: PostgresLocation, _ options: Options, configurationDigest: String,
        in host: Host, on loop: LibeventLoop, waiting: @escaping (String) -> Void
    ) throws {
        (self.loop, self.options, self.location, self.host) = (loop, options, location, host)
        let owner = Self.newIdentity()
        store = PostgresStore(
            location, owner: owner, acceptsWeakStore: options.store.acceptsWeakStore,
            hold: options.node.holdDuration, backups: LocalJournals.first, on: loop)
        let settings = OwnershipSettings()
        let node = NodeDescription(
            name: options.node.name, address: options.node.advertise?.text ?? "",
            configurationDigest: configurationDigest, codec: StoreCodec.newest,
            build: "\(gamedVersion)+\(BuildInformation.commit)")
        let table = LeaseTable(
            location, owner: owner, node: node, lease: settings.lease,
            acceptsWeakStore: options.store.acceptsWeakStore, on: loop)
        leases = ShardLeases(table, store, settings, on: loop)
        leases.disconnected = { why in
            // The text of libpq contains the text of the error number.
            let isClosed = why.contains(String(cString: strerror(EAFNOSUPPORT)))
            let hint = isClosed ? "; \(NetworkFailure.hint("postgresql"))" : ""
            Log.write(.warning, .connection, "no connection to the store yet: \(why)\(hint)")
            waiting("no connection to the store yet")
        }
        leases.storeBecameUnusable = { [unowned self] in
            proceed(to: .failed(StartupError(why: "the store: \($0)")))
        }
        hostWatchers = try host.watchEnd(on: loop) { [unowned self] in
            proceed(to: .failed(InterruptedError()))
        }
    }

    /// Returns an identity that no other process has. A node's name does not suffice: several nodes may have the same name.
    private static func newIdentity() -> String {
        let number = UInt64.random(in: .min ... .max)
        return "\(getpid())-\(String(number, radix: 16))"
    }

    /// Joins the nodes of the store. Throws `InterruptedError` if the host ends the daemon; any other error says why this node may
    /// not join and what the operator can do. `newInstance` becomes the store's `instance` if the store has none.
    func run(newInstance: String) throws -> JoinedCluster {
        let proof = try Self.nodeProof(options)
        leases.connect()
        readUntilConnected()
        let snapshot = try firstSnapshot()
        try check(snapshot)
        try waitForOthers(snapshot)
        try register()
        // The notes have the same names as in the journal file of a single daemon.
        let instance = try writeNoteIfMissing("instance", newInstance)
        _ = try writeNoteIfMissing("clock", "real")
        try checkCodec(try writeNoteIfMissing(StoreCodec.note, "\(StoreCodec.oldest)"))
        let lineTimes = try recordOnLines()
        let tokens = try readTokens()
        // After the start, a failure of the store is logged, and no longer ends the daemon.
        (leases.storeBecameUnusable, leases.disconnected) = (
            { Log.write(.error, .storage, "the store: \($0)") },
            { Log.write(.warning, .connection, "no connection to the store: \($0)") }
        )
        // `RunningDaemon` watches the end later.
        host.keepEnd()
        hostWatchers = []
        retryTimer.stop()
        let environment = NodeEnvironment(
            loop: loop, identity: leases.identity, address: options.node.advertise?.text ?? "",
            proof: proof)
        return JoinedCluster(
            router: ShardRouter(
                leases, store, environment, lineTimes, hold: options.node.holdDuration,
                on: loop),
            store: store, tokens: tokens, instance: instance,
            temporaryDirectory: try Self.makeTemporaryDirectory())
    }

    /// Runs the loop until the lease table was read. Throws if the start fails meanwhile.
    private func firstSnapshot() throws -> LeaseTable.Snapshot {
        while true {
            switch joining {
            case .reading: loop.run()
            case .read(let snapshot): return snapshot
            case .failed(let error): throw error
            }
        }
    }

    /// Throws the error if the start has failed.
    private func checkFailure() throws {
        if case .failed(let error) = joining { throw error }
    }

    /// Records that the lease table was read, or that the start fails; the first failure counts. Stops the loop, so that `run`
    /// continues.
    private func proceed(to next: Joining) {
        if case .failed = joining {} else { joining = next }
        loop.stop()
    }

    /// Reads the lease table, and repeats this until there is a connection.
    private func readUntilConnected() {
        leases.readLeaseTable { [unowned self] result in
            switch result {
            case .success(let snapshot): proceed(to: .read(snapshot))
            case .failure(let error) where error.isDisconnect:
                retryTimer.set(on: loop, Self.connectionRetryDelay) {
                    [unowned self] in
                    readUntilConnected()
                }
            case .failure(let error):
                proceed(to: .failed(StartupError(why: "the store: \(error.why)")))
            }
        }
    }

    // MARK: checks

    /// Throws an error with advice if the clocks differ too much, or if the database has another number of shards than this
    /// program uses.
    private func check(_ snapshot: LeaseTable.Snapshot) throws(StartupError) {
        let settings = OwnershipSettings()
        let skew = leases.skew
        guard max(skew, .zero - skew) <= settings.greatestSkew else {
            throw StartupError(
                why: "the database's clock differs by \(skew.milliseconds) ms from this machine's, "
                    + "and \(settings.greatestSkew.milliseconds) ms are allowed: synchronize both, "
                    + "for example with chrony")
        }
        guard snapshot.rows.count == settings.shards else {
            throw StartupError(
                why: "the store has \(snapshot.rows.count) shards, and this gamed uses "
                    + "\(settings.shards): use a database that this version has prepared")
        }
    }

    /// Why this node may not join the other nodes, with advice for the operator; nil if it may.
    private func conflict(with others: [LeaseTable.Node]) -> String? {
        guard let other = others.first else { return nil }
        guard let address = options.node.advertise?.text else {
            return
                "node \(other.description.name) uses the store: to take part beside it, start this node "
                + "with --advertise, and with --node-ca or --node-secret-file"
        }
        if let nodeWithAddress = others.first(where: { $0.description.address == address }) {
            return
                "node \(nodeWithAddress.description.name) has the address \(address) too: "
                + "give each node an --advertise of its own"
        }
        if let nodeWithoutAddress = others.first(where: { $0.description.address.isEmpty }) {
            return
                "node \(nodeWithoutAddress.description.name) uses the store without --advertise: "
                + "start it again with --advertise, and with --node-ca or --node-secret-file, "
                + "or stop it"
        }
        return nil
    }

    /// Waits while there is a conflict with another node. The process of that node may have ended without removing its row. The
    /// row then becomes invalid when the node's lease ends. Throws if the conflict remains for longer than a lease.
    private func waitForOthers(_ firstSnapshot: LeaseTable.Snapshot) throws {
        var snapshot = firstSnapshot
        let deadline = loop.timerQueue.now + OwnershipSettings().lease + .seconds(1)
        while let why = conflict(with: snapshot.nodes.filter(\.isAlive)) {
            guard loop.timerQueue.now < deadline else { throw StartupError(why: why) }
            let read: Result<LeaseTable.Snapshot, PostgresError> = try wait { [unowned self] done in
                retryTimer.set(on: loop, Self.conflictRetryDelay) { [unowned self] in
                    leases.readLeaseTable(done)
                }
            }
            snapshot = try read.get()
        }
    }

    /// Writes this node's row, and then checks for conflicts again. If two nodes start at the same time, at least one of these
    /// nodes then finds the row of the other node.
    private func register() throws {
        try wait { leases.register($0) }.get()
        let snapshot = try wait { leases.readLeaseTable($0) }.get()
        let others = snapshot.nodes.filter { $0.isAlive && $0.identity != leases.identity }
        guard let why = conflict(with: others) else { return }
        _ = try wait { leases.leave($0) }
        throw StartupError(why: why)
    }

    /// Starts a request to the database, and runs the loop until its result has arrived. Throws if the start fails meanwhile.
    private func wait<Value, Failure>(
        for start: (@escaping (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Result<Value, Failure> {
        var answer: Result<Value, Failure>?
        start { [loop] in
            answer = $0
            loop.stop()
        }
        while true {
            try checkFailure()
            if let answer { return answer }
            loop.run()
        }
    }

    /// Throws if this program cannot read the row format of the store, whose version is `text`.
    private func checkCodec(_ text: String) throws(StartupError) {
        guard Int(text).map({ $0 <= StoreCodec.newest }) ?? false else {
            throw StartupError(
                why: "the store's rows have the format \(text), and this gamed reads formats up to "
                    + "\(StoreCodec.newest): use a newer gamed on this node")
        }
    }

    /// The credentials with which this node proves to other nodes that it is a node. Throws if the files that the options name
    /// cannot be used. `--check` calls this function too.
    static func nodeProof(_ options: Options) throws(StartupError) -> NodeProof {
        if let path = options.node.secretFile { return .secret(try secret(path)) }
        guard let files = options.node.certificates(options.network) else { return .none }
        do throws(TLSContext.CertificateError) {
            return .certificates(try NodeCertificates(files))
        } catch { throw StartupError(why: "--node-ca: \(error.why)") }
    }

    /// Reads the secret of the nodes from the first line of a file.
    private static func secret(_ path: String) throws(StartupError) -> NodeSecret {
        let key: [UInt8]
        do throws(SecretFileError) { key = try SecretFile.read(path) } catch {
            throw StartupError(why: "--node-secret-file: \(error.why)")
        }
        guard let secret = NodeSecret(key) else {
            throw StartupError(
                why: "--node-secret-file \(path): its first line has \(key.count) bytes, "
                    + "\(Set(key).count) of them different; at least \(NodeSecret.minimumLength) and "
                    + "\(NodeSecret.minimumVariety) are needed. Write it with `openssl rand -hex 32`"
            )
        }
        return secret
    }

    // MARK: tokens

    /// Connects to the shared tokens, and returns them after the first read. Throws if they cannot be used.
    private func readTokens() throws -> SharedTokens {
        let tokens: SharedTokens
        do throws(TokenFile.TokenError) {
            tokens = try SharedTokens(
                location, acceptsWeakStore: options.store.acceptsWeakStore, on: loop)
        } catch { throw StartupError(why: error.why) }
        tokens.changed = { [loop] _ in loop.stop() }
        let originalHandler = tokens.failed
        tokens.failed = { [unowned self] in
            proceed(to: .failed(StartupError(why: "the tokens in the store cannot be read: \($0)")))
        }
        defer { (tokens.changed, tokens.failed) = ({ _ in }, originalHandler) }
        while tokens.version == nil {
            try checkFailure()
            loop.run()
        }
        try checkFailure()
        return tokens
    }

    // MARK: notes

    /// Writes a note if the store has no note with this name. Returns the text of the note in the store: `value`, or the older
    /// text if the note existed.
    private func writeNoteIfMissing(_ name: String, _ value: String) throws -> String {
        // The notes belong to the whole store: the object of any shard can write them.
        try wait { store.shard(0).addNote(name, value, $0) }.get()
    }

    /// Returns the times from which the linking `on` lines apply. A linking line opens another session, or sends an event to
    /// another session. The store has a note with the time of each linking line. If a line has no note yet, this function
    /// writes the note with the present time. If this node is the first node that writes these notes, the time is zero: the
    /// line then also applies to earlier changes.
    private func recordOnLines() throws -> LineTimes {
        let firstNode = try writeNoteIfMissing(LineTimes.firstNodeNote, leases.identity)
        let isFirstNode = firstNode == leases.identity
        let newTime = isFirstNode ? Instant.zero : leases.databaseTime ?? .zero
        var times: [UInt64: Instant] = [:]
        for fingerprint in options.room.onLines.linkFingerprints.sorted() {
            let value = try writeNoteIfMissing(
                LineTimes.noteName(of: fingerprint), LineTimes.noteText(newTime))
            times[fingerprint] = LineTimes.instant(value) ?? newTime
        }
        let shard = store.shard(0)
        return LineTimes(times, addNote: shard.addNote, removeNote: shard.removeNote)
    }

    /// Makes a directory for this process alone. Wraps mkdtemp(3).
    private static func makeTemporaryDirectory() throws(StartupError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/gamed-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else {
            throw StartupError(
                why: "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
        }
        return path
    }
}
