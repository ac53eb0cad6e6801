import Bluetooth
import GameFlow
import RPC
import Sessions
import Timers

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
            counters.refused(arrival, error)
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
