/// What became of a simulated device's presses.
public struct PressCount: Equatable, Sendable {
    public var pressed = 0
    /// Sent over a link that was there.
    public var told = 0
    /// Nobody was there, and it kept none, or too many.
    public var lost = 0
}
