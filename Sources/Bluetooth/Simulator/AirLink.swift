import Timers

/// A link through the air between a simulated device and the controller: what is sent arrives, late but in
/// order, as long as the link is there.
final class AirLink {
    let handle: UInt16
    let peripheral: Peripheral
    /// After how long a silence the controller takes it for lost.
    var supervision: Duration
    private unowned let controller: VirtualController
    private unowned let air: Air
    private var (toDevice, toController): (AirLane, AirLane)
    /// Ends it by itself, or tells the controller that it was lost.
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

    /// The device is out of reach. What is on its way is lost; the controller notices after a while.
    func breakOff() {
        close()
        fate = ScopedCountdown(on: air.timeline, supervision) { [unowned self] in
            controller.lost(self, .connectionTimeout)
        }
    }

    /// The device ends it: what it sent before still arrives.
    func end(_ reason: HCIStatus) {
        fate = nil
        _ = toDevice.close()
        toController.drain()
        controller.lost(self, reason)
    }

    /// The controller ends it.
    func ended() {
        fate = nil
        close()
        peripheral.unlinked(self)
    }

    /// Whether anything still gets through.
    var isWhole: Bool { toDevice.isOpen }

    private func close() {
        _ = toDevice.close()
        let told = toController.close().filter {
            $0.channel == L2CAPFrame.Channel.attributes
                && $0.payload.first.flatMap(ATTOpcode.init(rawValue:))?.isDelivering == true
        }
        peripheral.lostOnTheWay(told.count)
    }
}
