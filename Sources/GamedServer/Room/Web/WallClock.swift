import Glibc

/// The time of this machine, for messages to others.
enum WallClock {
    /// Seconds of Unix time. Wraps time(2).
    static var seconds: Int { Int(time(nil)) }
}
