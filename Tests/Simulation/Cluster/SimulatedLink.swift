import PostgresStore
import TestSupport
import Timers

/// The connection of a process to the model of the database. After a loss, the link connects again.
final class SimulatedLink: DatabaseLink {
    private unowned let process: NodeProcess
    /// How long an answer may take before the link treats the connection as lost.
    private let patience: Duration
    private var connection: Connection?
    private var reconnectDelay: ScopedCountdown?
    private var isStopped = true
    var opened: () -> Void = {}
    var failed: (_ error: PostgresError, _ silence: Duration) -> Void = { _, _ in }

    init(_ process: NodeProcess, patience: Duration) {
        (self.process, self.patience) = (process, patience)
    }

    var isConnected: Bool { connection != nil }

    func start() {
        isStopped = false
        connect()
    }

    func stop() {
        isStopped = true
        (reconnectDelay, connection) = (nil, nil)
    }

    /// Loses the connection now, or directly after it has sent the next commands.
    func reset(_ reset: ConnectionReset, afterNextSend isLater: Bool) {
        if isLater { connection?.nextReset = reset } else { connection?.reset(reset) }
    }

    private func connect() {
        let world = process.world
        world.time.after(3 * world.delay()) { [weak self] in
            guard let self else { return }
            process.run { [weak self] in self?.tryToConnect() }
        }
    }

    private func tryToConnect() {
        let (machine, database) = (process.machine, process.world.database)
        guard !isStopped else { return }
        guard !machine.isCut, database.isUp else {
            return lose(PostgresError(.disconnected, "the server cannot be reached"))
        }
        connection = Connection(process, patience) { [weak self] in self?.lose($0) }
        opened()
    }

    private func lose(_ error: PostgresError) {
        connection = nil
        guard !isStopped else { return }
        let time = Duration.milliseconds(100 + process.world.random.below(900))
        reconnectDelay = ScopedCountdown(on: process.clock, time) { [unowned self] in connect() }
        failed(error, error == .timedOut ? patience : .zero)
    }

    // MARK: commands

    func execute(
        _ commands: [PostgresCommand], _ done: @escaping (Backend.GroupResult) -> Void
    ) {
        if process.world.fault == .acknowledgedBeforeCommit, let append = resultOfAppend(commands) {
            send(commands.map(Self.command)) { if case .failure = $0 { done($0) } }
            return process.world.time.after(0) { [process] in
                process.run { done(.success([append])) }
            }
        }
        send(commands.map(Self.command), done)
    }

    private static func command(_ command: PostgresCommand) -> ModelTransaction.Command {
        { (transaction: ModelTransaction) throws(ModelTransaction.Interruption) in
            try transaction.execute(command)
        }
    }

    /// The result that an append would have after its commit, for the injected fault `acknowledgedBeforeCommit`. Returns nil if
    /// the commands are not an append or the link is not connected.
    private func resultOfAppend(_ commands: [PostgresCommand]) -> PostgresResult? {
        guard isConnected, let command = commands.first,
            case .prepared(.append) = command.form
        else { return nil }
        let shards = BinaryList(command.parameters[0].bytes).integers
        return PostgresResult(columns: 1, rows: shards.map { [BinaryValue.int8($0).bytes] })
    }

    /// Executes a transaction of a part of the daemon that does not use `PostgresStore`, such as `LeaseTable`. `done` receives
    /// whether the transaction was executed.
    func execute(
        _ work: @escaping (ModelTransaction) throws(ModelTransaction.Interruption) -> Void,
        _ done: @escaping (Bool) -> Void
    ) {
        let command: ModelTransaction.Command = {
            (transaction: ModelTransaction) throws(ModelTransaction.Interruption) in
            try work(transaction)
            return PostgresResult(columns: 0, rows: [])
        }
        send([command]) { result in
            if case .success = result { done(true) } else { done(false) }
        }
    }

    private func send(
        _ commands: [ModelTransaction.Command], _ done: @escaping (Backend.GroupResult) -> Void
    ) {
        guard let connection else {
            return done(.failure(PostgresError(.disconnected, "not connected")))
        }
        connection.send(commands, done)
    }
}

/// How a connection is lost.
struct ConnectionReset {
    /// Whether the process notices the loss at once. Otherwise the process notices the loss when it next sends commands.
    let isNoticed: Bool
    /// After how many microseconds the messages on their way to the server arrive; nil if they are lost.
    let arrivesAfter: Int64?
}

/// One connection. It behaves as a `PostgresConnection` does, without a socket.
private final class Connection {
    private unowned let process: NodeProcess
    private let patience: Duration
    private let toServer: Wire
    private let toProcess: Wire
    private var backend: Backend!
    /// For each call of `send` whose result has not arrived, the closure that receives the result. The closures are in the
    /// order of the calls.
    private var waiting: [(Backend.GroupResult) -> Void] = []
    private var deadline: ScopedCountdown?
    private var isOpen = true
    private var isReset = false
    var nextReset: ConnectionReset?
    private let lost: (PostgresError) -> Void

    init(_ process: NodeProcess, _ patience: Duration, _ lost: @escaping (PostgresError) -> Void) {
        (self.process, self.patience, self.lost) = (process, patience, lost)
        (toServer, toProcess) = (process.machine.wire(), process.machine.wire())
        backend = process.world.database.connect(process.number) { [weak self] in
            self?.answer { $0.fail(PostgresError(.disconnected, "the server ends")) }
        }
    }

    /// Sends a message from the server to the process. Calls `work` when the message arrives.
    private func answer(_ work: @escaping (Connection) -> Void) {
        toProcess.send { [weak self, weak process] in
            process?.run { if let self, self.isOpen { work(self) } }
        }
    }

    func send(
        _ commands: [ModelTransaction.Command], _ done: @escaping (Backend.GroupResult) -> Void
    ) {
        guard isOpen else { return done(.failure(PostgresError(.disconnected, "it is lost"))) }
        waiting.append(done)
        if isReset { return fail(PostgresError(.disconnected, "the connection is reset")) }
        if deadline == nil { watchTime() }
        let group = Backend.Group(commands: commands) { [weak self] result in
            self?.answer { $0.answered(result) }
        }
        toServer.send { [backend] in backend?.receive(group) }
        if let next = exchange(&nextReset, with: nil) { reset(next) }
    }

    private func answered(_ result: Backend.GroupResult) {
        let done = waiting.removeFirst()
        deadline = nil
        if !waiting.isEmpty { watchTime() }
        done(result)
    }

    /// Fails if the oldest result does not arrive within `patience`.
    private func watchTime() {
        deadline = ScopedCountdown(on: process.clock, patience) { [unowned self] in
            fail(.timedOut)
        }
    }

    func reset(_ reset: ConnectionReset) {
        if let stall = reset.arrivesAfter { toServer.stall(for: stall) } else { toServer.reset() }
        toProcess.reset()
        isReset = true
        guard reset.isNoticed else { return }
        process.world.time.after(0) { [weak self, process] in
            process.run { self?.fail(PostgresError(.disconnected, "the connection is reset")) }
        }
    }

    private func fail(_ error: PostgresError) {
        guard isOpen else { return }
        isOpen = false
        deadline = nil
        for done in exchange(&waiting, with: []) { done(.failure(error)) }
        lost(error)
    }
}
