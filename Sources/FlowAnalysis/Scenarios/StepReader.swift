internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Reads one line of a scenario, already split into words. The parameter `form` of its functions shows how the line is
/// written correctly; an error for the line shows it as the hint. If a parameter `isLast` is true, no further word may follow.
struct StepReader {
    let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    static let verbs =
        ["scenario", "flow", "open", "send", "refuse", "after", "expect"]
        + TimerOperation.Action.allCases.map(\.rawValue) + ["goto", "undo", "label", "say"]

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

    /// The flow with the settings of a line `set NAME=VALUE …`, which follows the line `flow`. (A line `set TIMER 30s` is a
    /// step, which `read` reads.)
    static func flow(_ flow: AnyFlow, settings words: [TextWord]) throws(StepError) -> AnyFlow {
        let form = "set NAME=VALUE"
        guard words.count > 1 else { throw StepError(words[0].end, "no setting", form) }
        var changed = flow
        for word in words.dropFirst() {
            guard let key = word.key else {
                throw StepError(word.offset, "unexpected word: \(word.text)", form)
            }
            let names = flow.settings.map(\.name)
            guard names.contains(String(key)) else {
                throw .notOf(flow.name, "setting", String(key), at: word.offset, of: names)
            }
            let member = Member(String(key), String(word.value))
            do throws(Reason) { changed = try changed.with(settings: [member]) } catch {
                throw StepError(word.offset, "not a value of \(key)", error.why)
            }
        }
        return changed
    }

    func read(_ words: [TextWord]) throws(StepError) -> Scenario.Instruction {
        let operands = StepWords(words)
        let verb = try Self.verb(words)
        if let action = TimerOperation.Action(rawValue: verb) {
            return try operate(action, operands)
        }
        switch verb {
        case "open": return try open(operands)
        case "send":
            let event = try self.event(operands)
            let arguments = try operands.members(from: 1, parameters(of: event))
            try check(arguments: arguments, of: event, operands)
            return .send(event, arguments)
        case "refuse": return try refuse(operands)
        case "after": return .after(try operands.duration(0, of: "after 30s", isLast: true))
        case "goto":
            let name = try state(operands, 0, of: "goto STATE")
            return .goto(name, try data(of: name, operands, from: 1))
        case "undo":
            try operands.expectEnd(after: -1, of: "undo")
            return .undo
        case "label": return .label(try labels(operands))
        case "say": return try say(operands)
        default: return .expect(try expectation(operands))
        }
    }

    /// The labels of a `label` line. Each value is a text: in `round=1` it is the text `1`, not an integer.
    private func labels(_ words: StepWords) throws(StepError) -> [Member] {
        guard words.count > 0 else { throw StepError(words.end, "no label", "label NAME=VALUE") }
        var labels: [Member] = []
        for word in words.all {
            guard let key = word.key else {
                throw StepError(word.offset, "unexpected word: \(word.text)", "label NAME=VALUE")
            }
            let value = String(word.value)
            guard NoteLimits.isLabelName(String(key)) else {
                throw StepError(word.offset, "not a label: \(key)", NoteLimits.labelNameRule)
            }
            guard value.unicodeScalars.count <= NoteLimits.labelLength else {
                throw StepError(word.offset, "too long", NoteLimits.labelValueRule)
            }
            labels.append(Member(String(key), value))
        }
        return labels
    }

    /// A `say` line: the words of the message, and for how long it is shown.
    private func say(_ words: StepWords) throws(StepError) -> Scenario.Instruction {
        let form = "say TEXT [for=30s]"
        guard let last = words.all.last else { throw StepError(words.end, "no text", form) }
        guard last.key == "for" else { return .say(try message(words, from: 0, form), for: nil) }
        guard let length = DurationText.read(String(last.value)) else {
            throw StepError(
                last.offset, "not a duration: \(last.value)", "such as 250ms, 30s, 5m or 1h30m")
        }
        return .say(try message(words.dropLast(1), from: 0, form), for: length)
    }

    /// The message that consists of the words from `index` on.
    private func message(_ words: StepWords, from index: Int, _ form: String) throws(StepError)
        -> String
    {
        guard let first = words[index] else { throw StepError(words.end, "no text", form) }
        let text = words.all.dropFirst(index).map(\.text).joined(separator: " ")
        guard text.isEmpty || NoteLimits.messageLength ~= text.unicodeScalars.count else {
            throw StepError(first.offset, "the message is too long", NoteLimits.messageRule)
        }
        return text
    }

    private func operate(_ action: TimerOperation.Action, _ words: StepWords) throws(StepError)
        -> Scenario.Instruction
    {
        guard action.needsDuration else {
            let fires = try signal(words, of: "\(action.rawValue) TIMER")
            return .operate(TimerOperation(fires, action))
        }
        let form = "\(action.rawValue) TIMER 30s"
        let fires = try signal(words, of: form, isLast: false)
        let by = try words.duration(1, of: form, isLast: true)
        return .operate(TimerOperation(fires, action, by: by))
    }

