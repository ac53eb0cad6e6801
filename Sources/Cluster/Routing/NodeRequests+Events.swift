package import GameFlow
import JSONCoding
package import Parts
package import RPC
import Sessions
package import Shards
package import Timers

/// Sends events of this node's devices as lines to the nodes that own the sessions. Each event has an id: if the owner ends
/// before it answers, the request is repeated, and the event still happens only once.
extension NodeRequests: SharingNodes {
    /// How many times, at most, the name of one event is chosen by the session's state. The name is chosen again if the session
    /// has entered another state before the event arrives.
    private static let choiceAttempts = 3

    package var runsSince: Instant { router.runsSince }

    package func relay(
        _ event: ReceivedEvent, as choice: EventChoice?,
        _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        relay(event, as: choice, Self.choiceAttempts, done)
    }

    /// Sends the event by `choice`. Without it the event has a name, or the name is chosen by the state of the session. If the
    /// owner refuses the event because the session has entered another state since then, chooses again, at most `attempts`
    /// times in all.
    private func relay(
        _ event: ReceivedEvent, as choice: EventChoice?, _ attempts: Int,
        _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        switch event.content.choice {
        case .named(let name): send(event, as: (name, nil), done)
        case .chosen(let choose):
            let sendChosen = { [self] (choice: EventChoice) in
                send(event, as: choice) { [self] outcome in
                    // An owner also refuses an event that is too old as `stale`. No other name helps such an event.
                    if case .refused(_, let refusal) = outcome, refusal.name == "stale",
                        attempts > 1, !event.isTooOld(at: router.now, runsSince)
                    {
                        return relay(event, as: nil, attempts - 1, done)
                    }
                    done(outcome)
                }
            }
            if let choice { return sendChosen(choice) }
            askForSituation(event) { result in
                switch result {
                case .failure(let error): done(.refused(nil, EventRefusal(relayed: error)))
                case .success((let situation, let entry)):
                    guard let name = choose(situation) else { return done(.notSent) }
                    sendChosen((name, entry))
                }
            }
        }
    }

    /// Sends the event with this name. The owner refuses the event with the error `stale` if the session has entered another
    /// state since the entry of the choice.
    private func send(
        _ event: ReceivedEvent, as choice: EventChoice,
        _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        let content = event.content(at: router.now)
        let request = RoutedRequest.send(
            choice.name, content.arguments, to: content.session, id: content.id,
            ageMs: content.ageMs, entry: choice.entry)
        ask(request, event) { reply in
            switch reply {
            case .failure(let error): done(.refused(choice.name, EventRefusal(relayed: error)))
            case .success(let change):
                let kind = change["kind"]?.text ?? ""
                done(.accepted(choice.name, kind: kind, state: Self.state(change["to"])))
            }
        }
    }

    /// Asks the owner of the session. The request waits for an owner until the end of the time of `--hold`, or until the event
    /// reaches its `ageLimit`, if this is earlier.
    private func ask(
        _ request: RoutedRequest, _ event: ReceivedEvent,
        _ done: @escaping (Result<[Member], RelayedError>) -> Void
    ) {
        let content = event.content(at: router.now)
        let deadline = content.ageLimit.map { router.now + ($0 - content.age) }
        let client = client(
            for: content.session, from: content.source, needsArgumentConversion: true)
        client.ask(
            request, about: content.session,
            until: min(router.endOfHold, deadline ?? router.endOfHold)
        ) { reply in
            switch reply {
            case .error(let error): done(.failure(error))
            case .result(let bytes):
                var result: [Member] = []
                if case .object(let members)? = Value(json: bytes) { result = members }
                done(.success(result))
            }
        }
    }

    // MARK: the situation

    /// Asks the owner for the status and the newest records of the session.
    private func askForSituation(
        _ event: ReceivedEvent,
        _ done: @escaping (Result<(SessionSituation, entry: Int?), RelayedError>) -> Void
    ) {
        let session = event.content.session
        ask(.status(of: session), event) { [self] in
            switch $0 {
            case .failure(let error): done(.failure(error))
            case .success(let status):
                ask(.newestRecords(of: session), event) { [catalog] in
                    done($0.map { Self.situation(status, $0, catalog) })
                }
            }
        }
    }

    /// The situation and the `entry` of a session, from the results of `status` and of `history`.
    private static func situation(
        _ status: [Member], _ history: [Member], _ catalog: FlowCatalog
    ) -> (SessionSituation, entry: Int?) {
        let last = lastChange(in: history)
        var event: [Member] = []
        if case .object(let members)? = last["event"] { event = members }
        let flow = status["flow"]?.text.flatMap { catalog.newest($0) }
        let source = last["source"].flatMap { Source(relayed: $0) }
        let lastEvent = event["name"]?.text.flatMap { name in source.map { (name, $0) } }
        var entry: Int?
        if case .int(let number)? = status["entry"] { entry = number }
        return (
            SessionSituation(
                state: state(.object(status)) ?? StateRecord(""), flow: flow,
                lastEvent: lastEvent), entry
        )
    }

    /// The members of the newest record that is not a refusal; empty if all records are refusals.
    package static func lastChange(in history: [Member]) -> [Member] {
        guard case .array(let records)? = history["records"] else { return [] }
        for case .object(let record) in records where record["kind"]?.text != "refused" {
            return record
        }
        return []
    }

    /// The state in an object with the members `state` and `data`; nil for any other value.
    private static func state(_ value: Value?) -> StateRecord? {
        guard case .object(let members)? = value, let name = members["state"]?.text else {
            return nil
        }
        guard case .object(let data)? = members["data"] else { return StateRecord(name) }
        return StateRecord(name, data)
    }
}

extension EventRefusal {
    /// The refusal that an owner's error means. Only the error `invalid` has an argument and a reason in its data.
    package init(relayed error: RelayedError) {
        guard error.name == "invalid" else {
            self = .error(error.name)
            return
        }
        var data: [Member] = []
        if case .object(let members)? = Value(json: error.data) { data = members }
        self = .invalid(argument: data["argument"]?.text ?? "", why: data["why"]?.text ?? "")
    }
}
