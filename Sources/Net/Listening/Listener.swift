import CLinux
package import EventLoop
import Glibc
package import Timers

/// Accepts connections at one socket of `LineServer` or `WebServer`, a limited number per turn of the loop.
package final class Listener {
    private let socket: ListeningSocket
    private let loop: LibeventLoop
    private let limits: Limits
    /// Takes over the descriptor of an accepted connection, which was made after the given instant.
    private let admit: (Int32, Instant) -> Void
    /// Called at the beginning of each pause, with the reason.
    private let pausing: (_ why: String) -> Void
    /// When the queue of connections was emptied most recently.
    private var emptiedAt: Instant
    /// Whether connections may still wait in the queue that were made before the latest turn.
    private var isBehind = false
    /// Calls `accept` when connections wait.
    private var acceptWatcher: DescriptorWatcher?
    /// Ends a pause in accepting.
    private var pauseTimer: ScopedCountdown?

    /// How fast connections are accepted.
    package struct Limits {
        /// The maximum number of connections that are accepted in a turn of the loop.
        let perTurn: Int
        /// For how long none is accepted after descriptors or memory were used up.
        let pause: Duration

        package init(perTurn: Int, pause: Duration) {
            (self.perTurn, self.pause) = (perTurn, pause)
        }
    }

    /// Accepts connections at a socket, and calls `admit` with the descriptor of each connection, which `admit` then owns, and
    /// with an instant after which the connection was made. Calls `pausing` with the reason when it cannot accept connections for a
    /// while.
    package init(
        _ socket: consuming ListeningSocket, _ limits: Limits, on loop: LibeventLoop,
        pausing: @escaping (_ why: String) -> Void, admit: @escaping (Int32, Instant) -> Void
    ) throws(EventLoopError) {
        let descriptor = socket.descriptor
        self.socket = socket
        (self.limits, self.loop) = (limits, loop)
        (self.pausing, self.admit) = (pausing, admit)
        emptiedAt = loop.timerQueue.now
        acceptWatcher = try DescriptorWatcher(descriptor, .readable, on: loop) {
            [unowned self] in accept()
        }
    }

    // The socket is closed after that.
    deinit { acceptWatcher = nil }

    /// Accepts connections that wait, up to the limit for a turn. Further connections wait for the next turn.
    private func accept() {
        // While the listener waited, each complete turn of the loop has found the queue empty.
        let since = isBehind ? emptiedAt : max(emptiedAt, loop.completeTurn)
        isBehind = true
        for _ in 0..<limits.perTurn {
            let clientDescriptor = linux_accept(socket.descriptor)
            guard clientDescriptor >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOMEM: pauseAccepting()
                case EAGAIN:
                    emptiedAt = loop.timerQueue.now
                    isBehind = false
                default: break
                }
                return
            }
            admit(clientDescriptor, since)
        }
    }

    /// Closes the connections that wait to be accepted.
    package func dropWaitingConnections() {
        while true {
            let clientDescriptor = linux_accept(socket.descriptor)
            guard clientDescriptor >= 0 else { break }
            close(clientDescriptor)
        }
        (emptiedAt, isBehind) = (loop.timerQueue.now, false)
    }

    /// Pauses accepting, because descriptors or memory are used up. Without the pause, the loop
    /// would try again in each turn.
    private func pauseAccepting() {
        pausing(String(cString: strerror(errno)))
        acceptWatcher?.disable()
        pauseTimer = ScopedCountdown(on: loop, limits.pause) { [unowned self] in
            acceptWatcher?.enable()
        }
    }
}
