internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Reads one line of a scenario, which is already split into words. The functions have two common parameters. `form` is the
/// correct form of the line, such as `goto STATE`, and is the hint of errors. If `isLast` is true, no further word may follow.
struct StepReader {
    let flow: AnyFlow

    init(_ flow: AnyFlow) { self.flow = flow }

    /// The first words that a line can have.
    static let verbs =
        ["scenario", "flow", "open", "send", "refuse", "after", "expect"]
        + TimerOperation.Action.allCases.map(\.rawValue) + [
            "goto", "undo", "label", "say", "seed", "zone",
        ]

    /// The first word of a line; throws if it is not a verb.
    static func verb(_ words: [TextWord]) throws(StepError) -> String {
        let verb = words[0].text
        guard verbs.contains(verb) else {
            throw .unknown("step", verb, at: words[0].offset, among: verbs)
        }
        return verb
    }

    /// The one of `flows` that the second word of a line names.
    static func flow(_ words: [TextWord], _ flows: [AnyFlow]) throws(StepError) -> AnyFlow {
        guard words.count > 1 else { throw StepError(words[0].end, "no flow", "flow NAME") }
        guard let flow = flows.first(where: { $0.name == words[1].text }) else {
            throw .unknown("flow", words[1].text, at: words[1].offset, among: flows.map(\.name))
        }
        return flow
    }

