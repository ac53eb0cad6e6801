import GameFlow
package import Parts
import RPC
import Sessions
import Timers

/// The name with which an event of a device is sent.
package struct EventChoice {
    package let name: String
    /// The entry of the session by whose situation the name was chosen; nil if the name was given.
    package let entry: Int?

    package init(_ name: String, entry: Int? = nil) { (self.name, self.entry) = (name, entry) }
}

/// What a session of this process did with an event of a device. It is not durable yet.
struct TakenEvent {
    let outcome: SentEvent.Outcome
    /// Nil if no name was chosen.
    let choice: EventChoice?

    /// Sends the event, which this process received some time before `now`.
    init(_ event: ReceivedEvent, in sessions: Sessions, at now: Instant) {
        let content = event.content(at: now)
        let choice = content.choice(in: sessions)
        self.choice = choice
        do throws(RequestError) {
            let session = try sessions.session(content.session)
            guard let name = choice?.name else {
                outcome = .notSent
                return
            }
            let change = try sessions.send(
                name, ArgumentConversion.convert(content.arguments, of: name, in: session.flow),
                to: session,
                RequestContext(
                    from: content.source, id: event.id, ageMs: content.ageMs,
                    ageLimitMs: content.ageLimit.map { Int($0.milliseconds) })
            ).value
            outcome = .accepted(name, kind: change.kind.name, state: change.step.to)
        } catch {
            outcome = .refused(choice?.name, EventRefusal(error))
        }
    }

    /// The choice if the session has accepted the event. A refused event is decided again if it is sent to another owner.
    var acceptedChoice: EventChoice? { if case .accepted = outcome { choice } else { nil } }
}

extension SentEvent {
    /// The name of the event; nil if it is chosen by the situation of the session.
    package var givenName: String? { if case .named(let name) = choice { name } else { nil } }

    /// The name with which the event is sent at this moment; nil if it is not to be sent.
    func choice(in sessions: Sessions) -> EventChoice? {
        switch choice {
        case .named(let name): return EventChoice(name)
        case .chosen(let choose):
            guard let session = try? sessions.session(self.session),
                let name = choose(SessionSituation(of: session))
            else { return nil }
            return EventChoice(name, entry: session.entry)
        }
    }
}

extension SessionSituation {
    fileprivate init(of session: Session) {
        self.init(
            state: session.machine.place, deviceLost: session.flow.deviceLost,
            deviceFound: session.flow.deviceFound, lastEvent: session.lastSummary?.event?.name,
            lastSource: session.lastSummary?.source)
    }
}
