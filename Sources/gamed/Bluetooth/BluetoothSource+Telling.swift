import Bluetooth
import GameFlow
import RPC
import Sessions
import Timers

/// What the sessions are told.
extension BluetoothSource {
    /// In the order in which it was received. On the virtual clock, what is ahead of the sessions waits for them.
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
        // Whole ones that have gone by: what came just now is no millisecond old.
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

    /// Whether a session is told what nobody has asked for: one that is there, whose flow knows the event; and of a
    /// return only if it still stands as the loss has left it. A pause that somebody else has made is not the
    /// device's to end.
    private func isWelcome(_ arrival: DeviceEvent) -> Bool {
        guard let session = try? sessions.session(arrival.session),
            session.flow.events.contains(where: { $0.name == arrival.event })
        else { return false }
        guard arrival.cause == .return else { return true }
        let left = account(arrival.device).left[arrival.session]
        return left.map { $0 == session.machine.place } ?? isPaused(by: arrival.device)
    }

    /// What somebody did with a simulated device shows at once.
    func settle() {
        guard let radioTime else { return }
        radioTime.settle()
        handOver()
    }
}
