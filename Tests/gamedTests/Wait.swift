import Glibc

/// Waiting for another process.
enum Wait {
    /// Tests a condition every 10 ms until it is true, for at most two minutes. Returns whether it became true. Only a test
    /// that fails waits so long.
    static func until(_ condition: () -> Bool) -> Bool {
        // A condition can take long itself, for example if it starts a program.
        let deadline = seconds + 120
        while seconds < deadline {
            if condition() { return true }
            usleep(10_000)
        }
        return false
    }

    private static var seconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