    private func open(_ words: StepWords) throws(StepError) -> Scenario.Instruction {
        let stateName = words.all.first { $0.key == "state" }.map { String($0.value) }
        var data = try words.members(from: 1, stateName.map(flow.data(of:)) ?? [])
        guard let stateMember = data.first(where: { $0.name == "state" }) else {
            if let word = words[1] {
                throw StepError(word.offset, "data without a state", "open FLOW state=NAME …")
            }
            return .open(state: nil, data: [])
        }
        data.removeAll { $0.name == "state" }
        let word = words.all.first { $0.key == "state" }
        guard case .string(let state) = stateMember.value, flow.stateNames.contains(state) else {
            throw .unknown(
                "state", word.map { String($0.value) } ?? "", at: word?.offset ?? 0,
                of: flow.stateNames)
        }
        try check(data: data, of: state, words)
        return .open(state: state, data: data)
    }

    private func refuse(_ words: StepWords) throws(StepError) -> Scenario.Instruction {
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
        let eventWords = words.dropLast(2)
        if eventWords[0]?.text == "everything" {
            if let but = eventWords[1], but.text != "but" {
                throw StepError(but.offset, "expected 'but'", "refuse everything but A, B with …")
            }
            let names = eventWords.names(from: 2)
            for (name, offset) in names { try check(event: name, at: offset) }
            return .refuseOthers(than: names.map(\.name), reason: last.text)
        }
        guard let event = eventWords[0] else { throw StepError(words.end, "no event", form) }
        if last.text != "unknownEvent", last.text != "forbidden" {
            try check(event: event.text, at: event.offset)
        }
        let arguments = try eventWords.members(from: 1, parameters(of: event.text))
        // Unknown arguments may be the reason for `invalid`.
        if flow.events.contains(where: { $0.name == event.text }), last.text != "invalid" {
            try check(arguments: arguments, of: event.text, eventWords)
        }
        return .refuse(event.text, arguments, reason: last.text)
    }

    // MARK: names

    /// The data for a state, from the word `index` on. Throws if the state does not have a datum that a word names.
    func data(of state: String, _ words: StepWords, from index: Int) throws(StepError) -> [Member] {
        let data = try words.members(from: index, flow.data(of: state))
        try check(data: data, of: state, words)
        return data
    }

    private func check(data: [Member], of state: String, _ words: StepWords) throws(StepError) {
        try check(data, flow.data(of: state).map(\.name), "datum", of: state, words)
    }

    private func check(arguments: [Member], of event: String, _ words: StepWords) throws(StepError)
    {
        try check(arguments, parameters(of: event).map(\.name), "argument", of: event, words)
    }

    private func parameters(of event: String) -> [Field] {
        flow.events.first { $0.name == event }?.parameters ?? []
    }

    private func check(
        _ members: [Member], _ names: [String], _ kind: String, of owner: String, _ words: StepWords
    ) throws(StepError) {
        guard let unexpected = members.first(where: { !names.contains($0.name) }) else { return }
        let word = words.all.first {
            $0.key.map(String.init) == unexpected.name || $0.object != nil
        }
        throw .notOf(owner, kind, unexpected.name, at: word?.offset ?? 0, of: names)
    }

    private func event(_ words: StepWords) throws(StepError) -> String {
        guard let word = words[0] else { throw StepError(words.end, "no event", "send EVENT …") }
        try check(event: word.text, at: word.offset)
        return word.text
    }

    func check(event: String, at offset: Int) throws(StepError) {
        let names = flow.events.map(\.name)
        guard !names.contains(event) else { return }
        if flow.signals.contains(event) {
            throw StepError(
                offset, "\(event) is a timer's signal", "wait until the timer fires: after …")
        }
        throw .unknown("event", event, at: offset, of: names)
    }

    /// The state that a word names; `others` are keywords to suggest for a misspelling.
    func state(_ words: StepWords, _ index: Int, of form: String, or others: [String] = [])
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no state", form) }
        guard flow.stateNames.contains(word.text) else {
            let question = DidYouMean.question(word.text, flow.stateNames + others)
            let all = "states are \(flow.stateNames.joined(separator: ", "))"
            throw StepError(word.offset, "no state \(word.text)", question ?? all)
        }
        return word.text
    }

    func signal(_ words: StepWords, _ index: Int = 0, of form: String, isLast: Bool = true)
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no timer", form) }
        guard flow.signals.contains(word.text) else {
            throw .unknown("timer", word.text, at: word.offset, of: flow.signals)
        }
        if isLast { try words.expectEnd(after: index, of: form) }
        return word.text
    }
}

