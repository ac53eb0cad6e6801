import CSystemd
import EventLoop
import Timers

/// What systemd is told when it started the daemon. Without it, all of this does nothing.
final class ServiceManager {
    private var pulse: ScopedPendulum?

    /// The daemon answers from now on. Wraps sd_notify(3).
    func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

    /// The daemon is about to end.
    func stopping() { sd_notify(0, "STOPPING=1\nSTATUS=ending") }

    /// Shows at twice the rate that is asked for that the loop still turns, if it is asked for. From the
    /// loop's own timer: a loop that is stuck shows nothing. Wraps sd_watchdog_enabled(3).
    func keepAlive(on loop: LibeventLoop) {
        var micros: UInt64 = 0
        guard sd_watchdog_enabled(0, &micros) > 0, micros >= 2000 else { return }
        pulse = ScopedPendulum(on: loop, .milliseconds(Int64(micros / 2000))) { _ in
            sd_notify(0, "WATCHDOG=1")
        }
    }
}
