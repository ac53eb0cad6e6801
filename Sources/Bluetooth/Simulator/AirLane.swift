import Timers

/// One direction of a link: frames arrive in the order in which they were sent, each a little late.
final class AirLane {
    var arrive: (L2CAPFrame) -> Void = { _ in }
    /// Whether anything still arrives.
    private(set) var isOpen = true
    private var onTheWay: [(at: Instant, frame: L2CAPFrame)] = []
    private var timer: ScopedCountdown?
    private unowned let air: Air

    init(_ air: Air) { self.air = air }

    func send(_ frame: L2CAPFrame) {
        guard isOpen else { return }
        let delay = air.draw(air.conditions.latency)
        guard delay > .zero || !onTheWay.isEmpty else { return arrive(frame) }
        let at = max(air.timeline.now + delay, onTheWay.last?.at ?? .zero)
        onTheWay.append((at, frame))
        if timer == nil { wait() }
    }

    /// Nothing arrives any more; what was on its way.
    func close() -> [L2CAPFrame] {
        (isOpen, timer) = (false, nil)
        return exchange(&onTheWay, with: []).map(\.frame)
    }

    /// Lets arrive what is on its way, at once.
    func drain() {
        timer = nil
        for (_, frame) in exchange(&onTheWay, with: []) { arrive(frame) }
    }

    private func wait() {
        guard let first = onTheWay.first else {
            timer = nil
            return
        }
        timer = ScopedCountdown(on: air.timeline, max(.zero, first.at - air.timeline.now)) {
            [unowned self] in
            arrive(onTheWay.removeFirst().frame)
            wait()
        }
    }
}
