import Bluetooth
import Sessions

/// Logs Bluetooth events for the operator: each kind the first time, and then the 2nd, 4th, 8th …
/// time, so that a device that reconnects repeatedly does not fill the log.
struct BluetoothLog {
    private var throttle = LogThrottle(limit: 1024)
    private var isDown = false

    /// Counts an occurrence of a kind. Returns the count if this occurrence is to be logged, else nil.
    private mutating func countIfLogged(_ kind: String) -> Int? {
        let count = throttle.count(kind)
        return LogThrottle.isLogged(count) ? count : nil
    }

    /// The end of a logged sentence: the number of its occurrences; empty at the first one.
    private func times(_ count: Int) -> String { count == 1 ? "" : "; \(count) times so far" }

    private func name(_ device: Device) -> String {
        device.name.map { "\($0) (\(device.address.text))" } ?? device.address.text
    }

    mutating func up(_ location: String) {
        isDown = false
        if let count = countIfLogged("up") {
            Log.write(.info, "bluetooth: the controller at \(location) responds\(times(count))")
        }
    }

    mutating func down(_ location: String, _ why: String) {
        if isDown { return }
        isDown = true
        if let count = countIfLogged("down") {
            Log.write(
                .warning,
                "bluetooth: no controller at \(location): \(why); gamed tries again\(times(count))")
        }
    }

    mutating func ready(_ device: Device) {
        guard let count = countIfLogged("ready \(device.address.text)") else { return }
        Log.write(.info, "bluetooth: \(name(device)) is connected\(times(count))")
        if let problem = device.problem {
            Log.write(.warning, "bluetooth: \(name(device)): \(problem)")
        }
    }

    mutating func lost(_ device: Device, _ reason: String) {
        guard let count = countIfLogged("lost \(device.address.text)") else { return }
        Log.write(.info, "bluetooth: \(name(device)) is lost: \(reason)\(times(count))")
    }

    /// Logs a refused event if the cause is a mistake in the configuration, such as a session or an
    /// event that does not exist. A refusal by the flow is part of normal operation.
    mutating func refused(_ event: DeviceEvent, _ eventName: String, _ refusal: EventRefusal) {
        guard refusal.isMistake else { return }
        let eventAndSession = "\(eventName) to \(event.session.text)"
        guard let count = countIfLogged("refused \(eventAndSession) \(refusal.name)") else {
            return
        }
        Log.write(
            .warning,
            "bluetooth: \(name(event.device)): \(eventAndSession): \(refusal.name)\(refusal.reason)\(times(count))"
        )
    }

    /// Logs that events were dropped because of the limit per second; `total` is their number.
    mutating func limited(_ device: Device, _ total: Int, limit: Int) {
        guard LogThrottle.isLogged(total) else { return }
        Log.write(
            .warning,
            "bluetooth: \(name(device)): more than \(limit) events a second; \(total) dropped so far"
        )
    }

    /// Logs that events were dropped because too many were waiting; `total` is their number.
    mutating func dropped(_ total: Int) {
        guard LogThrottle.isLogged(total) else { return }
        Log.write(
            .warning, "bluetooth: too many events wait for their sessions; \(total) dropped so far")
    }
}
