import Access
import Bluetooth
import GameFlow
import Sessions
import Timers

/// One `map` line: what some devices tell, and what it means to a session.
struct DeviceMap: Equatable {
    /// What a line is about.
    enum Meaning: Equatable {
        /// A characteristic tells some value: an event.
        case press(Subscription, ValuePattern, event: String)
        /// The link is lost, or back: an event for either, or for one of them.
        case link(lost: String?, found: String?)
    }

    let device: Glob
    let meaning: Meaning
    let session: SessionName
    let arguments: [Member]
    /// So long after one that counted, another one does not.
    let debounce: Duration

    /// Whether a device is meant, by its address or its name.
    func matches(_ device: Device) -> Bool {
        if self.device.matches(device.address.text) { return true }
        if Glob(self.device.pattern.uppercased()).matches(device.address.text) { return true }
        return device.name.map(self.device.matches) ?? false
    }
}

/// All `map` lines, in their order.
struct DeviceMaps: Equatable {
    var maps: [DeviceMap] = []

    /// What is wanted of a device; nil where no line means it.
    func wish(for device: Device) -> [Subscription]? {
        let own = maps.filter { $0.matches(device) }
        guard !own.isEmpty else { return nil }
        var wanted: [Subscription] = []
        for case .press(let name, _, _) in own.map(\.meaning) where !wanted.contains(name) {
            wanted.append(name)
        }
        return wanted
    }

    /// The lines that a notification matches, by their places.
    func presses(_ device: Device, _ notification: ValueNotification) -> [Int] {
        maps.indices.filter { place in
            guard case .press(let name, let pattern, _) = maps[place].meaning else { return false }
            return name == notification.of && pattern.matches(notification.value)
                && maps[place].matches(device)
        }
    }

    /// What the loss or the return of a device's link means.
    struct LinkEvent {
        let event: String
        let session: SessionName
        let arguments: [Member]
        /// Whether no line says so: then a session is told only if its flow knows the event.
        let isCustomary: Bool
    }

    /// As its lines say; where none does, the sessions that it plays in are told what is customary.
    func linkEvents(_ device: Device, isLost: Bool) -> [LinkEvent] {
        let own = maps.filter { $0.matches(device) }
        var said: [LinkEvent] = []
        var isSaid = false
        for map in own {
            guard case .link(let lost, let found) = map.meaning else { continue }
            isSaid = true
            guard let event = isLost ? lost : found else { continue }
            said.append(
                LinkEvent(
                    event: event, session: map.session, arguments: map.arguments,
                    isCustomary: false))
        }
        if isSaid { return said }
        var sessions: [SessionName] = []
        for map in own where !sessions.contains(map.session) { sessions.append(map.session) }
        let event = isLost ? "controllerLost" : "controllerFound"
        return sessions.map {
            LinkEvent(event: event, session: $0, arguments: [], isCustomary: true)
        }
    }
}
