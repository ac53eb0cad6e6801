import GameFlow
import RPC
import Shell
import Support

/// What `gamectl top` knows, and what it does for each message of the daemon and each key. It has no terminal and no connection: its
/// functions return the requests to send.
struct TopModel {
    private(set) var sessions: [String: TopSession] = [:]
    /// The name of the session that is shown in full; nil without a session.
    private(set) var selectedName: String?
    /// The events of the selected session's flow; empty until they have arrived.
    private var events: [TopEvent] = []
    /// The lines of the selected session's log, the newest last.
    private(set) var log: [String] = []
    private(set) var alerts: [Value] = []
    private(set) var prompt: TopPrompt?
    /// The result of the newest command, and whether it failed.
    private(set) var outcome = (text: "", isFailure: false)
    /// Whether the user wants to leave.
    private(set) var isDone = false
    /// Why there is no connection; nil while there is one.
    var outage: String?
    let isVirtual: Bool
    private let watchLine: WatchLine
    /// The sessions whose status was requested.
    private var askedNames: Set<String> = []
    /// The sessions that have changed since their status was requested.
    private var dueNames: Set<String> = []

    /// The maximum number of lines in the log.
    private static let logLimit = 200

    init(isVirtual: Bool, _ terminal: Terminal) {
        self.isVirtual = isVirtual
        watchLine = WatchLine(
            printer: Printer(terminal.withoutColour), isVirtual: isVirtual, showsSession: false)
    }

    /// The names of the sessions in the order of the list.
    var names: [String] { sessions.keys.sorted() }

    var selected: TopSession? { selectedName.flatMap { sessions[$0] } }

    /// The events that the selected session accepts, each with the key that sends it; nil for events that have none.
    var acceptedEvents: [(key: Character?, event: TopEvent)] {
        guard let session = selected else { return [] }
        let accepted = events.filter { session.accepts.contains($0.name) }
        let taken = Set(accepted.compactMap(\.key))
        var free = "123456789".filter { !taken.contains($0) }[...]
        return accepted.map { event in (event.key ?? free.popFirst(), event) }
    }

    // MARK: the daemon

    /// Begins with the sessions in the result of `watch`, on a new connection.
    mutating func begin(with statuses: [Value], nowMs: Int) throws(CommandError) -> [TopRequest] {
        (sessions, askedNames, dueNames, outage) = ([:], [], [], nil)
        for status in statuses {
            let session = try TopSession(status, receivedMs: nowMs)
            sessions[session.name] = session
        }
        let name = selected?.name ?? names.first
        return select(name) + [TopRequest(request: Request(.alerts), purpose: .alerts)]
    }

    mutating func receive(_ notification: Message.ServerNotification, nowMs: Int)
        throws(CommandError) -> [TopRequest]
    {
        guard let name = notification.params.find("session")?.text else { return [] }
        if name == selectedName, let line = try watchLine.text(notification) {
            log = (log + [line]).suffix(Self.logLimit)
        }
        guard ["change", "stuck", "gap"].contains(notification.method) else { return [] }
        let isClosed = notification.params.find("kind")?.text == "close"
        return isClosed ? remove(name) : askStatus(of: name)
    }

    mutating func receive(
        _ result: Result<Message.MethodResult, ErrorReply>, for purpose: TopRequest.Purpose,
        nowMs: Int
    ) throws(CommandError) -> [TopRequest] {
        switch (purpose, result) {
        case (.status(let name), .success(let answer)):
            askedNames.remove(name)
            let session = try TopSession(answer.value, receivedMs: nowMs)
            let old = exchange(&sessions[name], with: session)
            let requests = askAgain(name)
            if selectedName == nil { return requests + select(name) }
            let hasOtherEvents = name == selectedName && old?.rules != session.rules
            return requests + (hasOtherEvents ? [describe(name)] : [])
        case (.status(let name), .failure(let error)):
            askedNames.remove(name)
            let requests = error.name == "unknownSession" ? remove(name) : []
            return askAgain(name) + requests
        // Answers about a session that was selected before are not needed any more.
        case (.description(let name), .success(let answer)) where name == selectedName:
            var events: [TopEvent] = []
            for event in try answer.value.list("events") { events.append(try TopEvent(event)) }
            self.events = events
        case (.history(let name), .success(let answer)) where name == selectedName:
            var lines: [String] = []
            for record in try answer.value.list("records").reversed() {
                lines.append(try watchLine.record(record))
            }
            log = lines.suffix(Self.logLimit)
        case (.alerts, .success(let answer)): alerts = try answer.value.list("alerts")
        // Those who may not operate see no alerts.
        case (.alerts, .failure): alerts = []
        case (.command(let title), .success): outcome = (title, false)
        case (.command, .failure(let error)): outcome = (TerminalSafe.escaped(error.sentence), true)
        case (.description, _), (.history, _): break
        }
        return []
    }

    /// Called each second. On a virtual clock nothing says that it has advanced, so the status is requested.
    mutating func tick(seconds: Int) -> [TopRequest] {
        guard outage == nil else { return [] }
        let alerts =
            seconds.isMultiple(of: 5)
            ? [TopRequest(request: Request(.alerts), purpose: .alerts)] : []
        guard isVirtual, let selectedName else { return alerts }
        return alerts + askStatus(of: selectedName)
    }

    private mutating func askStatus(of name: String) -> [TopRequest] {
        guard askedNames.insert(name).inserted else {
            dueNames.insert(name)
            return []
        }
        return [
            TopRequest(
                request: Request(.status, [Member("session", .string(name))]),
                purpose: .status(name))
        ]
    }

