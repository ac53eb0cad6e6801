import Bluetooth
import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// Converts what the central reports to events of sessions.
extension BluetoothSource {
    func take(_ event: CentralEvent) {
        switch event {
        case .up: counters.up(place.text)
        case .down(let why): counters.down(place.text, why)
        case .found: break
        case .ready(let device, let isReturn):
            account(device).links += 1
            counters.ready(device)
            tellLink(device, isLost: false, isReturn: isReturn || isPaused(by: device))
        case .lost(let device, let reason):
            counts.losses += 1
            counters.lost(device, reason)
            tellLink(device, isLost: true)
        case .notified(let device, let notification): take(notification, device)
        }
    }

    private func take(_ notification: ValueNotification, _ device: Device) {
        let account = account(device)
        let now = central.timeline.now
        account.lastValue = DeviceStatistics.LastValue(
            of: notification.of, value: notification.value, atMs: Int(now.milliseconds))
        for place in maps.presses(device, notification) {
            let map = maps.maps[place]
            guard case .press(_, _, let event) = map.meaning else { continue }
            // Values that a device stored while it was disconnected arrive together, and are
            // already debounced.
            let isLive = notification.age == .zero
            if isLive, let last = account.counted[place], now - last < map.debounce {
                account.bounced += 1
                counts.dropped += 1
                continue
            }
            guard account.mayTell(at: now, limit: limits.presses) else {
                account.limited += 1
                counts.dropped += 1
                counters.limited(device, account.limited, limit: limits.presses)
                continue
            }
            if isLive { account.counted[place] = now }
            guard inbox.count < Self.inboxLimit else {
                counts.dropped += 1
                counts.overflowed += 1
                counters.dropped(counts.overflowed, limit: Self.inboxLimit)
                continue
            }
            post(
                DeviceEvent(
                    device: device, event: event, session: map.session, arguments: map.arguments,
                    at: now, age: notification.age, isCustomary: false, cause: .press))
        }
    }

    /// Sends the events of a lost or restored link. Configured `found` events are sent only when a
    /// link is restored. The default events are sent with every link, to sessions that are still in
    /// the state that the loss has caused.
    private func tellLink(_ device: Device, isLost: Bool, isReturn: Bool = true) {
        for link in maps.linkEvents(device, isLost: isLost) where isReturn || link.isCustomary {
            post(
                DeviceEvent(
                    device: device, event: link.event, session: link.session,
                    arguments: link.arguments, at: central.timeline.now, age: .zero,
                    isCustomary: link.isCustomary, cause: isLost ? .loss : .return))
        }
    }

    /// Whether the loss of the device caused the session's last change. This also detects a loss
    /// before a restart of the daemon; the first link then ends it.
    func isPaused(by device: Device) -> Bool {
        maps.linkEvents(device, isLost: true).contains { link in
            guard let session = try? sessions.session(link.session), let last = session.last else {
                return false
            }
            return last.step.event?.name == link.event
                && last.step.source == account(device).source
        }
    }

    private func post(_ arrival: DeviceEvent) {
        inbox.append(arrival)
        // On the virtual clock it is delivered when the virtual time reaches its instant.
        if radioTime == nil { turn?.call() }
    }
}
