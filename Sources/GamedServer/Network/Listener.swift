import CLinux
import EventLoop
import Glibc
import Timers

/// Accepts connections, a limited number per turn of the loop.
final class Listener {
    private let descriptor: Int32
    private let context: ServerContext
    private let closesDescriptor: Bool
    private let admit: (Int32) -> Void
    private var readable: DescriptorWatcher?
    private var pauseTimer: ScopedCountdown?

    /// Calls `admit` with each connected socket, which `admit` must close. The listening socket is
    /// closed on deinit if `closesDescriptor` is true.
    init(
        _ descriptor: Int32, _ context: ServerContext, closesDescriptor: Bool = false,
        _ admit: @escaping (Int32) -> Void
    ) throws(EventLoopError) {
        (self.descriptor, self.context) = (descriptor, context)
        (self.closesDescriptor, self.admit) = (closesDescriptor, admit)
        // Clients on this machine come first. They connect to the UNIX socket, the only socket that another object closes.
        let priority: EventPriority = closesDescriptor ? .normal : .high
        readable = try DescriptorWatcher(descriptor, .readable, on: context.loop, priority) {
            [unowned self] in accept()
        }
    }

    deinit {
        readable = nil
        if closesDescriptor { close(descriptor) }
    }

    private func accept() {
        for _ in 0..<context.limits.acceptsPerTurn {
            let clientDescriptor = linux_accept(descriptor)
            guard clientDescriptor >= 0 else {
                if errno == EMFILE || errno == ENFILE || errno == ENOMEM { pauseAccepting() }
                return
            }
            admit(clientDescriptor)
        }
    }

    /// Pauses accepting, because descriptors or memory are used up.
    private func pauseAccepting() {
        Log.write(
            .warning,
            "cannot accept a client for now: \(String(cString: strerror(errno)))")
        readable?.disable()
        pauseTimer = ScopedCountdown(on: context.loop, context.limits.acceptPause) {
            [unowned self] in
            readable?.enable()
        }
    }
}