    /// The flow with the settings of a line `set NAME=VALUE …`, which follows the line `flow`. (A line `set TIMER 30s` is a
    /// step, and `read` reads it.)
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
                throw .unknownPart(
                    of: flow.name, "setting", String(key), at: word.offset, among: names)
            }
            let member = Member(String(key), String(word.value))
            do throws(Reason) { changed = try changed.with(settings: [member]) } catch {
                throw StepError(word.offset, "not a value of \(key)", error.why)
            }
        }
        return changed
    }

    /// Reads a line that is a step: any line but `scenario`, `flow` and `set NAME=VALUE`.
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
        case "after": return .after(try operands.duration(0, form: "after 30s", isLast: true))
        case "goto":
            let name = try state(operands, 0, form: "goto STATE")
            return .goto(name, try data(of: name, operands, from: 1))
        case "undo":
            return .undo(try clocks(operands))
        case "label": return .label(try labels(operands))
        case "say": return try say(operands)
        default: return .expect(try expectation(operands))
        }
    }

    /// The word `clocks=still` or `clocks=run` of an `undo` line, if it is there.
    private func clocks(_ words: StepWords) throws(StepError) -> UndoClocks {
        let form = "undo [clocks=run]"
        guard let word = words.all.first, word.key == "clocks" else {
            try words.expectEnd(at: 0, form: form)
            return .still
        }
        try words.expectEnd(at: 1, form: form)
        guard let clocks = UndoClocks(rawValue: String(word.value)) else {
            throw StepError(word.offset, "neither still nor run", form)
        }
        return clocks
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
        guard let duration = DurationText.read(String(last.value)) else {
            throw .noDuration(String(last.value), at: last.offset)
        }
        return .say(try message(words.dropLast(1), from: 0, form), for: duration)
    }

    /// The message that consists of the words from `index` on. An empty text (`""`) is allowed: it removes the message that is
    /// shown.
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

    /// A line that operates a timer, such as `pause TIMER` or `extend TIMER 30s`.
    private func operate(_ action: TimerOperation.Action, _ words: StepWords) throws(StepError)
        -> Scenario.Instruction
    {
        guard action.needsDuration else {
            let form = "\(action.rawValue) TIMER"
            if action.mayApplyToAll, words[0]?.text == TimerOperation.all {
                try words.expectEnd(at: 1, form: form)
                return .operate(TimerOperation(TimerOperation.all, action))
            }
            let fires = try signal(words, form: form)
            return .operate(TimerOperation(fires, action))
        }
        let form = "\(action.rawValue) TIMER 30s"
        let fires = try signal(words, form: form, isLast: false)
        let duration = try words.duration(1, form: form, isLast: true)
        return .operate(TimerOperation(fires, action, by: duration))
    }

    /// A line `open FLOW` or `open FLOW state=NAME …`. The state and its data can also be members of one object.
    private func open(_ words: StepWords) throws(StepError) -> Scenario.Instruction {
        let stateWord = words.all.first { $0.key == "state" }
        let fields = stateWord.map { flow.data(of: String($0.value)) } ?? []
        var data = try words.members(from: 1, fields)
        guard let stateMember = data.first(where: { $0.name == "state" }) else {
            if let word = words[1] {
                throw StepError(word.offset, "data without a state", "open FLOW state=NAME …")
            }
            return .open(state: nil, data: [])
        }
        data.removeAll { $0.name == "state" }
        guard case .string(let state) = stateMember.value, flow.stateNames.contains(state) else {
            throw .unknown(
                "state", stateWord.map { String($0.value) } ?? "", at: stateWord?.offset ?? 0,
                among: flow.stateNames)
        }
        data = data.namingDurations(in: flow.data(of: state)) ?? data
        try check(data: data, of: state, words)
        return .open(state: state, data: data)
    }

    /// A line `refuse EVENT … with REASON` or `refuse everything but A, B with REASON`.
    private func refuse(_ words: StepWords) throws(StepError) -> Scenario.Instruction {
        let form = "refuse EVENT … with REASON"
        guard words.count >= 3, words[words.count - 2]?.text == "with",
            let last = words[words.count - 1]
        else {
            let reasons = Reason.names.joined(separator: ", ")
            throw StepError(words.end, "no reason", "\(form), one of \(reasons)")
        }
        guard Reason.names.contains(last.text) else {
            throw .unknown("reason", last.text, at: last.offset, among: Reason.names)
        }
        let eventWords = words.dropLast(2)  // without `with REASON`
        if eventWords[0]?.text == "everything" {
            if let word = eventWords[1], word.text != "but" {
                throw StepError(word.offset, "expected 'but'", "refuse everything but A, B with …")
            }
            let names = eventWords.names(from: 2)
            for (name, offset) in names { try check(event: name, at: offset) }
            return .refuseOthers(than: names.map(\.name), reason: last.text)
        }
        guard let event = eventWords[0] else { throw StepError(words.end, "no event", form) }
        // With `unknownEvent`, the flow need not have the event. With `forbidden`, the event may be a timer's signal, which
        // clients may not send.
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

    /// Throws if one of `data` does not belong to the state.
    private func check(data: [Member], of state: String, _ words: StepWords) throws(StepError) {
        try check(data, flow.data(of: state).map(\.name), "datum", of: state, words)
    }

    /// Throws if one of `arguments` does not belong to the event.
    private func check(arguments: [Member], of event: String, _ words: StepWords) throws(StepError)
    {
        try check(arguments, parameters(of: event).map(\.name), "argument", of: event, words)
    }

    private func parameters(of event: String) -> [Field] {
        flow.events.first { $0.name == event }?.parameters ?? []
    }

    /// Throws if a member's name is not in `names`. `owner` is a state or an event, `names` are the names of its data or
    /// parameters, and `kind` is `datum` or `argument`.
    private func check(
        _ members: [Member], _ names: [String], _ kind: String, of owner: String, _ words: StepWords
    ) throws(StepError) {
        guard let unexpected = members.first(where: { !names.contains($0.name) }) else { return }
        // The word with the member: `key=value`, or the object.
        let word = words.all.first {
            $0.key.map(String.init) == unexpected.name || $0.object != nil
        }
        throw .unknownPart(of: owner, kind, unexpected.name, at: word?.offset ?? 0, among: names)
    }

    /// The event of a `send` line.
    private func event(_ words: StepWords) throws(StepError) -> String {
        guard let word = words[0] else { throw StepError(words.end, "no event", "send EVENT …") }
        try check(event: word.text, at: word.offset)
        return word.text
    }

    /// Throws if clients cannot send the event, because the flow has no such event or because the name belongs to a timer's
    /// signal.
    func check(event: String, at offset: Int) throws(StepError) {
        let names = flow.events.map(\.name)
        guard !names.contains(event) else { return }
        if flow.signals.contains(event) {
            throw StepError(
                offset, "\(event) is a timer's signal", "wait until the timer fires: after …")
        }
        throw .unknown("event", event, at: offset, among: names)
    }

    /// The state that the word at `index` names. `keywords` are the keywords that the form allows at `index`; they are also
    /// suggested for a misspelling.
    func state(_ words: StepWords, _ index: Int, form: String, orKeyword keywords: [String] = [])
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no state", form) }
        guard flow.stateNames.contains(word.text) else {
            let question = DidYouMean.question(word.text, flow.stateNames + keywords)
            let all = "states are \(flow.stateNames.joined(separator: ", "))"
            throw StepError(word.offset, "no state \(word.text)", question ?? all)
        }
        return word.text
    }

    /// The signal of a timer that the word at `index` names.
    func signal(_ words: StepWords, _ index: Int = 0, form: String, isLast: Bool = true)
        throws(StepError) -> String
    {
        guard let word = words[index] else { throw StepError(words.end, "no timer", form) }
        guard flow.signals.contains(word.text) else {
            throw .unknown("timer", word.text, at: word.offset, among: flow.signals)
        }
        if isLast { try words.expectEnd(at: index + 1, form: form) }
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
                try words.expectEnd(at: 2, form: "expect no effects")
                return .effects([])
            }
            guard words[1]?.text == "timer" else {
                throw StepError(
                    words[1]?.offset ?? words.end, "expected 'timer' or 'effects'",
                    "expect no timer NAME, or expect no effects")
            }
            return .noTimer(try signal(words, 2, form: "expect no timer NAME"))
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
            try words.expectEnd(at: 2, form: "expect deferred 1")
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
            try words.expectEnd(at: 3, form: form)
            return .label(name.text, value.text.isEmpty ? nil : value.text)
        case "said":
            let text = try message(words, from: 1, "expect said TEXT")
            return .said(text.isEmpty ? nil : text)
        case "state":
            let name = try state(words, 1, form: "expect state NAME")
            return .state(name, data: try data(of: name, words, from: 2))
        default:
            let name = try state(
                words, 0, form: "expect STATE …",
                orKeyword: [
                    "timer", "no", "effects", "effect", "deferred", "accepts", "label", "said",
                    "state",
                ])
            return .state(name, data: try data(of: name, words, from: 1))
        }
    }

    /// A line `expect timer NAME 30s [paused]`.
    private func timer(_ words: StepWords) throws(StepError) -> Scenario.Expectation {
        let form = "expect timer NAME 30s [paused]"
        let name = try signal(words, 1, form: form, isLast: false)
        let left = try words.duration(2, form: form, isSigned: true)
        guard let last = words[3] else { return .timer(name, left: left, isPaused: false) }
        guard last.text == "paused" else { throw StepError(last.offset, "expected 'paused'", form) }
        try words.expectEnd(at: 4, form: form)
        return .timer(name, left: left, isPaused: true)
    }
}

