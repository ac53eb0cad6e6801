/// Makes the pauses between attempts shorter by a random part. Otherwise many programs that have lost the same server at the same
/// moment would also try again at the same moments.
public struct RetrySpread: Sendable {
    /// The largest part by which a pause becomes shorter.
    public static let largest = 0.25
    /// All pauses stay as they are.
    public static let none = RetrySpread { 0 }
    public static let random = RetrySpread { .random(in: 0..<1) }

    private let draw: @Sendable () -> Double

    /// `draw` returns a number that is at least 0 and less than 1.
    public init(_ draw: @escaping @Sendable () -> Double) { self.draw = draw }

    /// Returns the pause, made shorter by at most a quarter.
    public func shorten(_ pause: Duration) -> Duration {
        let part = draw()
        return part > 0 ? pause - pause * (part * Self.largest) : pause
    }
}
