package import Bluetooth
internal import EventLoop
package import GameFlow
import Parts
import RPC
package import Sessions
package import Timers

/// Converts the events of the Bluetooth central to events of sessions.
extension BluetoothSource {
    /// Called with each event of the central, on the loop's thread.
    package func handle(_ event: CentralEvent) {
        switch event {
        case .up:
            alerts.end(.source, "bluetooth")
            log.controllerUp(at: location.text)
        case .down(let why):
            alerts.begin(
                .source, "bluetooth",
                "The Bluetooth controller is down: \(why). Presses do not arrive.")
            log.controllerDown(at: location.text, why)
        // Another device is in range, or its name has changed: no session gets an event.
        case .found: break
        case .ready(let device, let wasReadyBefore):
            statistics(device).connectionCount += 1
            alerts.end(.source, device.address.text)
            log.deviceReady(device)
            postLinkEvents(device, isLost: false, isFirstLink: !wasReadyBefore)
        case .lost(let device, let reason):
            counts.losses += 1
            alerts.begin(
                .source, device.address.text,
                "The device \(device.name ?? device.address.text) is out of reach. Its presses do not arrive."
            )
            log.deviceLost(device, reason)
            postLinkEvents(device, isLost: true)
        case .notified(let device, let notification): handle(notification, device)
        }
    }

    /// Sends an event for each `map` line that matches the value, unless the debounce time or a limit prevents it.
    private func handle(_ notification: ValueNotification, _ device: Device) {
        let statistics = statistics(device)
        let now = central.clock.now
        statistics.lastValue = DeviceStatistics.LastValue(
            subscription: notification.subscription, value: notification.value,
            atMs: Int(now.milliseconds))
        let indices = maps.pressLineIndices(device, notification)
        if indices.isEmpty { counts.unmatched += 1 }
        for index in indices {
            let map = maps.maps[index]
            guard case .press(_, _, let event) = map.trigger else { continue }
            if map.quiet != nil { matches.matched(index, at: loop.timerQueue.now) }
            // A value with an age was stored by the device while the device was disconnected. Stored values arrive together, so
            // the debounce time does not apply to them. The device has already debounced them.
            let isLive = notification.age == .zero
            if isLive, let last = statistics.lastPressTimes[index], now - last < map.debounce {
                statistics.bounced += 1
                counts.dropped += 1
                continue
            }
            guard statistics.allowsEvent(at: now, limit: limits.presses) else {
                statistics.limited += 1
                counts.dropped += 1
                log.pressLimited(device, statistics.limited, limit: limits.presses)
                continue
            }
            guard inbox.count < Self.inboxLimit, !sender.isFull else {
                counts.dropped += 1
                counts.overflowed += 1
                log.pressDropped(counts.overflowed)
                continue
            }
            // Only a press that is sent starts the debounce time. A dropped press must not suppress the next press.
            if isLive { statistics.lastPressTimes[index] = now }
            post(
                DeviceEvent(
                    device: device, name: .named(event), session: map.session,
                    arguments: map.arguments, at: now, age: notification.age, cause: .press))
        }
    }

    /// Sends the events of a lost or restored link.
    ///
    /// `isFirstLink` is true for a device's first link since the start of the daemon. The device may have been lost before the
    /// start, and this link is then its return. So on the first link, a configured `found` event is sent only to a session
    /// whose most recent change was caused by the loss of the device. The event that a flow declares for a return can be sent
    /// on each link. It is sent to a session only while the session is still in the state to which the loss has led.
    private func postLinkEvents(_ device: Device, isLost: Bool, isFirstLink: Bool = false) {
        for link in maps.linkEvents(device, isLost: isLost) {
            post(
                DeviceEvent(
                    device: device, name: link.event, session: link.session,
                    arguments: link.arguments, at: central.clock.now, age: .zero,
                    cause: isLost ? .loss : .return, isFirstLink: isFirstLink))
        }
    }

    /// Whether the loss of the device caused the session's last change, perhaps before a restart of the daemon.
    private func lossCausedLastChange(
        of name: SessionName, _ device: Device, _ session: SessionSituation
    ) -> Bool {
        maps.linkEvents(device, isLost: true).contains { link in
            guard link.session == name,
                let event = link.event.text(declared: session.flow?.deviceLost)
            else { return false }
            return session.lastEvent.map { $0 == (event, statistics(device).source) } ?? false
        }
    }

    /// Adds an event to the inbox, from which `deliver` sends it to its session.
    private func post(_ event: DeviceEvent) {
        inbox.append(event)
        // `radioDriver` itself calls `deliver` when the time of the sessions reaches the time of the event.
        if radioDriver == nil { deliveryTask.call() }
    }
}

