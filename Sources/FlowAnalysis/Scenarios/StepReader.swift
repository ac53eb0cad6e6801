internal import GameFlow
internal import JSON
internal import Sessions
internal import Support
internal import Timers

/// Reads one line of a scenario, its words split already.
struct StepReader {
    let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    static let verbs =
        ["scenario", "flow", "open", "send", "refuse", "after", "expect"]
        + TimerOperation.Action.allCases.map(\.rawValue) + ["goto"]

    static func verb(_ words: [TextWord]) throws(StepError) -> String {
        let verb = words[0].text
        guard verbs.contains(verb) else {
            throw .unknown("step", verb, at: words[0].offset, of: verbs)
        }
        return verb
    }

    /// The flow that the second word names.
    static func flow(_ words: [TextWord], _ flows: [AnyFlow]) throws(StepError) -> AnyFlow {
        guard words.count > 1 else { throw StepError(words[0].end, "no flow", "flow NAME") }
        guard let flow = flows.first(where: { $0.name == words[1].text }) else {
            throw .unknown("flow", words[1].text, at: words[1].offset, of: flows.map(\.name))
        }
        return flow
    }

    func read(_ words: [TextWord]) throws(StepError) -> Scenario.Step {
        let rest = Words(words)
        let verb = try Self.verb(words)
        if let action = TimerOperation.Action(rawValue: verb) { return try operate(action, rest) }
        switch verb {
        case "open": return try open(rest)
        case "send":
            let event = try self.event(rest)
            let arguments = try rest.members(after: 1, parameters(of: event))
            try check(arguments: arguments, of: event, rest)
            return .send(event, arguments)
        case "refuse": return try refuse(rest)
        case "after": return .after(try rest.interval(0, of: "after 30s", isLast: true))
        case "goto":
            let name = try state(rest, 0, of: "goto STATE")
            return .goto(name, try data(of: name, rest, after: 1))
        default: return .expect(try expectation(rest))
        }
    }

    private func operate(_ action: TimerOperation.Action, _ words: Words) throws(StepError)
        -> Scenario.Step
    {
        guard action.needsDuration else {
            let fires = try signal(words, of: "\(action.rawValue) TIMER")
            return .operate(TimerOperation(fires, action))
        }
        let form = "\(action.rawValue) TIMER 30s"
        let fires = try signal(words, of: form, isLast: false)
        let by = try words.interval(1, of: form, isLast: true)
        return .operate(TimerOperation(fires, action, by: by))
    }

    private func open(_ words: Words) throws(StepError) -> Scenario.Step {
        let opened = words.all.first { $0.key == "state" }.map { String($0.value) }
        var data = try words.members(after: 1, opened.map(flow.data(of:)) ?? [])
        guard let named = data.first(where: { $0.name == "state" }) else {
            if let word = words[1] {
                throw StepError(word.offset, "data without a state", "open FLOW state=NAME …")
            }
            return .open(state: nil, data: [])
        }
        data.removeAll { $0.name == "state" }
        let word = words.all.first { $0.key == "state" }
        guard case .string(let state) = named.value, flow.stateNames.contains(state) else {
            throw .unknown(
                "state", word.map { String($0.value) } ?? "", at: word?.offset ?? 0,
                of: flow.stateNames)
        }
        try check(data: data, of: state, words)
        return .open(state: state, data: data)
    }

    private func refuse(_ words: Words) throws(StepError) -> Scenario.Step {
        let form = "refuse EVENT … with REASON"
        guard words.count >= 3, words[words.count - 2]?.text == "with",
            let last = words[words.count - 1]
        else {
            let reasons = Reason.names.joined(separator: ", ")
            throw StepError(words.end, "no reason", "\(form), one of \(reasons)")
        }
        guard Reason.names.contains(last.text) else {
            throw .unknown("reason", last.text, at: last.offset, of: Reason.names)
        }
        let asked = words.dropLast(2)
        if asked[0]?.text == "everything" {
            if let but = asked[1], but.text != "but" {
                throw StepError(but.offset, "expected 'but'", "refuse everything but A, B with …")
            }
            let names = asked.names(from: 2)
            for (name, offset) in names { try check(event: name, at: offset) }
            return .refuseOthers(than: names.map(\.name), reason: last.text)
        }
        guard let event = asked[0] else { throw StepError(words.end, "no event", form) }
        if last.text != "unknownEvent", last.text != "forbidden" {
            try check(event: event.text, at: event.offset)
        }
        let arguments = try asked.members(after: 1, parameters(of: event.text))
        // Arguments that are not its own are what `invalid` may be about.
        if flow.events.contains(where: { $0.name == event.text }), last.text != "invalid" {
            try check(arguments: arguments, of: event.text, asked)
        }
        return .refuse(event.text, arguments, reason: last.text)
    }

    // MARK: names

    /// The data that a state is to have, each of them one that it can have.
    func data(of state: String, _ words: Words, after index: Int) throws(StepError) -> [Member] {
        let data = try words.members(after: index, flow.data(of: state))
        try check(data: data, of: state, words)
        return data
    }

    private func check(data: [Member], of state: String, _ words: Words) throws(StepError) {
        try check(data, flow.data(of: state).map(\.name), "datum", of: state, words)
    }

    private func check(arguments: [Member], of event: String, _ words: Words) throws(StepError) {
        try check(arguments, parameters(of: event).map(\.name), "argument", of: event, words)
    }

    private func parameters(of event: String) -> [Field] {
        flow.events.first { $0.name == event }?.parameters ?? []
    }

    private func check(
        _ members: [Member], _ names: [String], _ kind: String, of owner: String, _ words: Words
    ) throws(StepError) {
        guard let odd = members.first(where: { !names.contains($0.name) }) else { return }
        let word = words.all.first { $0.key.map(String.init) == odd.name || $0.object != nil }
        let hint = names.isEmpty ? "it has none" : DidYouMean.hint(odd.name, names)
        throw StepError(word?.offset ?? 0, "\(owner) has no \(kind) \(odd.name)", hint)
    }

    private func event(_ words: Words) throws(StepError) -> String {
        guard let word = words[0] else { throw StepError(words.end, "no event", "send EVENT …") }
        try check(event: word.text, at: word.offset)
        return word.text
    }

    func check(event: String, at offset: Int) throws(StepError) {
        let names = flow.events.map(\.name)
        guard !names.contains(event) else { return }
        if flow.signals.contains(event) {
            throw StepError(
                offset, "\(event) is a timer's signal", "let time go on until it fires: after …")
        }
        throw .unknown("event", event, at: offset, of: names)
    }

    /// The state that a word names; `others` are words that may have been meant in its place.
    func state(_ words: Words, _ index: Int, of form: String, or others: [String] = [])
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no state", form) }
        guard flow.stateNames.contains(word.text) else {
            let question = DidYouMean.question(word.text, flow.stateNames + others)
            let all = "there is \(flow.stateNames.joined(separator: ", "))"
            throw StepError(word.offset, "no state \(word.text)", question ?? all)
        }
        return word.text
    }

    func signal(_ words: Words, _ index: Int = 0, of form: String, isLast: Bool = true)
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no timer", form) }
        guard flow.signals.contains(word.text) else {
            throw .unknown("timer", word.text, at: word.offset, of: flow.signals)
        }
        if isLast { try words.end(after: index, of: form) }
        return word.text
    }
}
