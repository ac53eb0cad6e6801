internal import CLinux
internal import Glibc
internal import Synchronization

/// The only way to pass a message to an event loop from another thread.
///
/// Any thread may send. The messages arrive on the loop's thread in the order in which they were sent;
/// `open(on:_:)` sets the function that receives them. Sending does not wait for the receiver.
public final class ThreadInbox<Message: Sendable>: Sendable {
    private let queue = Mutex<[Message]>([])
    /// The eventfd that wakes the loop: it is readable while its counter is not zero, and `send` increments the counter.
    let descriptor: Int32

    /// Creates an inbox without a receiver; it keeps messages until it is opened. Wraps `eventfd(2)`.
    public init() throws(EventLoopError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw .unavailable("an eventfd") }
    }

    deinit { close(descriptor) }

    /// Sends a message. May be called on any thread.
    public func send(_ message: Message) {
        queue.withLock { $0.append(message) }
        // The write fails only if the eventfd's counter is full; then the descriptor is readable already.
        var one: UInt64 = 1
        _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Removes and returns all waiting messages. Must be called on the loop's thread.
    func receive() -> [Message] {
        var counter: UInt64 = 0
        // Reading resets the eventfd's counter, so that the descriptor is not readable again before the next `send`.
        _ = unsafe read(descriptor, &counter, MemoryLayout<UInt64>.size)
        return queue.withLock { waiting in exchange(&waiting, with: []) }
    }

    /// Calls `work` on `loop` for each message until the returned watcher is released. The messages that have arrived by the time of a
    /// call are all delivered.
    public func open(on loop: LibeventLoop, _ work: @escaping (Message) -> Void)
        throws(EventLoopError) -> DescriptorWatcher
    {
        try DescriptorWatcher(descriptor, .readable, on: loop) {
            for message in self.receive() { work(message) }
        }
    }
}