/// Reads `expect` lines.
extension StepReader {
    func expectation(_ words: StepWords) throws(StepError) -> Scenario.Expectation {
        switch words[0]?.text {
        case "timer": return try timer(words)
        case "no":
            if words[1]?.text == "effects" {
                try words.expectEnd(after: 1, of: "expect no effects")
                return .effects([])
            }
            guard words[1]?.text == "timer" else {
                throw StepError(
                    words[1]?.offset ?? words.end, "expected 'timer' or 'effects'",
                    "expect no timer NAME, or expect no effects")
            }
            return .noTimer(try signal(words, 2, of: "expect no timer NAME"))
        case "effects":
            let names = words.names(from: 1).map(\.name)
            guard !names.isEmpty else {
                throw StepError(words.end, "no effect", "expect effects A, B, or expect no effects")
            }
            return .effects(names)
        case "effect":
            guard let name = words[1] else {
                throw StepError(words.end, "no effect", "expect effect NAME key=value")
            }
            return .effect(name.text, try words.members(from: 2))
        case "deferred":
            guard let word = words[1], let count = Int(word.text), count >= 0 else {
                throw StepError(
                    words[1]?.offset ?? words.end, "expected a number", "expect deferred 1")
            }
            try words.expectEnd(after: 1, of: "expect deferred 1")
            return .deferred(count)
        case "accepts":
            let names = words.names(from: 1)
            for (name, offset) in names { try check(event: name, at: offset) }
            return .accepts(names.map(\.name))
        case "label":
            let form = "expect label NAME VALUE"
            guard let name = words[1], let value = words[2] else {
                throw StepError(words.end, words.count < 2 ? "no label" : "no value", form)
            }
            guard NoteLimits.isLabelName(name.text) else {
                throw StepError(name.offset, "not a label: \(name.text)", NoteLimits.labelNameRule)
            }
            try words.expectEnd(after: 2, of: form)
            return .label(name.text, value.text.isEmpty ? nil : value.text)
        case "said":
            let text = try message(words, from: 1, "expect said TEXT")
            return .said(text.isEmpty ? nil : text)
        case "state":
            let name = try state(words, 1, of: "expect state NAME")
            return .state(name, data: try data(of: name, words, from: 2))
        default:
            let name = try state(
                words, 0, of: "expect STATE …",
                or: [
                    "timer", "effects", "effect", "deferred", "accepts", "label", "said", "state",
                ])
            return .state(name, data: try data(of: name, words, from: 1))
        }
    }

    private func timer(_ words: StepWords) throws(StepError) -> Scenario.Expectation {
        let form = "expect timer NAME 30s [paused]"
        let name = try signal(words, 1, of: form, isLast: false)
        let left = try words.duration(2, of: form)
        guard let last = words[3] else { return .timer(name, left: left, isPaused: false) }
        guard last.text == "paused" else { throw StepError(last.offset, "expected 'paused'", form) }
        try words.expectEnd(after: 3, of: form)
        return .timer(name, left: left, isPaused: true)
    }
}

/// The words after a line's verb. The first of them has the index 0.
struct StepWords {
    let all: ArraySlice<TextWord>
    /// The offset of the line's end, for errors about missing words.
    let end: Int

    init(_ words: [TextWord]) {
        all = words.dropFirst()
        end = words.last?.end ?? 0
    }

    private init(_ all: ArraySlice<TextWord>, _ end: Int) { (self.all, self.end) = (all, end) }

    var count: Int { all.count }

    subscript(_ index: Int) -> TextWord? {
        0..<all.count ~= index ? all[all.startIndex + index] : nil
    }

    func dropLast(_ count: Int) -> StepWords { StepWords(all.dropLast(count), end) }

    /// Throws if there is a word after the index; -1 means that no word is allowed.
    func expectEnd(after index: Int, of form: String) throws(StepError) {
        if let unexpected = self[index + 1] {
            throw StepError(unexpected.offset, "unexpected word", form)
        }
    }

    func duration(_ index: Int, of form: String, isLast: Bool = false) throws(StepError)
        -> Duration
    {
        guard let word = self[index] else { throw StepError(end, "no duration", form) }
        guard let duration = DurationText.read(word.text) else {
            throw StepError(
                word.offset, "not a duration: \(word.text)", "such as 250ms, 30s, 5m or 1h30m")
        }
        if isLast { try expectEnd(after: index, of: form) }
        return duration
    }

    /// Names separated by commas or spaces.
    func names(from index: Int) -> [(name: String, offset: Int)] {
        all.dropFirst(index).flatMap { word in
            word.text.split(separator: ",").map { (String($0), word.offset) }
        }
    }

    /// The members that the words give as `key=value` or as an object, from the word `index` on. If `fields` has a field with
    /// the name of the key, its type tells whether the value is a text.
    func members(from index: Int, _ fields: [Field] = []) throws(StepError) -> [Member] {
        var members: [Member] = []
        for word in all.dropFirst(index) {
            let wordMembers: [Member]
            if let object = word.object {
                wordMembers = object
            } else if let key = word.key {
                let type = fields.first { $0.name == key }?.type
                let value = word.jsonValue(wantsString: type == String.type)
                wordMembers = [Member(String(key), value)]
            } else {
                throw StepError(word.offset, "unexpected word: \(word.text)", "expected key=value")
            }
            for member in wordMembers {
                guard members[member.name] == nil else {
                    throw StepError(
                        word.offset, "duplicate member \(member.name)", "remove one of them")
                }
                members.append(member)
            }
        }
        return members
    }
}
