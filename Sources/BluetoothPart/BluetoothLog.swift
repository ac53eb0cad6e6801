package import Bluetooth
import Parts
import Sessions

/// Logs Bluetooth events for the operator. The 1st, 2nd, 4th, 8th … event of a kind is logged; the losses of one device, for
/// example, are a kind. So a device that reconnects repeatedly does not fill the log.
package struct BluetoothLog {
    /// Counts the events of each kind. Beyond `limit` kinds, all counts restart.
    private var throttle = LogThrottle(limit: 1024)
    /// Whether the controller does not respond. While it does not, further failed attempts to connect are not counted.
    private var isControllerDown = false

    /// Counts an event of a kind. Returns the count if this event is to be logged, else nil.
    private mutating func countIfLogged(_ kind: String) -> Int? {
        let count = throttle.count(kind)
        return LogThrottle.isLogged(count) ? count : nil
    }

    /// The end of a logged sentence: the number of events of this kind so far; empty for the first event.
    private func times(_ count: Int) -> String { count == 1 ? "" : "; \(count) times so far" }

    /// The name and the address of a device, or only the address if the name is not known.
    private func name(_ device: Device) -> String {
        device.name.map { "\($0) (\(device.address.text))" } ?? device.address.text
    }

    mutating func controllerUp(at location: String) {
        isControllerDown = false
        if let count = countIfLogged("up") {
            Log.write(
                .info, .connection,
                "bluetooth: the controller at \(location) responds\(times(count))")
        }
    }

    mutating func controllerDown(at location: String, _ why: String) {
        if isControllerDown { return }
        isControllerDown = true
        if let count = countIfLogged("down") {
            Log.write(
                .warning, .connection,
                "bluetooth: no controller at \(location): \(why); gamed tries again\(times(count))")
        }
    }

    /// Logs that a device is connected. If something does not work with the device, also logs this problem.
    mutating func deviceReady(_ device: Device) {
        guard let count = countIfLogged("ready \(device.address.text)") else { return }
        Log.write(.info, .connection, "bluetooth: \(name(device)) is connected\(times(count))")
        if let problem = device.problem {
            Log.write(.warning, .connection, "bluetooth: \(name(device)): \(problem)")
        }
    }

    package mutating func deviceLost(_ device: Device, _ reason: String) {
        guard let count = countIfLogged("lost \(device.address.text)") else { return }
        Log.write(
            .info, .connection, "bluetooth: \(name(device)) is lost: \(reason)\(times(count))")
    }

    /// Logs a refused event if the cause is a mistake in the configuration, such as a session or an
    /// event that does not exist. A refusal by the flow is part of normal operation.
    mutating func eventRefused(_ event: DeviceEvent, _ eventName: String, _ refusal: EventRefusal) {
        guard refusal.isMistake else { return }
        let eventAndSession = "\(eventName) to \(event.session.text)"
        guard let count = countIfLogged("refused \(eventAndSession) \(refusal.name)") else {
            return
        }
        Log.write(
            .warning, .connection,
            "bluetooth: \(name(event.device)): \(eventAndSession): \(refusal.name)\(refusal.reason)\(times(count))"
        )
    }

    /// Logs that a press of a device was dropped because of the limit per second. `total` is the number of presses of this
    /// device that were dropped for this reason.
    mutating func pressLimited(_ device: Device, _ total: Int, limit: Int) {
        guard LogThrottle.isLogged(total) else { return }
        Log.write(
            .warning, .limited,
            "bluetooth: \(name(device)): more than \(limit) events a second; \(total) dropped so far"
        )
    }

    /// Logs that a press was dropped because too many events were waiting. `total` is the number of presses of all devices that
    /// were dropped for this reason.
    mutating func pressDropped(_ total: Int) {
        guard LogThrottle.isLogged(total) else { return }
        Log.write(
            .warning, .limited,
            "bluetooth: too many events wait for their sessions; \(total) dropped so far")
    }
}
