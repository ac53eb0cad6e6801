import Timers

/// When waiting is over.
final class Deadline {
    private(set) var isOver = false
    private var timer: HeldCountdown?

    /// Stops the loop once the time is over.
    init(_ interval: Interval, on loop: EventLoop) {
        timer = HeldCountdown(on: loop, interval) { [weak self] in
            self?.isOver = true
            loop.stop()
        }
    }
}
