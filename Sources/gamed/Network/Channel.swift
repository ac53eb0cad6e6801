import Sessions

/// A stream of bytes to one client and from it, with a loop that says when there is something to do.
///
/// It never waits: what cannot be done now is done when `readable` or `writable` is called.
protocol Channel: AnyObject {
    /// Called when bytes have come, or the end; and when there is room for more.
    var readable: () -> Void { get set }
    var writable: () -> Void { get set }

    /// Takes in what has come.
    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer
    /// The file that came last with what was read, once.
    func takeFile() -> PassedFile?
    /// Hands over bytes; how many were taken.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer

    /// Whether `readable` and `writable` are called.
    func listen(_ isListening: Bool)
    func waitForRoom(_ isWaiting: Bool)
    /// Calls `readable` in the loop's next turn, whatever has come.
    func callAgain()
    /// Ends it; what was taken still goes out.
    func close()
}

extension Channel {
    func takeFile() -> PassedFile? { nil }
}

/// What came of reading or writing.
enum Transfer: Equatable {
    case bytes(Int)
    /// Not now.
    case later
    /// The client sends no more.
    case end
    /// The client is gone.
    case broken
}
