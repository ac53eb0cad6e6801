import EventLoop
import Timers

/// When waiting is over.
final class Deadline {
    private(set) var isOver = false
    private var timer: ScopedCountdown?

    /// Stops the loop once the time is over.
    init(_ interval: Duration, on loop: LibeventLoop) {
        timer = ScopedCountdown(on: loop, interval) { [weak self] in
            self?.isOver = true
            loop.stop()
        }
    }
}
