package import Bluetooth
package import GameFlow
package import RPC
package import Sessions
import Support
import Timers

/// A `map` line about Bluetooth: turns a value, a loss or a return of certain devices into an event of a session.
package struct DeviceMap: Equatable {
    /// What causes the event.
    package enum Trigger: Equatable {
        /// Maps a value of a characteristic to an event.
        case press(Subscription, ValuePattern, event: String)
        /// Maps the loss of a link to the event `lost`, and the return of a link to the event `found`. Nil means that no event
        /// is sent.
        case link(lost: String?, found: String?)
    }

    /// The pattern for the name or the address of a device.
    package let device: Glob
    package let trigger: Trigger
    package let session: SessionName
    /// The arguments of the event.
    package let arguments: [Member]
    /// For this duration after a press of a device, the line ignores further presses of that device. An ignored press does not
    /// extend this time.
    package let debounce: Duration
    /// An alert begins when no value has matched for this time, in real time; nil without `quiet=`.
    package var quiet: Duration?

    /// Whether the pattern matches the device's name, or its address without regard to upper and lower case.
    package func matches(_ device: Device) -> Bool {
        if self.device.matches(device.address.text) { return true }
        if Glob(self.device.pattern.uppercased()).matches(device.address.text) { return true }
        return device.name.map(self.device.matches) ?? false
    }
}

/// All `map` lines about Bluetooth, in the order of the configuration.
package struct DeviceMaps: Equatable {
    package var maps: [DeviceMap] = []

    /// The characteristics of a device to subscribe to; nil if no line applies to the device.
    package func subscriptions(for device: Device) -> [Subscription]? {
        let deviceMaps = maps.filter { $0.matches(device) }
        guard !deviceMaps.isEmpty else { return nil }
        var subscriptions: [Subscription] = []
        for case .press(let subscription, _, _) in deviceMaps.map(\.trigger)
        where !subscriptions.contains(subscription) {
            subscriptions.append(subscription)
        }
        return subscriptions
    }

    /// The indices of the lines that match a notification.
    func pressLineIndices(_ device: Device, _ notification: ValueNotification) -> [Int] {
        maps.indices.filter { index in
            guard case .press(let subscription, let pattern, _) = maps[index].trigger else {
                return false
            }
            return subscription == notification.subscription && pattern.matches(notification.value)
                && maps[index].matches(device)
        }
    }

    /// An event for the loss or the return of a device's link.
    package struct LinkEvent {
        package let event: DeviceEvent.Name
        package let session: SessionName
        package let arguments: [Member]
    }

    /// The events for the loss of the device's link, or for its return if `isLost` is false. The `map` lines of the device with
    /// `lost` or `found` name these events. If the device has no line with `lost` or `found`, each session in its lines gets
    /// the event that the session's flow declares.
    func linkEvents(_ device: Device, isLost: Bool) -> [LinkEvent] {
        let deviceMaps = maps.filter { $0.matches(device) }
        var events: [LinkEvent] = []
        var isConfigured = false
        for map in deviceMaps {
            guard case .link(let lost, let found) = map.trigger else { continue }
            isConfigured = true
            guard let event = isLost ? lost : found else { continue }
            events.append(
                LinkEvent(event: .named(event), session: map.session, arguments: map.arguments))
        }
        if isConfigured { return events }
        var sessions: [SessionName] = []
        for map in deviceMaps where !sessions.contains(map.session) { sessions.append(map.session) }
        return sessions.map { LinkEvent(event: .declared, session: $0, arguments: []) }
    }
}

/// A pattern for the values of a characteristic. `01` matches exactly that value. `01/0F` compares only the bits that are set
/// in the mask `0F`, and also matches longer values.
package struct ValuePattern: Equatable {
    private enum Form: Equatable {
        case exactly([UInt8])
        case masked([UInt8], by: [UInt8])
    }

    private let form: Form

    /// Parses a pattern: the value, or the value, a slash and the mask, in hexadecimal digits.
    package init(_ text: String) throws(ValuePatternError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let value = Hexadecimal.read(parts[0]), !value.isEmpty else {
            throw ValuePatternError(why: "expected bytes such as 01 or 01FF, two digits each")
        }
        guard parts.count == 2 else {
            form = .exactly(value)
            return
        }
        guard let mask = Hexadecimal.read(parts[1]), mask.count == value.count else {
            throw ValuePatternError(why: "expected a mask as long as the value, such as 01/0F")
        }
        guard zip(value, mask).allSatisfy({ $0 & ~$1 == 0 }) else {
            throw ValuePatternError(why: "has bits outside the mask, so it would never match")
        }
        form = .masked(value, by: mask)
    }

    package func matches(_ bytes: [UInt8]) -> Bool {
        switch form {
        case .exactly(let value): return bytes == value
        case .masked(let value, let mask):
            return bytes.count >= value.count
                && zip(bytes, mask).map { $0 & $1 }.elementsEqual(value)
        }
    }
}

/// The reason why a text is not a valid pattern.
package struct ValuePatternError: DescribedError, Equatable {
    package let why: String
}
