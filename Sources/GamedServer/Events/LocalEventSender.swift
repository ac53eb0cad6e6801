import GameFlow
import RPC
import Sessions
import Timers

/// Sends events to the sessions of this process.
final class LocalEventSender: DeviceEventSender {
    private let sessions: Sessions
    private let isStorageFull: () -> Bool

    /// `isFull` says whether so many changes wait for the disk that no event may be sent.
    init(_ sessions: Sessions, isFull: @escaping () -> Bool = { false }) {
        (self.sessions, isStorageFull) = (sessions, isFull)
    }

    var isFull: Bool { isStorageFull() }

    func announce(_ input: @autoclosure () -> UnmatchedInput) { sessions.announce(input()) }

    func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        var name: String?
        if case .named(let given) = event.choice { name = given }
        do throws(RequestError) {
            let session = try sessions.session(event.session)
            if case .chosen(let choose) = event.choice { name = choose(Self.situation(session)) }
            guard let name else { return done(.notSent) }
            let change = try sessions.send(
                name, ArgumentConversion.convert(event.arguments, of: name, in: session.flow),
                to: session,
                RequestContext(
                    from: event.source, ageMs: event.ageMs,
                    ageLimitMs: event.ageLimit.map { Int($0.milliseconds) })
            ).value
            done(.taken(name, kind: change.kind.rawValue, state: change.step.to))
        } catch {
            done(.refused(name, EventRefusal(error)))
        }
    }

    private static func situation(_ session: Session) -> SessionSituation {
        SessionSituation(
            place: session.machine.place, deviceLost: session.flow.deviceLost,
            deviceFound: session.flow.deviceFound, lastEvent: session.last?.step.event?.name,
            lastSource: session.last?.step.source)
    }
}

extension SentEvent {
    /// Its age, rounded down: an event that has just arrived is 0 ms old.
    var ageMs: Int { Int(age.nanoseconds / 1_000_000) }
}
