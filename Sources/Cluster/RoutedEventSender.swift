package import GameFlow
import JSONCoding
package import Parts
package import RPC
package import Sessions
import Shards
import Timers

/// Sends events of this node's devices to the nodes that own the sessions. Each request has an id: if the owner ends before it
/// answers, the request is repeated, and the event still happens only once.
package final class RoutedEventSender: DeviceEventSender {
    private let requests: NodeRequests
    /// The flows, which say what events report the loss and the return of a device.
    private let catalog: FlowCatalog
    private var router: ShardRouter { requests.router }

    /// How many times, at most, the name of one event is chosen by the session's state. The name is chosen again if the session
    /// has entered another state before the event arrives.
    private static let choiceAttempts = 3

    package init(_ requests: NodeRequests, _ catalog: FlowCatalog) {
        (self.requests, self.catalog) = (requests, catalog)
    }

    package var isFull: Bool { requests.isFull }

    package func announce(_ input: @autoclosure () -> UnmatchedInput) {
        router.shards.announce(input())
    }

    /// An event of a device, and when this node received it.
    private struct ReceivedEvent {
        /// `content.age` is the age at `receivedAt`.
        let content: SentEvent
        let receivedAt: Instant
    }

    /// The present age of an event. The age grows while the event waits for other requests, and for replies of the owner.
    private func age(of event: ReceivedEvent) -> Duration {
        event.content.age + (router.now - event.receivedAt)
    }

    /// Whether the event is older than the limit of its source, or than the last standstill of this process.
    private func isTooOld(_ event: ReceivedEvent) -> Bool {
        event.receivedAt < router.runsSince
            || event.content.ageLimit.map { age(of: event) > $0 } ?? false
    }

    package func send(_ content: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        let event = ReceivedEvent(content: content, receivedAt: router.now)
        requests.enqueue(
            from: content.source, to: content.session, needsArgumentConversion: true
        ) {
            [self] routedClient, sendNextRequest in
            if isTooOld(event) {
                var name: String?
                if case .named(let chosenName) = content.choice { name = chosenName }
                done(.refused(name, EventRefusal("stale")))
                return sendNextRequest()
            }
            let endRequest = { (outcome: SentEvent.Outcome) in
                done(outcome)
                sendNextRequest()
            }
            switch content.choice {
            case .named(let name): send(name, event, nil, routedClient, endRequest)
            case .chosen(let choose):
                chooseAndSend(choose, event, Self.choiceAttempts, routedClient, endRequest)
            }
        }
    }

    /// Sends the event with this name. If `entry` is given, the owner refuses the event with the error `stale` if the session
    /// has entered another state since that entry.
    private func send(
        _ name: String, _ event: ReceivedEvent, _ entry: Int?, _ routedClient: RoutedClient,
        _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        var content = event.content
        content.age = age(of: event)
        let request = RoutedRequest.send(
            name, content.arguments, to: content.session, id: requests.newID(),
            ageMs: content.ageMs, entry: entry)
        routedClient.ask(request, about: content.session, until: deadline(of: event)) { reply in
            switch reply {
            case .error(let error): done(.refused(name, EventRefusal(relayed: error)))
            case .result(let bytes):
                let change = Self.object(bytes)
                done(
                    .accepted(
                        name, kind: change["kind"]?.text ?? "",
                        state: Self.state(change["to"])))
            }
        }
    }

    /// The instant until which an event waits for an owner. It is the end of the time of `--hold`, or the instant at which the
    /// event reaches its `ageLimit`, if this instant is earlier.
    private func deadline(of event: ReceivedEvent) -> Instant {
        guard let limit = event.content.ageLimit else { return router.endOfHold }
        return min(router.endOfHold, router.now + (limit - age(of: event)))
    }

    // MARK: choosing

    /// Asks for the state of the session, chooses the name of the event by that state, and sends the event. If the owner
    /// refuses the event because the session has entered another state meanwhile, does all this again, at most `attempts` times
    /// in all.
    private func chooseAndSend(
        _ choose: @escaping (SessionSituation) -> String?, _ event: ReceivedEvent, _ attempts: Int,
        _ routedClient: RoutedClient, _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        askForSituation(event, routedClient) { [self] result in
            switch result {
            case .failure(let error): done(.refused(nil, EventRefusal(relayed: error)))
            case .success((let situation, let entry)):
                guard let name = choose(situation) else { return done(.notSent) }
                send(name, event, entry, routedClient) { [self] outcome in
                    // An owner also refuses an event that is too old as `stale`. No other name helps such an event.
                    if case .refused(_, let refusal) = outcome, refusal.name == "stale",
                        attempts > 1, !isTooOld(event)
                    {
                        return chooseAndSend(choose, event, attempts - 1, routedClient, done)
                    }
                    done(outcome)
                }
            }
        }
    }

    /// Asks the owner for the status and the newest records of the session.
    private func askForSituation(
        _ event: ReceivedEvent, _ routedClient: RoutedClient,
        _ done: @escaping (Result<(SessionSituation, entry: Int?), RelayedError>) -> Void
    ) {
        let (name, deadline) = (event.content.session, deadline(of: event))
        routedClient.ask(.status(of: name), about: name, until: deadline) { reply in
            guard case .result(let status) = reply else { return done(.failure(reply.failure)) }
            routedClient.ask(.newestRecords(of: name), about: name, until: deadline) {
                [catalog = self.catalog] reply in
                guard case .result(let history) = reply else {
                    return done(.failure(reply.failure))
                }
                done(.success(Self.situation(Self.object(status), Self.object(history), catalog)))
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
        var entry: Int?
        if case .int(let number)? = status["entry"] { entry = number }
        return (
            SessionSituation(
                state: state(.object(status)) ?? StateRecord(""), deviceLost: flow?.deviceLost,
                deviceFound: flow?.deviceFound, lastEvent: event["name"]?.text,
                lastSource: last["source"].flatMap { Source(relayed: $0) }), entry
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

    /// The members of a result; empty if the result is not a JSON object.
    private static func object(_ bytes: [UInt8]) -> [Member] {
        guard case .object(let members)? = Value(json: bytes) else { return [] }
        return members
    }
}

extension EventRefusal {
    /// The refusal that an owner's error means. Only the error `invalid` has an argument and a reason in its data.
    package init(relayed error: RelayedError) {
        var data: [Member] = []
        if case .object(let members)? = Value(json: error.data) { data = members }
        self.init(
            error.name,
            invalid: error.name == "invalid"
                ? (data["argument"]?.text ?? "", data["why"]?.text ?? "") : nil)
    }
}

extension RoutedReply {
    /// The error in the reply. If the reply is a result, returns `internalError`, with the code that JSON-RPC defines for
    /// internal errors.
    fileprivate var failure: RelayedError {
        if case .error(let error) = self { return error }
        return RelayedError(code: -32603, name: "internalError", data: Array("{}".utf8))
    }
}