/// The words after a line's verb. The first of them has the index 0.
struct StepWords {
    let all: ArraySlice<TextWord>
    /// The offset of the line's end in bytes, for errors about missing words.
    let end: Int

    /// Creates the words of a line; the first of `words` is the verb.
    init(_ words: [TextWord]) {
        all = words.dropFirst()
        end = words.last?.end ?? 0
    }

    private init(_ all: ArraySlice<TextWord>, _ end: Int) { (self.all, self.end) = (all, end) }

    var count: Int { all.count }

    /// The word at an index; nil if the line has no word at this index.
    subscript(_ index: Int) -> TextWord? {
        0..<all.count ~= index ? all[all.startIndex + index] : nil
    }

    func dropLast(_ count: Int) -> StepWords { StepWords(all.dropLast(count), end) }

    /// Throws if there is a word at the index, at which the line must end.
    func expectEnd(at index: Int, form: String) throws(StepError) {
        if let unexpected = self[index] {
            throw StepError(unexpected.offset, "unexpected word", form)
        }
    }

    /// The duration that the word at `index` gives: `30s`.
    func duration(
        _ index: Int, form: String, isLast: Bool = false, isSigned: Bool = false
    ) throws(StepError) -> Duration {
        guard let word = self[index] else { throw StepError(end, "no duration", form) }
        let parse = isSigned ? DurationText.readSigned : DurationText.read
        guard let duration = parse(word.text) else {
            throw .noDuration(word.text, at: word.offset)
        }
        if isLast { try expectEnd(at: index + 1, form: form) }
        return duration
    }

    /// The names, separated by commas or spaces, in the words from `index` on, each with the offset of its word.
    func names(from index: Int) -> [(name: String, offset: Int)] {
        all.dropFirst(index).flatMap { word in
            word.text.split(separator: ",").map { (String($0), word.offset) }
        }
    }

    /// The value of a word for a field. An order of rows is written as JSON, or `none`. A set or list may be written as in a flow
    /// file, `none` or `[radio, chart]`, or as JSON. A tally may be `none`, or JSON.
    private static func value(_ value: Value, of field: Field?) -> Value {
        let type = field?.type
        if field?.hasIntegers == true {
            return value.text == "none" ? .array([]) : value
        }
        if type == [String].type, case .array(let values) = value {
            // `[451]` is valid JSON, but the entries of a set are texts.
            return .array(values.map { $0.text == nil ? .string("\($0)") : $0 })
        }
        guard let text = value.text else { return value }
        switch type {
        case "object" where text == "none": return .object([])
        case [String].type where text == "none": return .array([])
        case [String].type where text.hasPrefix("[") && text.hasSuffix("]"):
            let entries = text.dropFirst().dropLast().split(separator: ",")
            return .array(entries.map { .string(entry(String($0))) })
        default: return value
        }
    }

    /// An entry of a set, without the blanks and quotes around it.
    private static func entry(_ text: String) -> String {
        var text = String(text.drop { $0 == " " })
        while text.last == " " { text.removeLast() }
        for quote in ["'", "\""]
        where text.utf8.count > 1 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            return String(text.dropFirst().dropLast())
        }
        return text
    }

    /// The members that the words give as `key=value` or as an object, from the word `index` on. `fields` are the known data or
    /// parameters. If the key is the name of a field whose type is `string`, the value is a text: in `code=42` it is `"42"`.
    func members(from index: Int, _ fields: [Field] = []) throws(StepError) -> [Member] {
        var members: [Member] = []
        for word in all.dropFirst(index) {
            let wordMembers: [Member]
            if let object = word.object {
                wordMembers = object
            } else if let key = word.key {
                let field = fields.first { $0.name == key }
                let value = word.jsonValue(wantsString: field?.type == String.type)
                wordMembers = [Member(String(key), Self.value(value, of: field))]
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
        return members.namingDurations(in: fields) ?? members
    }
}
