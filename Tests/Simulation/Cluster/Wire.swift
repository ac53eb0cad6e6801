import TestSupport

/// One direction of a connection. Messages arrive in order; messages that are on their way while the wire is cut arrive
/// after the cut.
final class Wire {
    private let time: SimulatedTime
    private let delay: () -> Int64
    /// When the newest message arrives, in microseconds of the simulation.
    private var lastArrival: Int64 = 0
    /// The messages that have arrived while the wire was cut, in order.
    private var heldMessages: [() -> Void] = []
    private var isReset = false
    var isCut = false {
        didSet { if !isCut, !heldMessages.isEmpty { release() } }
    }

    /// `delay` is the time that a message takes.
    init(_ time: SimulatedTime, isCut: Bool, _ delay: @escaping () -> Int64) {
        (self.time, self.isCut, self.delay) = (time, isCut, delay)
    }

    func send(_ message: @escaping () -> Void) {
        lastArrival = max(lastArrival, time.now + delay())
        time.after(lastArrival - time.now) { [self] in arrive(message) }
    }

    private func arrive(_ message: @escaping () -> Void) {
        guard !isReset else { return }
        // Held messages arrive first.
        if isCut || !heldMessages.isEmpty { heldMessages.append(message) } else { message() }
    }

    private func release() {
        time.after(delay()) { [self] in
            guard !isCut else { return }
            for message in exchange(&heldMessages, with: []) { message() }
        }
    }

    /// Delays the messages on their way by `pause` microseconds.
    func stall(for pause: Int64) {
        isCut = true
        time.after(pause) { [self] in isCut = false }
    }

    /// Loses the messages on their way.
    func reset() { (isReset, heldMessages) = (true, []) }
}
