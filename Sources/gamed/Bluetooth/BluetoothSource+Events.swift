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
        case .up: log.up(location.text)
        case .down(let why): log.down(location.text, why)
        case .found: break
        case .ready(let device, let isReturn):
            statistics(device).links += 1
            log.ready(device)
            postLinkEvents(device, isLost: false, isReturn: isReturn || isPaused(by: device))
        case .lost(let device, let reason):
            counts.losses += 1
            log.lost(device, reason)
            postLinkEvents(device, isLost: true)
        case .notified(let device, let notification): take(notification, device)
        }
    }

    private func take(_ notification: ValueNotification, _ device: Device) {
        let statistics = statistics(device)
        let now = central.clock.now
        statistics.lastValue = DeviceStatistics.LastValue(
            of: notification.of, value: notification.value, atMs: Int(now.milliseconds))
        for index in maps.presses(device, notification) {
            let map = maps.maps[index]
            guard case .press(_, _, let event) = map.input else { continue }
            // Values that a device stored while it was disconnected arrive together, and are
            // already debounced.
            let isLive = notification.age == .zero
            if isLive, let last = statistics.acceptedAt[index], now - last < map.debounce {
                statistics.bounced += 1
                counts.dropped += 1
                continue
            }
            guard statistics.allowsEvent(at: now, limit: limits.presses) else {
                statistics.limited += 1
                counts.dropped += 1
                log.limited(device, statistics.limited, limit: limits.presses)
                continue
            }
            if isLive { statistics.acceptedAt[index] = now }
            guard inbox.count < Self.inboxLimit else {
                counts.dropped += 1
                counts.overflowed += 1
                log.dropped(counts.overflowed, limit: Self.inboxLimit)
                continue
            }
            post(
                DeviceEvent(
                    device: device, event: event, session: map.session, arguments: map.arguments,
                    at: now, age: notification.age, cause: .press))
        }
    }

    /// Sends the events of a lost or restored link. Configured `found` events are sent only when a
    /// link is restored. The default events are sent with every link, to sessions that are still in
    /// the state that the loss has caused.
    private func postLinkEvents(_ device: Device, isLost: Bool, isReturn: Bool = true) {
        for link in maps.linkEvents(device, isLost: isLost) where isReturn || link.event == nil {
            post(
                DeviceEvent(
                    device: device, event: link.event, session: link.session,
                    arguments: link.arguments, at: central.clock.now, age: .zero,
                    cause: isLost ? .loss : .return))
        }
    }

    /// Whether the loss of the device caused the session's last change. This also detects a loss
    /// before a restart of the daemon; the first link then ends it.
    func isPaused(by device: Device) -> Bool {
        maps.linkEvents(device, isLost: true).contains { link in
            guard let session = try? sessions.session(link.session),
                let event = link.event ?? session.flow.deviceLost, let last = session.last
            else { return false }
            return last.step.event?.name == event && last.step.source == statistics(device).source
        }
    }

    private func post(_ event: DeviceEvent) {
        inbox.append(event)
        // On the virtual clock it is delivered when the virtual time reaches its instant.
        if radioDriver == nil { deliveryTask?.call() }
    }
}

/// Delivers events to sessions.
extension BluetoothSource {
    /// Delivers the events in the order in which they were received. On the virtual clock, events
    /// later than the sessions' time wait until it reaches them.
    func deliver() {
        let waiting = exchange(&inbox, with: [])
        let due =
            radioDriver == nil ? waiting.count : waiting.prefix { $0.at <= sessions.now }.count
        inbox = Array(waiting[due...])
        for event in waiting[..<due] { send(event) }
    }

    private func send(_ event: DeviceEvent) {
        guard let name = event.event ?? linkEvent(of: event) else { return }
        let statistics = statistics(event.device)
        let age = event.age + max(.zero, central.clock.now - event.at)
        // Rounded down: an event that has just arrived is 0 ms old.
        let ageMs = Int(age.nanoseconds / 1_000_000)
        let outcome: String
        do throws(RequestError) {
            let session = try sessions.session(event.session)
            let change = try sessions.send(
                name, event.arguments, to: session,
                RequestContext(
                    from: statistics.source, ageMs: ageMs,
                    ageLimitMs: Int(limits.bluetoothAge.milliseconds))
            ).value
            statistics.taken += 1
            counts.taken += 1
            outcome = change.kind.rawValue
            statistics.statesAfterLoss[event.session] = event.cause == .loss ? change.step.to : nil
        } catch {
            statistics.refused += 1
            counts.refused += 1
            outcome = error.name.description
            log.refused(event, name, error)
        }
        let delivery = DeviceStatistics.Delivery(
            event: name, session: event.session, at: sessions.now,
            ageMs: ageMs, outcome: outcome)
        if event.cause == .press {
            statistics.lastPress = delivery
        } else {
            statistics.lastLink = delivery
        }
    }

    /// The event that the session's flow declares for a loss or a return; nil if there is none, or
    /// the session does not exist. A return has an event only if the session is still in the state
    /// that the loss has caused, because a device must not end a pause with another cause.
    private func linkEvent(of event: DeviceEvent) -> String? {
        guard let session = try? sessions.session(event.session) else { return nil }
        guard event.cause == .return else { return session.flow.deviceLost }
        let state = statistics(event.device).statesAfterLoss[event.session]
        let isPaused = state.map { $0 == session.machine.place } ?? isPaused(by: event.device)
        return isPaused ? session.flow.deviceFound : nil
    }

    /// Processes the effects of an action on a simulated device immediately.
    func processSimulatedAction() {
        guard let radioDriver else { return }
        radioDriver.runDueTimers()
        deliver()
    }
}

/// An event to be delivered to a session.
struct DeviceEvent {
    let device: Device
    /// Nil for the event that the session's flow declares for a loss or a return.
    let event: String?
    let session: SessionName
    let arguments: [Member]
    /// On the central's clock: the time of arrival, and the age of the event at that time.
    let at: Instant
    let age: Duration
    let cause: Cause

    /// The device's action.
    enum Cause { case press, loss, `return` }
}
