/// A timer outside flows for one purpose of its owner, which runs at times and fires once per period. Releasing it stops it.
package struct Ticker {
    private var pendulum: ScopedPendulum?

    package init() {}

    /// Whether it was started and not stopped.
    package var isRunning: Bool { pendulum != nil }

    /// Calls `work` every `period`, with the number of periods that were missed since the last call.
    package mutating func start(
        on clock: any TimerClock, _ period: Duration, _ work: @escaping (_ missed: Int) -> Void
    ) {
        pendulum = ScopedPendulum(on: clock, period, work)
    }

    package mutating func stop() { pendulum = nil }
}
