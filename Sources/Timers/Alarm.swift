/// A timer outside flows for one purpose of its owner, which runs at times and fires once. Setting it again replaces the earlier
/// time. Releasing it stops it.
package struct Alarm {
    private var countdown: ScopedCountdown?

    package init() {}

    /// Whether it was set, and has neither fired nor been stopped.
    package var isSet: Bool { countdown?.isLive ?? false }

    /// Calls `work` once, after `total`.
    package mutating func set(
        on clock: any TimerClock, _ total: Duration, _ work: @escaping () -> Void
    ) {
        countdown = ScopedCountdown(on: clock, total, work)
    }

    /// Starts it again with its full duration, unless it was never set or has been stopped.
    package func restart() { countdown?.restart() }

    package mutating func stop() { countdown = nil }
}
