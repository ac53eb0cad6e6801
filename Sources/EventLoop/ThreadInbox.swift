internal import CLinux
internal import Glibc
internal import Synchronization

/// The one way into an event loop from another thread.
///
/// Anybody may send; the messages come out on the loop's thread, in the order in which they were sent,
/// where `LibeventLoop.open(_:)` says what happens to them. Sending never waits.
public final class ThreadInbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])
    let descriptor: Int32

    /// A door that nobody listens at yet; what is sent meanwhile waits. Wraps `eventfd(2)`.
    public init() throws(EventLoopError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { close(descriptor) }

    /// Hands a message in. From any thread.
    public func send(_ message: Message) {
        queue.withLock { $0.append(message) }
        // The write fails only when the counter is full, and then the loop is awake already.
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Takes out everything that was handed in. On the loop's thread.
    func receive() -> [Message] {
        var counter: UInt64 = 0
        _ = unsafe read(descriptor, &counter, 8)
        return queue.withLock { waiting in exchange(&waiting, with: []) }
    }

    /// Opens the door on `loop` until the answer is let go of: `work` is called for each message.
    public func open(on loop: LibeventLoop, _ work: @escaping (Message) -> Void)
        throws(EventLoopError) -> DescriptorWatcher
    {
        try DescriptorWatcher(descriptor, .readable, on: loop) {
            for message in self.receive() { work(message) }
        }
    }
}
