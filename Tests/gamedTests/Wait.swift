import Glibc

/// Waiting for another process.
enum Wait {
    /// Tests a condition every 10 ms until it is true, for at most two minutes. Returns whether it became true. Only a test
    /// that fails waits so long.
    static func until(_ condition: () -> Bool) -> Bool {
        for _ in 0..<12_000 {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }
}
