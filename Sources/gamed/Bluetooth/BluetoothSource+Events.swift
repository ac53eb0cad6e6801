import Bluetooth
internal import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// Converts what the central reports to events of sessions.
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

/// Delivers events to sessions.
extension BluetoothSource {
    /// Delivers the events in the order in which they were received. On the virtual clock, events
    /// later than the sessions' time wait until it reaches them.
    func handOver() {
        let waiting = exchange(&inbox, with: [])
        let due = radioTime == nil ? waiting.count : waiting.prefix { $0.at <= sessions.now }.count
        inbox = Array(waiting[due...])
        for arrival in waiting[..<due] { send(arrival) }
    }

    private func send(_ arrival: DeviceEvent) {
        if arrival.isCustomary, !isWelcome(arrival) { return }
        let account = account(arrival.device)
        let age = arrival.age + max(.zero, central.timeline.now - arrival.at)
        // Rounded down: an event that has just arrived is 0 ms old.
        let ageMs = Int(age.nanoseconds / 1_000_000)
        let outcome: String
        do throws(RequestError) {
            let session = try sessions.session(arrival.session)
            let change = try sessions.send(
                arrival.event, arrival.arguments, to: session,
                RequestContext(
                    from: account.source, ageMs: ageMs,
                    ageLimitMs: Int(limits.bluetoothAge.milliseconds))
            ).value
            account.taken += 1
            counts.taken += 1
            outcome = change.kind.rawValue
            account.left[arrival.session] = arrival.cause == .loss ? change.step.to : nil
        } catch {
            account.refused += 1
            counts.refused += 1
            outcome = error.name.description
            tally.refused(arrival, error)
        }
        let deed = DeviceStatistics.Deed(
            event: arrival.event, session: arrival.session, at: sessions.now,
            ageMs: ageMs, outcome: outcome)
        if arrival.cause == .press { account.lastPress = deed } else { account.lastLink = deed }
    }

    /// Whether to deliver a default event. The session must exist and its flow must know the event;
    /// a return is delivered only if the session is still in the state that the loss has caused,
    /// because a device must not end a pause with another cause.
    private func isWelcome(_ arrival: DeviceEvent) -> Bool {
        guard let session = try? sessions.session(arrival.session),
            session.flow.events.contains(where: { $0.name == arrival.event })
        else { return false }
        guard arrival.cause == .return else { return true }
        let left = account(arrival.device).left[arrival.session]
        return left.map { $0 == session.machine.place } ?? isPaused(by: arrival.device)
    }

    /// Processes the effects of an action on a simulated device immediately.
    func settle() {
        guard let radioTime else { return }
        radioTime.settle()
        handOver()
    }
}

/// An event to be delivered to a session.
struct DeviceEvent {
    let device: Device
    let event: String
    let session: SessionName
    let arguments: [Member]
    /// On the central's clock: the time of arrival, and the age of the event at that time.
    let at: Instant
    let age: Duration
    /// Whether it is a default event, which is ignored by a flow that does not know it.
    let isCustomary: Bool
    let cause: Cause

    /// The device's action.
    enum Cause { case press, loss, `return` }
}
