import CLinux
import EventLoop
import Glibc
import Timers

/// Accepts connections at one socket of `LineServer` or `WebServer`, a limited number per turn of the loop.
final class Listener {
    private let descriptor: Int32
    private let context: ServerContext
    private let closesDescriptor: Bool
    /// Takes over the descriptor of an accepted connection, which was made after the given instant.
    private let admit: (Int32, Instant) -> Void
    /// When the queue of connections was emptied most recently.
    private var emptiedAt: Instant
    /// Whether connections may still wait in the queue that were made before the latest turn.
    private var isBehind = false
    /// Calls `accept` when connections wait.
    private var acceptWatcher: DescriptorWatcher?
    /// Ends a pause in accepting.
    private var pauseTimer: ScopedCountdown?

    /// Accepts connections at the listening socket `descriptor`, and calls `admit` with the descriptor of each connection,
    /// which `admit` then owns, and with an instant after which the connection was made. If `closesDescriptor` is true, the
    /// listener closes the listening socket when it is released.
    init(
        _ descriptor: Int32, _ context: ServerContext, closesDescriptor: Bool = false,
        _ admit: @escaping (Int32, Instant) -> Void
    ) throws(EventLoopError) {
        (self.descriptor, self.context) = (descriptor, context)
        emptiedAt = context.loop.timerQueue.now
        (self.closesDescriptor, self.admit) = (closesDescriptor, admit)
        acceptWatcher = try DescriptorWatcher(descriptor, .readable, on: context.loop) {
            [unowned self] in accept()
        }
    }

    deinit {
        acceptWatcher = nil
        if closesDescriptor { close(descriptor) }
    }

    /// Accepts connections that wait, up to the limit for a turn. Further connections wait for the next turn.
    private func accept() {
        // While the listener waited, each complete turn of the loop has found the queue empty.
        let since = isBehind ? emptiedAt : max(emptiedAt, context.loop.completeTurn)
        isBehind = true
        for _ in 0..<context.limits.acceptsPerTurn {
            let clientDescriptor = linux_accept(descriptor)
            guard clientDescriptor >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOMEM: pauseAccepting()
                case EAGAIN:
                    emptiedAt = context.loop.timerQueue.now
                    isBehind = false
                default: break
                }
                return
            }
            admit(clientDescriptor, since)
        }
    }

    /// Closes the connections that wait to be accepted.
    func dropWaitingConnections() {
        while true {
            let clientDescriptor = linux_accept(descriptor)
            guard clientDescriptor >= 0 else { break }
            close(clientDescriptor)
        }
        (emptiedAt, isBehind) = (context.loop.timerQueue.now, false)
    }

    /// Pauses accepting for the limit `acceptPause`, because descriptors or memory are used up. Without the pause, the loop
    /// would try again in each turn.
    private func pauseAccepting() {
        Log.write(
            .warning,
            "cannot accept a client for now: \(String(cString: strerror(errno)))")
        acceptWatcher?.disable()
        pauseTimer = ScopedCountdown(on: context.loop, context.limits.acceptPause) {
            [unowned self] in
            acceptWatcher?.enable()
        }
    }
}
