import Timers

/// A link between a simulated device and the controller. Frames arrive in order, with a latency,
/// as long as the link exists.
final class AirLink {
    let handle: UInt16
    let peripheral: Peripheral
    /// The supervision timeout: how long the link is silent before the controller reports it as
    /// lost.
    var supervision: Duration
    private unowned let controller: VirtualController
    private unowned let air: Air
    private var (toDevice, toController): (AirLane, AirLane)
    /// Ends the link at random, or reports its loss to the controller after the supervision
    /// timeout.
    var fate: ScopedCountdown?

    init(
        _ handle: UInt16, _ peripheral: Peripheral, _ controller: VirtualController,
        supervision: Duration
    ) {
        (self.handle, self.peripheral, self.controller) = (handle, peripheral, controller)
        (self.supervision, air) = (supervision, controller.air)
        toDevice = AirLane(air)
        toController = AirLane(air)
        toDevice.arrive = { [unowned peripheral] in peripheral.take($0) }
        toController.arrive = { [unowned self] in controller.take($0, over: self) }
    }

    func sendToDevice(_ frame: L2CAPFrame) { toDevice.send(frame) }
    func sendToController(_ frame: L2CAPFrame) { toController.send(frame) }

    /// The device goes out of reach. Frames in transit are lost; the controller notices after the
    /// supervision timeout.
    func breakOff() {
        close()
        fate = ScopedCountdown(on: air.timeline, supervision) { [unowned self] in
            controller.lost(self, .connectionTimeout)
        }
    }

    /// The device ends the link. Frames that it has sent before still arrive.
    func end(_ reason: HCIStatus) {
        fate = nil
        _ = toDevice.close()
        toController.drain()
        controller.lost(self, reason)
    }

    /// The controller ends the link.
    func ended() {
        fate = nil
        close()
        peripheral.unlinked(self)
    }

    /// Whether the device is still within reach.
    var isWhole: Bool { toDevice.isOpen }

    private func close() {
        _ = toDevice.close()
        let told = toController.close().filter {
            $0.channel == L2CAPFrame.Channel.attributes
                && $0.payload.first.flatMap(ATTOpcode.init(rawValue:))?.isTelling == true
        }
        peripheral.lostOnTheWay(told.count)
    }
}

/// One direction of a simulated link: delivers frames in order, each with a random latency.
final class AirLane {
    var arrive: (L2CAPFrame) -> Void = { _ in }
    /// False after `close`: frames are no longer delivered.
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

    /// Stops the delivery and returns the frames that were in transit.
    func close() -> [L2CAPFrame] {
        (isOpen, timer) = (false, nil)
        return exchange(&onTheWay, with: []).map(\.frame)
    }

    /// Delivers the frames in transit immediately.
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
