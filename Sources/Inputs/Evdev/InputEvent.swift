/// What an input device of the kernel has reported about its keys. A key has the code of linux/input-event-codes.h.
public enum InputEvent: Equatable, Sendable {
    case press(UInt16)
    case release(UInt16)
    /// The kernel has dropped events, because they were not read in time.
    case lost
}
