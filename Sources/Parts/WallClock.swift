import Glibc

/// The real time of this machine, even if the sessions use the virtual clock. The timestamps of webhooks have this time.
package enum WallClock {
    /// Seconds of Unix time. Wraps time(2).
    package static var seconds: Int { Int(time(nil)) }
}
