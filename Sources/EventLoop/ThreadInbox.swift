internal import CLinux
internal import Glibc
internal import Synchronization

/// The only way to pass a message to an event loop from another thread.
///
/// Any thread may send. The messages arrive on the loop's thread in the order in which they were sent;
/// `open(on:_:)` sets the function that receives them. Sending does not wait for the receiver.
public final class ThreadInbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])
    let descriptor: Int32

    /// Creates an inbox without a receiver; it keeps messages until it is opened. Wraps `eventfd(2)`.
    public init() throws(EventLoopError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .unavailable("eventfd") }
    }

    deinit { close(descriptor) }

    /// Sends a message. May be called on any thread.
    public func send(_ message: Message) {
        queue.withLock { $0.append(message) }
        // The write fails only if the counter is full, and then the loop is already awake.
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, 8)
    }

    /// Removes and returns all waiting messages. Must be called on the loop's thread.
    func receive() -> [Message] {
        var counter: UInt64 = 0
        _ = unsafe read(descriptor, &counter, 8)
        return queue.withLock { waiting in exchange(&waiting, with: []) }
    }

    /// Calls `work` on `loop` for each message until the returned watcher is released.
    public func open(on loop: LibeventLoop, _ work: @escaping (Message) -> Void)
        throws(EventLoopError) -> DescriptorWatcher
    {
        try DescriptorWatcher(descriptor, .readable, on: loop) {
            for message in self.receive() { work(message) }
        }
    }
}
