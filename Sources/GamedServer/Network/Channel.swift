import Sessions

/// A byte stream to and from one client, on an event loop.
///
/// It never blocks: if an operation is not possible now, `readable` or `writable` is called later.
protocol Channel: AnyObject {
    /// Called when bytes or the end of input have arrived. The channel's owner sets it.
    var readable: () -> Void { get set }
    /// Called when output is possible. The channel's owner sets it.
    var writable: () -> Void { get set }

    /// Reads bytes that have arrived.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    /// Returns the file descriptor that the client passed with the latest bytes (SCM_RIGHTS); nil if it passed none. The caller
    /// then owns it.
    func takeFile() -> PassedFile?
    /// Writes bytes from the first on, as many as are accepted now. The result has the number of written bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer

    /// Sets whether `readable` is called.
    func listen(_ isListening: Bool)
    /// Sets whether `writable` is called.
    func waitForSpace(_ isWaiting: Bool)
    /// Calls `readable` in the next turn of the loop, even if nothing has arrived.
    func callAgain()
    /// Closes the channel; accepted output is still sent.
    func close()
}

extension Channel {
    func takeFile() -> PassedFile? { nil }
}

/// The result of reading or writing.
enum Transfer: Equatable {
    case bytes(Int)
    /// Nothing can be read or written now.
    case later
    /// The client will send no more bytes.
    case end
    /// The connection is lost.
    case broken
}
