import Timers

/// A link between a simulated device and the controller. Frames arrive in order, with a latency,
/// as long as the link exists.
final class AirLink {
    /// The connection handle, by which the controller and the host name the link.
    let handle: UInt16
    let peripheral: Peripheral
    /// The supervision timeout: how long the link is silent before the controller reports it as
    /// lost.
    var supervisionTimeout: Duration
    private unowned let controller: VirtualController
    private unowned let air: Air
    private var (toDevice, toController): (FrameDelayQueue, FrameDelayQueue)
    /// Before `breakOff`: moves the device out of reach after the time that `flaps` or `linkLife` gives the link. Nil if the
    /// device has no `flaps` and there is no `linkLife`. After `breakOff`: reports the lost link to the controller after the
    /// supervision timeout.
    var endTimer: ScopedCountdown?

    init(
        _ handle: UInt16, _ peripheral: Peripheral, _ controller: VirtualController,
        supervisionTimeout: Duration
    ) {
        (self.handle, self.peripheral, self.controller) = (handle, peripheral, controller)
        (self.supervisionTimeout, air) = (supervisionTimeout, controller.air)
        toDevice = FrameDelayQueue(air)
        toController = FrameDelayQueue(air)
        toDevice.deliver = { [unowned peripheral] in peripheral.receive($0) }
        toController.deliver = { [unowned self] in controller.sendToHost($0, over: self) }
    }

    func sendToDevice(_ frame: L2CAPFrame) { toDevice.send(frame) }
    func sendToController(_ frame: L2CAPFrame) { toController.send(frame) }

    /// The device goes out of reach. Frames in transit are lost. The controller notices the loss after the supervision timeout.
    func breakOff() {
        close()
        endTimer = ScopedCountdown(on: air.clock, supervisionTimeout) { [unowned self] in
            controller.linkEnded(self, .connectionTimeout)
        }
    }

    /// The device ends the link. Frames that the device has sent before still arrive.
    func closeByDevice(_ reason: HCIStatus) {
        endTimer = nil
        _ = toDevice.close()
        toController.deliverAll()
        controller.linkEnded(self, reason)
    }

    /// The controller ends the link.
    func closeByController() {
        endTimer = nil
        close()
        peripheral.linkEnded(self)
    }

    /// Whether the device is still within reach.
    var isInReach: Bool { toDevice.isOpen }

    /// Stops both directions, and tells the device how many of its notifications are lost.
    private func close() {
        _ = toDevice.close()
        let notifications = toController.close().filter {
            $0.channel == L2CAPFrame.Channel.attributes
                && $0.payload.first.flatMap(ATTOpcode.init(rawValue:))?.isServerInitiated == true
        }
        peripheral.lostInTransit(notifications.count)
    }
}

/// One direction of a simulated link: delivers frames in order, each with a random latency.
final class FrameDelayQueue {
    var deliver: (L2CAPFrame) -> Void = { _ in }
    /// False after `close`: frames are no longer delivered.
    private(set) var isOpen = true
    /// The frames that are not delivered yet, each with the instant of its delivery.
    private var inTransit: [(at: Instant, frame: L2CAPFrame)] = []
    private var timer: ScopedCountdown?
    private unowned let air: Air

    init(_ air: Air) { self.air = air }

    /// Delivers a frame after a random latency; not before the frames that were sent earlier.
    func send(_ frame: L2CAPFrame) {
        guard isOpen else { return }
        let delay = air.draw(air.conditions.latency)
        guard delay > .zero || !inTransit.isEmpty else { return deliver(frame) }
        let at = max(air.clock.now + delay, inTransit.last?.at ?? .zero)
        inTransit.append((at, frame))
        if timer == nil { scheduleDelivery() }
    }

    /// Stops the delivery and returns the frames that were in transit.
    func close() -> [L2CAPFrame] {
        (isOpen, timer) = (false, nil)
        return exchange(&inTransit, with: []).map(\.frame)
    }

    /// Delivers the frames in transit immediately.
    func deliverAll() {
        timer = nil
        for (_, frame) in exchange(&inTransit, with: []) { deliver(frame) }
    }

    /// Sets the timer for the first frame in transit.
    private func scheduleDelivery() {
        guard let first = inTransit.first else {
            timer = nil
            return
        }
        timer = ScopedCountdown(on: air.clock, max(.zero, first.at - air.clock.now)) {
            [unowned self] in
            deliver(inTransit.removeFirst().frame)
            scheduleDelivery()
        }
    }
}
