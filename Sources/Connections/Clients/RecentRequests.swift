/// The requests and refusals of a client in the last minute. Counting one takes a few instructions; the minute is kept by `roll`.
struct RecentRequests {
    /// The numbers since the client connected.
    var requests: UInt32 = 0
    var refusals: UInt32 = 0
    /// The numbers at the last calls of `roll`, and the index of the oldest of them.
    private var past = InlineArray<6, (requests: UInt32, refusals: UInt32)>(repeating: (0, 0))
    private var oldest = 0

    /// How often `roll` must be called, in seconds: the elements of `past` then last for a minute.
    static let rollSeconds = 10

    /// Begins the next part of the minute.
    mutating func roll() {
        past[oldest] = (requests, refusals)
        oldest = (oldest + 1) % past.count
    }

    /// The numbers of the last minute, or of up to ten seconds more.
    var lastMinute: (requests: Int, refusals: Int) {
        let before = past[oldest]
        return (Int(requests &- before.requests), Int(refusals &- before.refusals))
    }
}
