import EventLoop
import Glibc
import Journal
import Ownership
import PostgresStore
import Sessions
import Shell
import Timers

/// A node of a store that several nodes share: connected, and not yet the owner of a shard.
struct JoinedCluster {
    let router: ShardRouter
    let store: PostgresStore
    /// The tokens that the nodes share.
    let tokens: SharedTokens
    /// The name of the store, the same on every node.
    let instance: String
    /// A directory of this process's own, for the draft of a backup.
    let scratch: String
}

/// Connects to the database, and checks whether this node may take part. It runs the event loop
/// meanwhile.
final class ClusterStart {
    private let loop: LibeventLoop
    private let location: PostgresLocation
    private let store: PostgresStore
    private let leases: ShardLeases
    private let options: Options
    private var signals: [SignalHandle] = []
    private var retry: ScopedCountdown?
    private var result: Result<LeaseTable.View, any Error>?

    /// The daemon was told to end before it took part.
    struct EndedError: Error {}

    /// The version of the rows' codec that this program writes and reads.
    static let codec = 1

    /// `waiting` is called with a sentence when the database cannot be reached yet.
    init(
        _ location: PostgresLocation, _ options: Options, facts: String, on loop: LibeventLoop,
        waiting: @escaping (String) -> Void
    ) throws {
        (self.loop, self.options, self.location) = (loop, options, location)
        let owner = Self.newIdentity()
        store = PostgresStore(
            location, owner: owner, acceptsWeak: options.acceptsWeakStore, hold: options.hold,
            on: loop)
        let settings = OwnershipSettings()
        let node = NodeFacts(
            name: options.node, address: options.advertise?.text ?? "", facts: facts,
            codec: Self.codec)
        let table = LeaseTable(
            location, owner: owner, node: node, lease: settings.lease,
            acceptsWeak: options.acceptsWeakStore, on: loop)
        leases = ShardLeases(table, store, settings, on: loop)
        leases.disconnected = { why in
            Log.write(.warning, "no connection to the store yet: \(why)")
            waiting("no connection to the store yet")
        }
        leases.obstacle = { [unowned self] in
            end(.failure(ListenerError(why: "the store: \($0)")))
        }
        signals = try [SIGTERM, SIGINT].map { [unowned self] number in
            try SignalHandle(number, on: loop) { [unowned self] in end(.failure(EndedError())) }
        }
    }

    /// A name that is unique to this process, whatever the node is called.
    private static func newIdentity() -> String {
        let number = UInt64.random(in: .min ... .max)
        return "\(getpid())-\(String(number, radix: 16))"
    }

    /// Returns when this node may take part. Throws if it may not, with what to do, or `EndedError`.
    func run(newInstance: String) throws -> JoinedCluster {
        let proof = try Self.proof(options)
        leases.connect()
        look()
        while result == nil { loop.run() }
        guard let view = try result?.get() else { throw EndedError() }
        try check(view)
        try waitForOthers(view)
        try register()
        let instance = try note("instance", newInstance)
        _ = try note("clock", "real")
        try checkCodec(try note("codec", "\(Self.codec)"))
        let lineTimes = try noteLines()
        let tokens = try readTokens()
        (leases.obstacle, leases.disconnected) = (
            { Log.write(.error, "the store: \($0)") },
            { Log.write(.warning, "no connection to the store: \($0)") }
        )
        (signals, retry) = ([], nil)
        let environment = NodeEnvironment(loop: loop, name: options.node, proof: proof)
        return JoinedCluster(
            router: ShardRouter(
                leases, store, environment, lineTimes, hold: options.hold, on: loop),
            store: store, tokens: tokens, instance: instance, scratch: try Self.makeScratch())
    }

    private var hasFailed: Bool { if case .failure? = result { true } else { false } }

    private func end(_ result: Result<LeaseTable.View, any Error>) {
        if case .failure? = self.result { return loop.stop() }
        self.result = result
        loop.stop()
    }

    /// Looks until there is a connection.
    private func look() {
        leases.lookOnce { [unowned self] result in
            switch result {
            case .success(let view): end(.success(view))
            case .failure(let error) where error.isDisconnect:
                retry = ScopedCountdown(on: loop, .milliseconds(50)) { [unowned self] in look() }
            case .failure(let error):
                end(.failure(ListenerError(why: "the store: \(error.why)")))
            }
        }
    }

    // MARK: checks

    /// Throws if this node may not take part, with what to do.
    private func check(_ view: LeaseTable.View) throws(ListenerError) {
        let settings = OwnershipSettings()
        let skew = leases.skew
        guard max(skew, .zero - skew) <= settings.greatestSkew else {
            throw ListenerError(
                why: "the database's clock differs by \(skew.milliseconds) ms from this machine's, "
                    + "and \(settings.greatestSkew.milliseconds) ms are allowed: synchronize both, "
                    + "for example with chrony")
        }
        guard view.rows.count == settings.shards else {
            throw ListenerError(
                why: "the store has \(view.rows.count) shards, and this gamed uses "
                    + "\(settings.shards): use a database that this version has prepared")
        }
    }

