import GameFlow
import Sessions
import TestSupport

/// Makes up what clients ask.
struct RequestGenerator {
    private let flows: [AnyFlow]
    private let weather: FaultSchedule
    private var next = 1
    /// Whether it is known what is on the disk.
    var isSure = true

    init(_ flows: [AnyFlow], _ weather: FaultSchedule) {
        (self.flows, self.weather) = (flows, weather)
    }

    /// Something to ask, and whether in the text dialect.
    mutating func question(
        _ sessions: Sessions, _ books: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let name = random.pick(weather.names)
        let session = try? sessions.session(SessionName(name)!)
        switch random.below(100) {
        case 0..<55: return session.map { send($0, books, &random) } ?? open(name, books, &random)
        case 55..<62: return ask("status", name, [], books)
        case 62..<65: return ask("list", name, [], books, hasSession: false)
        case 65..<70: return ask("history", name, [Member("limit", 1 + random.below(6))], books)
        case 70..<73: return session.map { goto($0, books, &random) } ?? open(name, books, &random)
        case 73..<78:
            return session.flatMap { operate($0, books, &random) }
                ?? ask("ping", name, [], books, hasSession: false)
        case 78..<79: return ask("close", name, [], books)
        case 79..<82:
            return session.map { annotate($0, books, &random) } ?? open(name, books, &random)
        case 82..<88: return ask("watch", name, watching(session, &random), books)
        case 88..<89: return ask("unwatch", name, [], books)
        case 89..<95 where weather.isVirtual: return advance(books, &random)
        case 89..<95: return ask("status", name, [], books)
        default: return open(name, books, &random)
        }
    }

    /// The same again.
    mutating func again(_ question: SentRequest, _ books: JournalReader) -> SentRequest {
        number(question.method, question.session, question.params, books, id: question.id)
    }

    private mutating func number(
        _ method: String, _ session: String, _ params: [Member], _ books: JournalReader,
        id: String? = nil
    ) -> SentRequest {
        defer { next += 1 }
        return SentRequest(
            number: next, method: method, session: session, id: id, params: params,
            wasOpen: isSure && books.isOpen(session))
    }

    private mutating func ask(
        _ method: String, _ name: String, _ params: [Member], _ books: JournalReader,
        hasSession: Bool = true
    ) -> SentRequest {
        number(method, name, (hasSession ? [Member("session", name)] : []) + params, books)
    }

    private mutating func send(
        _ session: Session, _ books: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let event = random.pick(session.flow.events)
        // Mostly what the state takes, so that something happens.
        let accepts = session.machine.accepts
        let name = random.below(4) > 0 && !accepts.isEmpty ? random.pick(accepts) : event.name
        let samples = session.flow.events.first { $0.name == name }?.samples ?? [[]]
        let id =
            random.below(3) == 0 ? nil : "id\(random.below(6) == 0 ? random.below(8) : 8 + next)"
        return number(
            "send", session.name.text,
            [
                Member("session", session.name.text), Member("event", name),
                Member("args", .object(random.pick(samples))),
            ] + (id.map { [Member("id", $0)] } ?? []), books, id: id)
    }

    private mutating func open(_ name: String, _ books: JournalReader, _ random: inout SeededRandom)
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
        return ask("open", name, params, books)
    }

    private func labels(_ random: inout SeededRandom) -> [Member] {
        [Member(random.pick(["team", "_note"]), random.pick(["Owls", "Cats", ""]))]
    }

    /// Labels, a message, an undo, or a move to the newest version.
    private mutating func annotate(
        _ session: Session, _ books: JournalReader, _ random: inout SeededRandom
    ) -> SentRequest {
        let name = session.name.text
        switch random.below(6) {
        case 4: return ask("undo", name, [], books)
        case 5: return ask("undo", name, [Member("seq", random.below(session.seq + 1))], books)
        case 0: return ask("label", name, [Member("labels", .object(labels(&random)))], books)
        case 1:
            return ask(
                "say", name,
                [Member("text", random.pick(["hello", ""]))]
                    + (random.below(2) == 0 ? [Member("for", "10s")] : []), books)
        default: return ask("move", name, [], books)
        }
    }

    private mutating func goto(
        _ session: Session, _ books: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest
    {
        let state = random.pick(session.flow.stateNames)
        let data = session.flow.dataSamples(of: state)
        return ask(
            "goto", session.name.text,
            [
                Member("state", state),
                Member("data", .object(data.isEmpty ? [] : random.pick(data))),
                Member("reason", "because"),
            ], books)
    }

    private mutating func operate(
        _ session: Session, _ books: JournalReader, _ random: inout SeededRandom
    )
        -> SentRequest?
    {
        guard let timer = session.machine.liveTimers.randomElement(using: &random) else {
            return nil
        }
        let action = random.pick(TimerOperation.Action.allCases)
        return ask(
            "timer", session.name.text,
            [Member("fires", timer.fires), Member("action", action.rawValue)]
                + (action.needsDuration
                    ? [Member(action == .set ? "to" : "by", "\(1 + random.below(20))s")] : []),
            books)
    }

    private func watching(_ session: Session?, _ random: inout SeededRandom) -> [Member] {
        let topics = random.pick([
            ["changes"], ["changes", "beats"], ["changes", "beats", "refusals"],
        ])
        return [Member("topics", .array(topics.map { .string($0) }))]
    }

    private mutating func advance(_ books: JournalReader, _ random: inout SeededRandom)
        -> SentRequest
    {
        let step =
            random.below(3) == 0
            ? Member("toNext", .bool(true))
            : Member("by", "\(random.pick([100, 1000, 5000, 30_000, 400_000]))ms")
        return number("advance", "", [step], books)
    }
}
