import CSystemd
import EventLoop
import Timers

/// Reports the daemon's status to systemd. Does nothing if systemd did not start the daemon.
final class ServiceManager {
    private var keepAliveTimer: ScopedPendulum?

    /// Reports that the daemon accepts requests from now on. Wraps sd_notify(3).
    func ready(_ status: String) { sd_notify(0, "READY=1\nSTATUS=\(status)") }

    /// Reports that the daemon is about to end.
    func stopping() { sd_notify(0, "STOPPING=1\nSTATUS=ending") }

    /// Sends keep-alive messages at twice the requested rate, if systemd requests them. They are
    /// sent by a timer of the loop, so that they stop when the loop is blocked. Wraps
    /// sd_watchdog_enabled(3).
    func keepAlive(on loop: LibeventLoop) {
        var micros: UInt64 = 0
        guard sd_watchdog_enabled(0, &micros) > 0, micros >= 2000 else { return }
        keepAliveTimer = ScopedPendulum(on: loop, .milliseconds(Int64(micros / 2000))) { _ in
            sd_notify(0, "WATCHDOG=1")
        }
    }
}
