import Bluetooth
import GameFlow
import JSON
import Sessions
import Timers
import Wire

/// What the sessions are told.
extension BluetoothSource {
    /// In the order in which it was received. On the virtual clock, what is ahead of the sessions waits for them.
    func handOver() {
        let waiting = exchange(&inbox, with: [])
        let due = radioTime == nil ? waiting.count : waiting.prefix { $0.at <= sessions.now }.count
        inbox = Array(waiting[due...])
        for arrival in waiting[..<due] { send(arrival) }
    }

    private func send(_ arrival: Arrival) {
        let account = account(arrival.device)
        let age = arrival.age + max(.zero, central.timeline.now - arrival.at)
        let outcome: String
        do throws(RequestError) {
            let session = try sessions.session(arrival.session)
            if arrival.isCustomary,
                !session.flow.events.contains(where: { $0.name == arrival.event })
            {
                return
            }
            let change = try sessions.send(
                arrival.event, arrival.arguments, to: session, ageMs: Int(age.milliseconds),
                from: account.source)
            account.taken += 1
            counts.taken += 1
            outcome = change.kind.rawValue
        } catch {
            account.refused += 1
            counts.refused += 1
            outcome = error.name.description
            tally.refused(arrival, error)
        }
        account.lastPress = DeviceAccount.LastPress(
            event: arrival.event, session: arrival.session,
            atMs: Int(sessions.now.milliseconds), ageMs: Int(age.milliseconds), outcome: outcome)
    }

    /// What somebody did with a simulated device shows at once.
    func settle() {
        guard let radioTime else { return }
        radioTime.settle()
        handOver()
    }
}
