import EventLoop
import Timers

extension LibeventLoop {
    /// Runs the loop for an interval, but at least for one turn: what is ready when this function is called is handled before it
    /// returns, even if this thread waits for a core in between.
    func run(for interval: Duration) {
        var end: ScopedCountdown?
        let begin = DeferredTask(on: self) { [unowned self] in
            // The countdown counts from the newest reading of the clock.
            fireDueTimers()
            end = ScopedCountdown(on: self, interval) { [unowned self] in stop() }
        }
        begin.call()
        run()
        withExtendedLifetime((begin, end)) {}
    }
}