    /// Why this node may not take part beside the others, with what to do; nil if it may.
    private func conflict(with others: [LeaseTable.Node]) -> String? {
        guard let other = others.first else { return nil }
        guard let address = options.advertise?.text else {
            return
                "node \(other.facts.name) uses the store: to take part beside it, start this node "
                + "with --advertise, and with --node-ca or --node-secret-file"
        }
        if let same = others.first(where: { $0.facts.address == address }) {
            return "node \(same.facts.name) has the address \(address) too: give each node an "
                + "--advertise of its own"
        }
        if let silent = others.first(where: { $0.facts.address.isEmpty }) {
            return
                "node \(silent.facts.name) uses the store without --advertise: start it again with "
                + "--advertise, and with --node-ca or --node-secret-file, or stop it"
        }
        return nil
    }

    /// Waits while a node that has ended still has a lease. Throws if it is alive.
    private func waitForOthers(_ first: LeaseTable.View) throws {
        var view = first
        let end = loop.timerQueue.now + OwnershipSettings().lease + .seconds(1)
        while let why = conflict(with: view.nodes.filter(\.isAlive)) {
            guard loop.timerQueue.now < end else { throw ListenerError(why: why) }
            let next: Result<LeaseTable.View, PostgresError> = try wait { [unowned self] done in
                retry = ScopedCountdown(on: loop, .milliseconds(100)) { [unowned self] in
                    leases.lookOnce(done)
                }
            }
            view = try next.get()
        }
    }

    /// Writes this node's row, and looks again: of two nodes that start at the same time, at least one sees the other.
    private func register() throws {
        try wait { leases.register($0) }.get()
        let view = try wait { leases.lookOnce($0) }.get()
        let others = view.nodes.filter { $0.isAlive && $0.identity != leases.identity }
        guard let why = conflict(with: others) else { return }
        _ = try wait { leases.leave($0) }
        throw ListenerError(why: why)
    }

    /// Runs the loop until an answer of the database is there. Throws if the start failed meanwhile.
    private func wait<Value, Failure>(
        for ask: (@escaping (Result<Value, Failure>) -> Void) -> Void
    ) throws -> Result<Value, Failure> {
        var answer: Result<Value, Failure>?
        ask { [loop] in
            answer = $0
            loop.stop()
        }
        while true {
            if case .failure(let error)? = result { throw error }
            if let answer { return answer }
            loop.run()
        }
    }

    private func checkCodec(_ text: String) throws(ListenerError) {
        guard Int(text).map({ $0 <= Self.codec }) ?? false else {
            throw ListenerError(
                why: "the store's rows have the format \(text), and this gamed reads formats up to "
                    + "\(Self.codec): use a newer gamed on this node")
        }
    }

    /// How this node proves itself to others. Throws if the files that the options name cannot be used.
    static func proof(_ options: Options) throws(ListenerError) -> NodeProof {
        if let path = options.nodeSecretFile { return .secret(try secret(path)) }
        guard let files = options.nodeCertificates else { return .none }
        do throws(TLSContext.CertificateError) {
            return .certificates(try NodeCertificates(files))
        } catch { throw ListenerError(why: "--node-ca: \(error.why)") }
    }

    private static func secret(_ path: String) throws(ListenerError) -> NodeSecret {
        let key: [UInt8]
        do throws(SecretFileError) { key = try SecretFile.read(path) } catch {
            throw ListenerError(why: "--node-secret-file: \(error.why)")
        }
        guard key.count >= NodeSecret.shortest else {
            throw ListenerError(
                why: "--node-secret-file \(path): its first line has \(key.count) bytes, and "
                    + "\(NodeSecret.shortest) are needed: for example `openssl rand -hex 32`")
        }
        return NodeSecret(key)
    }

    // MARK: tokens

    /// Waits until the tokens were read. Throws if they cannot be used.
    private func readTokens() throws -> SharedTokens {
        let tokens: SharedTokens
        do throws(TokenFile.TokenError) {
            tokens = try SharedTokens(
                location, acceptsWeak: options.acceptsWeakStore, on: loop)
        } catch { throw ListenerError(why: error.why) }
        tokens.changed = { [loop] _ in loop.stop() }
        let report = tokens.failed
        tokens.failed = { [unowned self] in
            end(.failure(ListenerError(why: "the tokens in the store cannot be read: \($0)")))
        }
        while tokens.version == nil, !hasFailed { loop.run() }
        (tokens.changed, tokens.failed) = ({ _ in }, report)
        if case .failure(let error)? = result { throw error }
        return tokens
    }

    // MARK: notes

    /// Writes a note unless the store has one of that name. Returns the note that the store has afterwards.
    private func note(_ name: String, _ value: String) throws -> String {
        try wait { store.shard(0).note(name, value, $0) }.get()
    }

    /// Records in the database since when this node has its `on` lines about other sessions. If no node has recorded such
    /// lines before, they get the time zero: then they are applied to what earlier owners have left.
    private func noteLines() throws -> LineTimes {
        let isFirst = try note(LineTimes.beganNote, leases.identity) == leases.identity
        let now = isFirst ? Instant.zero : leases.databaseTime ?? .zero
        var times: [UInt64: Instant] = [:]
        for line in options.onLines.linkFingerprints.sorted() {
            let value = try note(LineTimes.note(of: line), LineTimes.value(now))
            times[line] = LineTimes.instant(value) ?? now
        }
        let shard = store.shard(0)
        return LineTimes(times, note: shard.note, forget: shard.forget)
    }

    /// A directory of this process's own. Wraps mkdtemp(3).
    private static func makeScratch() throws(ListenerError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/gamed-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else {
            throw ListenerError(
                why: "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
        }
        return path
    }
}
