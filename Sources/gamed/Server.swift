import CLinux
import GameFlow
import Glibc
import Keeping
import Sessions
import Timers
import Wire

/// Lets clients in at the UNIX socket, and holds their connections.
final class Server {
    let loop: EventLoop
    let sessions: Sessions
    let conversation: Conversation
    let limits: ServerLimits
    /// Nil where nothing is kept.
    private let keeper: Keeper?
    private var toRelease: [Connection] = []
    /// What one read takes in; used by one connection at a time.
    var scratch: [UInt8]
    private var socket: UnixSocket?
    private var listener: Descriptor?
    private var pause: HeldCountdown?
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var toFlush: [Connection] = []
    private var isCrowded = false
    private(set) var isStopping = false
    private var whenEmpty: (() -> Void)?

    init(
        _ socket: consuming UnixSocket, on loop: EventLoop, _ sessions: Sessions,
        _ conversation: Conversation, keeper: Keeper? = nil, limits: ServerLimits
    ) throws(EventLoopError) {
        self.keeper = keeper
        (self.loop, self.sessions, self.conversation) = (loop, sessions, conversation)
        self.limits = limits
        scratch = Array(repeating: 0, count: limits.readBytes)
        let descriptor = socket.descriptor
        self.socket = consume socket
        listener = try Descriptor(descriptor, .readable, on: loop) { [unowned self] in
            accept(descriptor)
        }
        loop.beforeSleep = { [unowned self] in
            keeper?.flush()
            flushAll()
        }
        keeper?.settled = { [unowned self] in releaseAll($0) }
    }

    // MARK: the disk

    /// Whether so much waits for the disk that nothing more is taken in.
    var isFull: Bool { keeper?.isFull ?? false }

    /// Has a connection go on when more is on the disk.
    func releaseLater(_ connection: Connection) {
        guard keeper != nil, !connection.isToRelease else { return }
        connection.isToRelease = true
        toRelease.append(connection)
    }

    private func releaseAll(_ outcome: Keeper.Outcome) {
        for connection in exchange(&toRelease, with: []) {
            connection.isToRelease = false
            if connection.phase != .closed { connection.release(outcome) }
        }
    }

    // MARK: clients

    /// How many are connected.
    var clients: Int { connections.count }

    private func accept(_ descriptor: Int32) {
        for _ in 0..<limits.acceptsPerTurn {
            let client = linux_accept(descriptor)
            guard client >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM { pauseAccepting() }
                return
            }
            admit(client)
        }
    }

    private func admit(_ client: Int32) {
        guard connections.count < limits.clients else {
            refuse(client)
            close(client)
            return
        }
        isCrowded = false
        let peer = Credentials(of: client).map {
            Source.Peer.process(pid: $0.pid, uid: $0.uid, gid: $0.gid)
        }
        guard let connection = try? Connection(client, Source(.unix, peer: peer), of: self) else {
            return
        }
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Tells a client for which there is no place why it is turned away.
    private func refuse(_ client: Int32) {
        if !isCrowded {
            Log.write(.warning, "\(limits.clients) clients are connected: no more fit")
        }
        isCrowded = true
        let line = conversation.refusal(.limit(which: "clients", limit: limits.clients))
        _ = line.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
    }

    /// Descriptors have run out: those who wait outside are let in when some may be free again.
    private func pauseAccepting() {
        Log.write(
            .warning, "no descriptor is left for a new client: \(String(cString: strerror(errno)))")
        listener?.sleep()
        pause = HeldCountdown(on: loop, limits.acceptPause) { [unowned self] in listener?.wake() }
    }

    func forget(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { whenEmpty?() }
    }

    // MARK: notifications

    /// Has a connection's notifications written before the loop sleeps: all that one turn brings in one
    /// go, and never in the middle of what brings them.
    func flushLater(_ connection: Connection) {
        if !connection.isToFlush {
            connection.isToFlush = true
            toFlush.append(connection)
        }
    }

    private func flushAll() {
        while !toFlush.isEmpty {
            for connection in exchange(&toFlush, with: []) {
                connection.isToFlush = false
                connection.flush()
            }
        }
    }

    // MARK: the end

    /// Lets nobody in any more, takes in nothing more, and has what is written read, within the grace;
    /// then calls `done`.
    func stop(_ done: @escaping () -> Void) {
        isStopping = true
        listener = nil
        socket = nil
        for connection in connections.values {
            connection.end()
            connection.flush()
        }
        guard !connections.isEmpty else { return done() }
        whenEmpty = done
        pause = HeldCountdown(on: loop, limits.stopGrace) { [unowned self] in
            Log.write(.warning, "\(connections.count) clients did not read their last answers")
            done()
        }
    }
}
