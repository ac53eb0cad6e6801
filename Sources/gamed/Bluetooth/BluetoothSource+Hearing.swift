import Bluetooth
internal import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// What the central tells, and what that is to the sessions.
extension BluetoothSource {
    func take(_ event: CentralEvent) {
        switch event {
        case .up: tally.up(place.text)
        case .down(let why): tally.down(place.text, why)
        case .found: break
        case .ready(let device, let isReturn):
            account(device).links += 1
            tally.ready(device)
            tellLink(device, isLost: false, isReturn: isReturn || isPaused(by: device))
        case .lost(let device, let reason):
            counts.losses += 1
            tally.lost(device, reason)
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
            // What was kept while a device was away comes all at once, and bounced long ago.
            let isLive = notification.age == .zero
            if isLive, let last = account.counted[place], now - last < map.debounce {
                account.bounced += 1
                counts.dropped += 1
                continue
            }
            guard account.mayTell(at: now, limit: limits.presses) else {
                account.limited += 1
                counts.dropped += 1
                tally.limited(device, account.limited, limit: limits.presses)
                continue
            }
            if isLive { account.counted[place] = now }
            guard inbox.count < Self.inboxLimit else {
                counts.dropped += 1
                counts.overflowed += 1
                tally.dropped(counts.overflowed, limit: Self.inboxLimit)
                continue
            }
            post(
                DeviceEvent(
                    device: device, event: event, session: map.session, arguments: map.arguments,
                    at: now, age: notification.age, isCustomary: false, cause: .press))
        }
    }

    /// What a line says of a return is told of a return. What is customary is told with each link, to sessions that
    /// still stand as the device's loss has left them.
    private func tellLink(_ device: Device, isLost: Bool, isReturn: Bool = true) {
        for link in maps.linkEvents(device, isLost: isLost) where isReturn || link.isCustomary {
            post(
                DeviceEvent(
                    device: device, event: link.event, session: link.session,
                    arguments: link.arguments, at: central.timeline.now, age: .zero,
                    isCustomary: link.isCustomary, cause: isLost ? .loss : .return))
        }
    }

    /// Whether a session still stands where a device's loss has put it: what had been lost before the daemon was
    /// started anew is back with the first link.
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
        // On the virtual clock it is handed over at its own instant.
        if radioTime == nil { turn?.call() }
    }
}
