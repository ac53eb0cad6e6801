import GameFlow
package import Parts
import RPC
package import Sessions
import Timers

/// Sends the events of devices to the sessions of this process, if it owns all sessions. If several nodes share them,
/// `RoutedEventSender` is used.
package final class LocalEventSender: DeviceEventSender {
    private let sessions: Sessions
    /// Whether so many changes wait to be written to the journal that no further event may be sent.
    private let hasStorageBacklog: () -> Bool

    /// `isFull` is stored as `hasStorageBacklog`; the default is for daemons without a journal.
    package init(_ sessions: Sessions, isFull: @escaping () -> Bool = { false }) {
        (self.sessions, hasStorageBacklog) = (sessions, isFull)
    }

    package var isFull: Bool { hasStorageBacklog() }

    package func announce(_ input: @autoclosure () -> UnmatchedInput) { sessions.announce(input()) }

    /// Calls `done` before it returns.
    package func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        var name: String?
        if case .named(let givenName) = event.choice { name = givenName }
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
            done(.accepted(name, kind: change.kind.name, state: change.step.to))
        } catch {
            done(.refused(name, EventRefusal(error)))
        }
    }

    private static func situation(_ session: Session) -> SessionSituation {
        SessionSituation(
            state: session.machine.place, deviceLost: session.flow.deviceLost,
            deviceFound: session.flow.deviceFound, lastEvent: session.lastSummary?.event?.name,
            lastSource: session.lastSummary?.source)
    }
}
