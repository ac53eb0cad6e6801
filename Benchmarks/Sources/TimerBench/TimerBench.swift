import Glibc
import Timers

/// `TimerBench N`: measures TimerQueue with N timers. Prints "SET END CHURN", three times in nanoseconds: to set one timer; to
/// end one timer; to end a random timer and set a new timer. timers.c measures libevent in the same way.
@main struct TimerBench {
    final class Owner: TimerOwner {
        override func due(_ firing: Firing) {}
    }

    static func main() {
        let n = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        let (timerQueue, owner, duration) = (TimerQueue(), Owner(), Duration.seconds(600))
        var groups = [TimerGroup](repeating: TimerGroup(), count: n)

        let setting = time {
            for i in 0..<n {
                _ = timerQueue.setCountdown(duration, in: &groups[i], for: owner)
            }
        }
        let ending = time {
            for i in 0..<n { timerQueue.end(groups[i]) }
        }
        for i in 0..<n {
            groups[i] = TimerGroup()
            _ = timerQueue.setCountdown(duration, in: &groups[i], for: owner)
        }
        var random: UInt32 = 1
        let churning = time {
            for _ in 0..<n {
                random = random &* 1_103_515_245 &+ 12345
                let index = Int(random >> 8) % n
                timerQueue.end(groups[index])
                groups[index] = TimerGroup()
                _ = timerQueue.setCountdown(duration, in: &groups[index], for: owner)
            }
        }
        for group in groups { timerQueue.end(group) }
        precondition(timerQueue.count == 0, "a timer is left")
        print(setting / n, ending / n, churning / n)
    }

    /// The time of `work`, in nanoseconds.
    static func time(_ work: () -> Void) -> Int {
        let start = now
        work()
        return now - start
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
