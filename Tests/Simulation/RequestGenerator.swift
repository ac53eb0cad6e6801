import GameFlow
import Sessions
import TestSupport

/// Makes random requests.
struct RequestGenerator {
    private let flows: [AnyFlow]
    private let sessionNames: [String]
    /// Whether the daemon has a virtual clock, which requests can advance.
    private let isVirtual: Bool
    private var nextNumber = 1
    /// Whether the store works, so that the rows on the disk show which sessions are open.
    var isStoreWorking = true

    /// Requests about sessions of these names, for a daemon whose clock may be virtual.
    init(_ flows: [AnyFlow], _ names: [String], isVirtual: Bool) {
        (self.flows, sessionNames, self.isVirtual) = (flows, names, isVirtual)
    }

    /// A random request to a daemon with these sessions. `journal` has the daemon's rows on the disk.
    mutating func request(
        _ sessions: Sessions, _ journal: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let name = random.pick(sessionNames)
        let session = try? sessions.session(SessionName(name)!)
        // Of a hundred requests, 55 are events, 7 ask for the status, and so on. If the session is not open, most requests that
        // need an open session are replaced by a request to open it.
        switch random.below(100) {
        case 0..<55:
            return session.map { sendRequest($0, journal, &random) }
                ?? openRequest(name, journal, &random)
        case 55..<62: return sessionRequest("status", name, [], journal)
        case 62..<65: return sessionRequest("list", name, [], journal, hasSession: false)
        case 65..<70:
            return sessionRequest("history", name, [Member("limit", 1 + random.below(6))], journal)
        case 70..<73:
            return session.map { gotoRequest($0, journal, &random) }
                ?? openRequest(name, journal, &random)
        case 73..<78:
            return session.flatMap { timerRequest($0, journal, &random) }
                ?? sessionRequest("ping", name, [], journal, hasSession: false)
        case 78..<79: return sessionRequest("close", name, [], journal)
        case 79..<82:
            return session.map { operatorRequest($0, journal, &random) }
                ?? openRequest(name, journal, &random)
        case 82..<88: return sessionRequest("watch", name, watchTopics(session, &random), journal)
        case 88..<89: return sessionRequest("unwatch", name, [], journal)
        case 89..<95 where isVirtual: return advanceRequest(journal, &random)
        case 89..<95: return sessionRequest("status", name, [], journal)
        default: return openRequest(name, journal, &random)
        }
    }

    /// The same request with a new number.
    mutating func repeated(_ request: SentRequest, _ journal: JournalReader) -> SentRequest {
        numberedRequest(request.method, request.session, request.params, journal, id: request.id)
    }

    /// A request with the next number.
    private mutating func numberedRequest(
        _ method: String, _ session: String, _ params: [Member], _ journal: JournalReader,
        id: String? = nil
    ) -> SentRequest {
        defer { nextNumber += 1 }
        return SentRequest(
            number: nextNumber, method: method, session: session, id: id, params: params,
            wasOpen: isStoreWorking && journal.isOpen(session))
    }

    /// A request that has the session of this name as a parameter if `hasSession`.
    private mutating func sessionRequest(
        _ method: String, _ name: String, _ params: [Member], _ journal: JournalReader,
        hasSession: Bool = true
    ) -> SentRequest {
        numberedRequest(
            method, name, (hasSession ? [Member("session", name)] : []) + params, journal)
    }

    private mutating func sendRequest(
        _ session: Session, _ journal: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let event = random.pick(session.flow.events)
        // Mostly an event that the state accepts, so that most requests cause changes.
        let accepts = session.machine.accepts
        let name = random.below(4) > 0 && !accepts.isEmpty ? random.pick(accepts) : event.name
        let samples = session.flow.events.first { $0.name == name }?.samples ?? [[]]
        // A third of the requests have no id. Some ids are used several times.
        let id =
            random.below(3) == 0
            ? nil : "id\(random.below(6) == 0 ? random.below(8) : 8 + nextNumber)"
        return numberedRequest(
            "send", session.name.text,
            [
                Member("session", session.name.text), Member("event", name),
                Member("args", .object(random.pick(samples))),
            ] + (id.map { [Member("id", $0)] } ?? []), journal, id: id)
    }

    private mutating func openRequest(
        _ name: String, _ journal: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let flow = random.pick(flows)
        var params = [Member("flow", flow.name)]
        if random.below(4) == 0, let setting = flow.settings.randomElement(using: &random) {
            let value = setting.type == "duration" ? "\(20 + random.below(100))s" : setting.value
            params.append(Member("settings", .object([Member(setting.name, value)])))
        }
        if random.below(4) == 0 { params.append(Member("labels", .object(labels(&random)))) }
        if random.below(8) == 0 { params.append(Member("again", .bool(true))) }
        return sessionRequest("open", name, params, journal)
    }

    private func labels(_ random: inout SeededRandom) -> [Member] {
        [Member(random.pick(["team", "_note"]), random.pick(["Owls", "Cats", ""]))]
    }

    /// A request for labels, a message, an undo, or a move to the newest version of the flow.
    private mutating func operatorRequest(
        _ session: Session, _ journal: JournalReader, _ random: inout SeededRandom
    ) -> SentRequest {
        let name = session.name.text
        switch random.below(6) {
        case 4: return sessionRequest("undo", name, [], journal)
        case 5:
            return sessionRequest(
                "undo", name, [Member("seq", random.below(session.seq + 1))], journal)
        case 0:
            return sessionRequest(
                "label", name, [Member("labels", .object(labels(&random)))], journal)
        case 1:
            return sessionRequest(
                "say", name,
                [Member("text", random.pick(["hello", ""]))]
                    + (random.below(2) == 0 ? [Member("for", "10s")] : []), journal)
        default: return sessionRequest("move", name, [], journal)
        }
    }

    private mutating func gotoRequest(
        _ session: Session, _ journal: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let state = random.pick(session.flow.stateNames)
        let data = session.flow.dataSamples(of: state)
        return sessionRequest(
            "goto", session.name.text,
            [
                Member("state", state),
                Member("data", .object(data.isEmpty ? [] : random.pick(data))),
                Member("reason", "because"),
            ], journal)
    }

    /// A random operation on a timer of the session; nil if its state has none.
    private mutating func timerRequest(
        _ session: Session, _ journal: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest?
    {
        guard let timer = session.machine.liveTimers.randomElement(using: &random) else {
            return nil
        }
        let action = random.pick(TimerOperation.Action.allCases)
        return sessionRequest(
            "timer", session.name.text,
            [Member("fires", timer.fires), Member("action", action.rawValue)]
                + (action.needsDuration
                    ? [Member(action == .set ? "to" : "by", "\(1 + random.below(20))s")] : []),
            journal)
    }

    private func watchTopics(_ session: Session?, _ random: inout SeededRandom) -> [Member] {
        let topics = random.pick([
            ["changes"], ["changes", "beats"], ["changes", "beats", "refusals"],
        ])
        return [Member("topics", .array(topics.map { .string($0) }))]
    }

    private mutating func advanceRequest(_ journal: JournalReader, _ random: inout SeededRandom)
        -> SentRequest
    {
        let step =
            random.below(3) == 0
            ? Member("toNext", .bool(true))
            : Member("by", "\(random.pick([100, 1000, 5000, 30_000, 400_000]))ms")
        return numberedRequest("advance", "", [step], journal)
    }
}