/// Delivers events to sessions.
extension BluetoothSource {
    /// Delivers the events in the order in which they were received. With `radioDriver`, an event waits until the sessions'
    /// clock has reached the time of the event.
    package func deliver() {
        let waiting = exchange(&inbox, with: [])
        let dueCount =
            radioDriver == nil ? waiting.count : waiting.prefix { $0.at <= sessionsClock.now }.count
        inbox = Array(waiting[dueCount...])
        for event in waiting[..<dueCount] { send(event) }
    }

    private func send(_ event: DeviceEvent) {
        // The outcome comes when it is durable. A return may come before, and must not be judged by an earlier loss.
        if event.cause == .loss { statistics(event.device).statesAfterLoss[event.session] = nil }
        let age = event.age + max(.zero, central.clock.now - event.at)
        let sentEvent = SentEvent(
            session: event.session, choice: choice(of: event), arguments: event.arguments,
            source: statistics(event.device).source, age: age, ageLimit: limits.bluetoothAge)
        sender.send(sentEvent) { [weak self] in
            self?.record($0, of: event, ageMs: sentEvent.ageMs)
        }
    }

    /// Returns the event's name if the name is known now. Otherwise returns a closure that chooses the name when the session's
    /// state is known.
    private func choice(of event: DeviceEvent) -> SentEvent.Choice {
        if case .named(let name) = event.name, !event.isFirstLink { return .named(name) }
        return .chosen { [weak self] in self?.name(of: event, for: $0) }
    }

    /// Chooses the name of an event by the session's situation. The event is an event that the flow declares for a loss or a
    /// return, or a configured event on the first link. Returns nil if no event is to be sent. There are two reasons:
    /// - The flow declares no event.
    /// - The device has returned, but its loss no longer determines the session's state. For example, the return of a device
    ///   must not end a pause that an operator has begun.
    private func name(of event: DeviceEvent, for session: SessionSituation) -> String? {
        guard event.cause == .return else {
            return event.name.text(declared: session.flow?.deviceLost)
        }
        if case .named(let name) = event.name {
            return lossCausedLastChange(of: event.session, event.device, session) ? name : nil
        }
        let state = statistics(event.device).statesAfterLoss[event.session]
        let isInStateAfterLoss =
            state.map { $0 == session.state }
            ?? lossCausedLastChange(of: event.session, event.device, session)
        return isInStateAfterLoss ? session.flow?.deviceFound : nil
    }

    /// Counts the outcome of an event, and remembers it as the outcome of the last press, or of the last loss or return.
    private func record(_ outcome: SentEvent.Outcome, of event: DeviceEvent, ageMs: Int) {
        let statistics = statistics(event.device)
        let (name, outcomeName): (String, String)
        switch outcome {
        // No event was chosen for the session.
        case .notSent, .repeated, .refused(nil, _): return
        case .accepted(let acceptedName, let kind, let state):
            statistics.accepted += 1
            counts.accepted += 1
            (name, outcomeName) = (acceptedName, kind)
            statistics.statesAfterLoss[event.session] = event.cause == .loss ? state : nil
        case .refused(let refusedName?, let refusal):
            statistics.refused += 1
            counts.refused += 1
            (name, outcomeName) = (refusedName, refusal.name)
            log.eventRefused(event, refusedName, refusal)
        }
        statistics.lastDeliveries[event.cause == .press ? .press : .link] =
            DeviceStatistics.Delivery(
                event: name, session: event.session, at: sessionsClock.now, ageMs: ageMs,
                outcome: outcomeName)
    }

    /// Called after an action on a simulated device. On the virtual clock, this function processes the effects of the action at
    /// once. On the real clock, the loop processes them.
    package func processSimulatedAction() {
        guard let radioDriver else { return }
        radioDriver.runDueTimers()
        deliver()
    }
}

/// An event to be delivered to a session.
package struct DeviceEvent {
    package let device: Device
    package let name: Name
    package let session: SessionName
    package let arguments: [Member]
    /// The time of arrival, on the central's clock.
    package let at: Instant
    /// The age of the event when it arrived.
    package let age: Duration
    package let cause: Cause
    /// Whether this is the event of the device's first link since the start of the daemon.
    var isFirstLink = false

    /// How the event is named.
    package enum Name {
        case named(String)
        /// The event that the session's flow declares for a loss or a return.
        case declared

        /// The name in a session whose flow declares `declared` for the occasion; nil if it has no event for it.
        func text(declared: String?) -> String? {
            switch self {
            case .named(let name): name
            case .declared: declared
            }
        }
    }

    /// What has caused the event.
    package enum Cause { case press, loss, `return` }
}
