package import Support

/// A byte stream to and from one client, with TLS or without. Its owner is a `Connection`, or before that a `TLSHandshake`; or an
/// `HTTPConnection`.
///
/// No method blocks: if nothing can be read or written now, the result is `.later`, and the channel calls `readable` or
/// `writable` later. All calls are on the loop's thread.
package protocol Channel: AnyObject {
    /// Called when bytes or the end of input have arrived, or the connection is lost. The channel's owner sets it.
    var readable: () -> Void { get set }
    /// Called when output is possible, after `waitForSpace(true)`. The channel's owner sets it.
    var writable: () -> Void { get set }

    /// Reads bytes that have arrived, at most the size of the buffer. The result has their number.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer
    /// Whether a read of fewer bytes than the buffer has room for means that no further bytes had arrived. If it is false, only
    /// the result `.later` means that.
    var readsToEnd: Bool { get }
    /// Returns the newest file that the client has passed (SCM_RIGHTS). Nil if the client has passed no file, or if the newest
    /// file was already taken. The file is closed when the caller releases it.
    func takeFile() -> PassedFile?
    /// Writes as many of the bytes as are accepted now, from the first on. The result has the number of written bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer

    /// Sets whether `readable` is called.
    func waitForInput(_ isWaiting: Bool)
    /// Sets whether `writable` is called.
    func waitForSpace(_ isWaiting: Bool)
    /// Calls `readable` in the next turn of the loop, even if nothing has arrived.
    func callReadableLater()
    /// Closes the channel; neither `readable` nor `writable` is called any more. Output that `write` accepted is still sent.
    func close()
}

extension Channel {
    package var readsToEnd: Bool { false }

    /// Writes bytes, and sets `transfer` to the result. Returns the number of written bytes; −1 if none were written.
    package func write(_ bytes: UnsafeRawBufferPointer, _ transfer: inout Transfer) -> Int {
        transfer = write(bytes)
        return if case .bytes(let count) = transfer { count } else { -1 }
    }

    /// By default clients cannot pass files.
    package func takeFile() -> PassedFile? { nil }
}

/// The result of reading or writing.
package enum Transfer: Equatable {
    /// This number of bytes was read or written.
    case bytes(Int)
    /// Nothing can be read or written now.
    case later
    /// The client will send no more bytes.
    case end
    /// The connection is lost.
    case broken
}