    private mutating func askAgain(_ name: String) -> [TopRequest] {
        dueNames.remove(name) == nil ? [] : askStatus(of: name)
    }

    /// Selects a session, and asks for its events and its log.
    private mutating func select(_ name: String?) -> [TopRequest] {
        (selectedName, events, log) = (name, [], [])
        guard let name else { return [] }
        let params = [Member("session", .string(name)), Member("limit", .int(Self.logLimit))]
        return [
            describe(name),
            TopRequest(request: Request(.history, params), purpose: .history(of: name)),
        ]
    }

    /// Removes a session that was closed. If it was selected, selects the first of the others.
    private mutating func remove(_ name: String) -> [TopRequest] {
        sessions[name] = nil
        return name == selectedName ? select(names.first) : []
    }

    private func describe(_ name: String) -> TopRequest {
        TopRequest(
            request: Request(.describe, [Member("session", .string(name))]),
            purpose: .description(of: name))
    }

    // MARK: keys

    mutating func press(_ key: TopKey) -> [TopRequest] {
        if let prompt { return press(key, in: prompt) }
        outcome = ("", false)
        switch key {
        case .interrupt, .escape: isDone = true
        case .up: return select(by: -1)
        case .down: return select(by: 1)
        case .enter, .backspace: break
        case .character(let character): return press(character)
        }
        return []
    }

    private mutating func select(by offset: Int) -> [TopRequest] {
        let names = names
        guard let name = selectedName, let index = names.firstIndex(of: name),
            names.indices.contains(index + offset)
        else { return [] }
        return select(names[index + offset])
    }

    private mutating func press(_ character: Character) -> [TopRequest] {
        if let event = acceptedEvents.first(where: { $0.key == character })?.event {
            return begin(event, typed: [])
        }
        if character == "q" || character == "Q" { isDone = true }
        if character == "A" { return acknowledge() }
        guard let session = selected else { return [] }
        switch character {
        case "U": return [command("undone", .undo, [Member("entry", .int(session.entry))])]
        case "P":
            let action = session.isPaused ? "resume" : "pause"
            return [
                command(
                    "\(action)d", .timer,
                    [Member("fires", .string("*")), Member("action", .string(action))])
            ]
        case "M":
            prompt = TopPrompt(subject: .message, session: session.name, entry: session.entry)
        default: break
        }
        return []
    }

    /// A command about the selected session. `title` is shown when it was carried out.
    private func command(_ title: String, _ method: Method, _ params: [Member]) -> TopRequest {
        let session = Member("session", .string(prompt?.session ?? selectedName ?? ""))
        return TopRequest(request: Request(method, [session] + params), purpose: .command(title))
    }

    /// Acknowledges the oldest alert that is not acknowledged.
    private func acknowledge() -> [TopRequest] {
        guard
            let alert = alerts.first(where: { $0.find("acked") != .bool(true) }),
            let id = alert.find("id")
        else { return [] }
        let params = [Member("action", .string("ack")), Member("id", id)]
        return [
            TopRequest(request: Request(.alerts, params), purpose: .command("acknowledged")),
            TopRequest(request: Request(.alerts), purpose: .alerts),
        ]
    }

    /// Asks for what is missing to send the event, or sends it.
    private mutating func begin(_ event: TopEvent, typed: [String]) -> [TopRequest] {
        guard let session = selected else { return [] }
        let (name, entry) = (prompt?.session ?? session.name, prompt?.entry ?? session.entry)
        if typed.count < event.arguments.count {
            prompt = TopPrompt(
                subject: .argument(event, typed: typed), session: name, entry: entry)
            return []
        }
        if event.asks {
            prompt = TopPrompt(
                subject: .confirmation(event, typed: typed), session: name, entry: entry)
            return []
        }
        return send(event, typed, name, entry)
    }

    private mutating func send(
        _ event: TopEvent, _ typed: [String], _ session: String, _ entry: Int
    ) -> [TopRequest] {
        prompt = nil
        do throws(CommandError) {
            let words = try Request(words: ["send", event.name] + typed, session: session)
            let params =
                words.words?.params { name in event.arguments.first { $0.name == name }?.type }
                ?? words.params
            let request = Request(.send, params + [Member("entry", .int(entry))])
            return [TopRequest(request: request, purpose: .command("\(event.title): done"))]
        } catch {
            outcome = (error.lines.joined(separator: " "), true)
            return []
        }
    }

    private mutating func press(_ key: TopKey, in prompt: TopPrompt) -> [TopRequest] {
        switch (key, prompt.subject) {
        case (.escape, _), (.interrupt, _): self.prompt = nil
        case (.up, _), (.down, _): break
        case (.backspace, _): self.prompt?.text = String(prompt.text.dropLast())
        case (.character(let answer), .confirmation(let event, let typed)):
            if answer == "y" || answer == "Y" {
                return send(event, typed, prompt.session, prompt.entry)
            }
            self.prompt = nil
        case (.enter, .confirmation): break
        case (.character(let character), _): self.prompt?.text.append(character)
        case (.enter, .argument(let event, let typed)):
            return begin(
                event, typed: typed + ["\(event.arguments[typed.count].name)=\(prompt.text)"])
        case (.enter, .message):
            let request = command("shown", .say, [Member("text", .string(prompt.text))])
            self.prompt = nil
            return [request]
        }
        return []
    }
}
