import Bluetooth
import Fuzzing
import Timers

/// A central with a link to one device. It gets random bytes as if a controller had sent them.
final class FuzzedCentral {
    private let time = VirtualClock()
    private let controller = ObedientController()
    private let central: Central
    /// The number of links that are ready.
    private var linkCount = 0

    init() {
        central = Central(controller, on: time)
        central.wantedSubscriptions = { _ in [DeviceModel.itagSubscription] }
        central.listener = { [unowned self] event in
            switch event {
            case .ready: linkCount += 1
            case .lost: linkCount -= 1
            case .notified(let device, let notification):
                check(device.isWanted, "a notification of an unwanted device")
                check(
                    notification.subscription == DeviceModel.itagSubscription,
                    "a notification of another characteristic")
                check(notification.age >= .zero, "a notification has a negative age")
            case .up, .down, .found: break
            }
        }
        central.start()
        controller.deliver()
        // The device advertises and is connected with handle 0x0040.
        receive([4, 0x3E, 12, 2, 1, 0, 1, 1, 0, 0, 0, 0, 0xC0, 0, 0xC4])
        receive([4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 100, 0, 0])
        check(central.phase == .ready, "the central does not start: \(central.phase)")
    }

    private func receive(_ bytes: [UInt8]) {
        central.received(bytes[...])
        controller.deliver()
    }

    /// Passes the pieces to the central: as they are, or each as the data of one ACL packet of the device.
    func play(_ pieces: [Piece], asFragments: Bool) {
        for piece in pieces {
            time.advance(by: piece.pause)
            controller.deliver()
            receive(asFragments ? Self.fragment(piece.bytes) : Array(piece.bytes))
            check(central.devices.count <= central.limits.devices, "too many devices")
            check(linkCount >= 0, "more links were lost than were made")
        }
        // The central must stop after any input.
        time.advance(by: .seconds(120))
        controller.deliver()
        central.stop()
        check(time.pending.isEmpty, "timers are left: \(time.pending.count)")
        check(central.phase == .stopped, "the central does not stop")
    }

    /// Makes an ACL packet of the device. The lowest bit of the first of `bytes` decides whether the packet continues the
    /// previous fragment; the other bytes are the packet's data.
    private static func fragment(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let flags: UInt8 = (bytes.first ?? 0) & 1 == 1 ? 0x10 : 0x20
        let data = bytes.dropFirst()
        return [2, 0x40, flags, UInt8(data.count), 0] + data
    }
}
