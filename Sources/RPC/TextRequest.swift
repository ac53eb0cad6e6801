public import GameFlow
public import JSONCoding
internal import Sessions

/// A request parsed from words: `VERB [@session] [key=value …] WORD … [key=value … | {json}]`. The daemon parses the lines of
/// the text dialect with this type, and gamectl its command line.
///
/// A `key=value` before the name of the event or state is a parameter of the method. After the name it is an argument of
/// the event or a datum of the state, and is collected. If no word of the method names an event or a state, a `key=value` with the
/// name of a parameter is this parameter wherever it stands.
public struct TextRequest: Equatable, Sendable {
    public let method: Method
    /// The parameters of the method.
    private var parameters: [Member] = []
    /// The arguments, data or labels, which become the members of one parameter.
    private var collectedValues: [CollectedValue] = []
    /// Whether a pair `key=value` that follows is collected.
    private var isCollecting = false
    /// Whether the user named the session, with a word or with an option of gamectl; false if the session is the default.
    private let namesSession: Bool

    /// An argument, a datum or a label. Its value may depend on its declared type.
    private struct CollectedValue: Equatable {
        let name: String
        let value: Value
        /// The word from which the value was read; nil for a member of an object.
        var word: TextWord?
    }

    /// The event or state that declares the types of the collected words.
    public enum Subject: Equatable, Sendable {
        /// An event of the flow that the session plays, by its name.
        case event(String, session: String)
        /// A state of the flow that the session plays, by its name.
        case state(String, session: String)
        /// A state, by its name, in which a session is to be opened. The state is of the flow with the name `flow`, or of the
        /// default flow if this is nil.
        case opening(String, flow: String?)
    }

    /// Parses the words. The first word is the verb. `defaultSession` is the name of the session if the words name none.
    public init(_ words: [TextWord], defaultSession: String = "main") throws(CallError) {
        guard let verb = words.first else { throw .parseError("no verb") }
        let shortAction = Self.shortActions.first { verb.text == $0.rawValue }
        guard let method = shortAction == nil ? Method(name: verb.text) : .timer else {
            throw .methodNotFound(verb.text)
        }
        self.method = method
        if let shortAction { parameters = [Member("action", shortAction.rawValue)] }
        // If the default session is not `main`, the user named it with an option of gamectl.
        let isNamedByOption = defaultSession != "main"
        namesSession =
            isNamedByOption
            || words.dropFirst().contains { $0.text.first == "@" || $0.key == "session" }
        // The parameters that the next positional words stand for.
        var positional = shortAction == nil ? method.words[...] : [.fires]
        isCollecting = collectsAllPairs
        for word in words.dropFirst() {
            if let object = word.object {
                try collect(object)
            } else if let key = word.key {
                if method == .timer, let duration = Self.durationParameter(of: String(key)) {
                    // `extend=2m` is `extend by=2m`.
                    try add(Member("action", .string(String(key))))
                    try add(Member(duration, .string(String(word.value))))
                } else {
                    try add(String(key), word)
                }
            } else if word.text.first == "@", !word.isQuoted, !isCollecting || collectsAllPairs {
                try add(Member("session", .string(String(word.text.dropFirst()))))
                if positional.first == .session {
                    positional.removeFirst()
                    isCollecting = method.collectingParameter != nil
                }
            } else if let parameter = positional.popFirst() {
                try add(parameter, word)
            } else if method == .timer, let action = text("action"),
                let duration = Self.durationParameter(of: action)
            {
                // `extend 2m` is `extend by=2m`.
                try add(Member(duration, .string(word.text)))
            } else if method == .say {
                // The message of `say` need not be quoted.
                extend("text", with: word)
            } else {
                throw .invalidParams("\(word.text): unexpected word" + hint(word.text))
            }
        }
        if shortAction != nil, parameters["fires"] == nil {
            parameters.append(Member("fires", TimerOperation.all))
        }
        if method.hasMainSession, parameters["session"] == nil {
            parameters.insert(Member("session", .string(defaultSession)), at: 0)
        }
    }

    /// The actions that are verbs of their own: `pause @room` is `timer @room * pause`, and `pause @room TIMER` names a timer.
    public static let shortActions = TimerOperation.Action.allCases.filter(\.mayApplyToAll)

    /// Whether each pair `key=value` is collected, wherever it stands, unless its key is a parameter of the method. True for a
    /// method that collects pairs and has no positional words, such as `label`.
    private var collectsAllPairs: Bool { method.collectingParameter != nil && method.words.isEmpty }

    /// Whether a positional word of the method names an event or a state. The pairs after that name are the arguments or the data,
    /// also those with the name of a parameter of the method.
    private var namesSubject: Bool {
        method.words.contains(.event) || method.words.contains(.state)
    }

    /// The parameters of the method. The collected values are the members of the method's collecting parameter. `type` returns
    /// the declared type of an argument or datum by its name, as in `Field.type`; nil if no type is declared. A word that is
    /// valid JSON is converted to its JSON value, unless the declared type is a string.
    public func params(_ type: (String) -> String? = { _ in nil }) -> [Member] {
        guard let collecting = method.collectingParameter, !collectedValues.isEmpty else {
            return parameters
        }
        let members = collectedValues.map { item in
            if method == .label, let word = item.word {
                return Member(item.name, .string(String(word.value)))
            }
            return Member(
                item.name,
                item.word?.jsonValue(wantsString: type(item.name) == String.type) ?? item.value)
        }
        return parameters + [Member(collecting.name.description, .object(members))]
    }

    /// The event or state that declares the types of the collected words; nil if no types are needed.
    public var subject: Subject? {
        // The hint for an unknown state after `open` needs the flow.
        let mayNeedHint = method == .open && isCollecting && (!namesSession || collectsFlow)
        let needsTypes = collectedValues.contains { item in
            guard item.word != nil else { return false }
            if case .string = item.value { return false }
            return true
        }
        guard mayNeedHint || needsTypes else { return nil }
        switch method {
        case .send: return text("event").map { .event($0, session: text("session") ?? "") }
        case .goto: return text("state").map { .state($0, session: text("session") ?? "") }
        case .open: return text("state").map { .opening($0, flow: text("flow")) }
        default: return nil
        }
    }

    private func text(_ name: String) -> String? {
        guard case .string(let text)? = parameters[name] else { return nil }
        return text
    }

    /// Whether a pair `flow=…` is a datum, because it follows the state.
    private var collectsFlow: Bool { collectedValues.contains { $0.name == "flow" } }

    /// A hint for a word after `open` that is not a state of the flow: the user may have written `flow=` after the state, or may have
    /// meant a session's name. Nil if the word is no valid name.
    public func hintForUnknownState(flow: String) -> String? {
        guard method == .open, isCollecting, let state = text("state"), SessionName(state) != nil
        else { return nil }
        let mistake = "\(state) is not a state of \(flow); "
        if collectsFlow { return mistake + "write flow= before the state" }
        return namesSession ? nil : mistake + "name a session with @\(state)"
    }

    /// The parameter with the duration of an action of `timer`; nil if the action has none.
    private static func durationParameter(of action: String) -> String? {
        switch action {
        case "extend", "shorten": "by"
        case "set": "to"
        default: nil
        }
    }

    /// A hint at what an unexpected word may mean.
    private func hint(_ word: String) -> String {
        // `send room-1 begin`: the first word was read as the event, and is probably a session.
        if method == .send || method == .goto, !namesSession,
            let first = text("event") ?? text("state"), SessionName(first) != nil
        {
            return "; name a session with @\(first)"
        }
        guard method.words.isEmpty, method.allParameters.contains(.session),
            SessionName(word) != nil
        else { return "" }
        return "; name a session with @\(word)"
    }

    /// Adds a positional word as the value of a parameter.
    private mutating func add(_ parameter: Parameter, _ word: TextWord) throws(CallError) {
        if method == .advance, word.text == "toNext" {
            return try add(Member("toNext", .bool(true)))
        }
        let value = parameter.kind == .integer ? word.jsonValue : .string(word.text)
        try add(Member(parameter.name.description, value))
        isCollecting = method.collectingParameter != nil
    }

    /// Adds the word `key=value` as a parameter, or collects it.
    private mutating func add(_ key: String, _ word: TextWord) throws(CallError) {
        let isParameter =
            !namesSubject && Parameter(key).map(method.allParameters.contains) ?? false
        if isCollecting, !isParameter {
            try collect(CollectedValue(name: key, value: word.jsonValue, word: word))
        } else {
            try add(Member(key, Self.value(word, as: Parameter(key)?.kind)))
        }
    }

    /// Appends a blank and the word to the text of a parameter that was added before.
    private mutating func extend(_ name: String, with word: TextWord) {
        guard let index = parameters.firstIndex(where: { $0.name == name }) else { return }
        parameters[index] = Member(
            name, .string("\(parameters[index].value.text ?? "") \(word.text)"))
    }

    /// Adds a parameter of the method.
    private mutating func add(_ member: Member) throws(CallError) {
        guard parameters[member.name] == nil else {
            throw .parseError("\(member.name) is given twice")
        }
        parameters.append(member)
    }

    /// Collects the members of the JSON object at the end of the request.
    private mutating func collect(_ members: [Member]) throws(CallError) {
        guard method.collectingParameter != nil, isCollecting else {
            throw .invalidParams("put the object after the event or the state")
        }
        for member in members {
            try collect(CollectedValue(name: member.name, value: member.value))
        }
    }

    private mutating func collect(_ item: CollectedValue) throws(CallError) {
        guard !collectedValues.contains(where: { $0.name == item.name }) else {
            throw .parseError("\(item.name) is given twice")
        }
        // The request may give single values or the whole object, as in `args={…}`, but not both.
        if let collecting = method.collectingParameter,
            parameters[collecting.name.description] != nil
        {
            throw .parseError("\(collecting.name) is given twice")
        }
        collectedValues.append(item)
    }

    /// The value of a word for a parameter of this kind. For `text`, the value is the word itself. For `texts`, the word is
    /// split at its commas. For any other kind, and for a nil kind, a word that is valid JSON is parsed. A word that is not
    /// JSON is taken as text.
    private static func value(_ word: TextWord, as kind: Parameter.Kind? = nil) -> Value {
        let text = String(word.value)
        switch kind {
        case .text: return .string(text)
        case .texts:
            return .array(
                text.split(separator: ",", omittingEmptySubsequences: false).map {
                    .string(String($0))
                })
        case .integer, .boolean, .object, .numberOrCursor, nil: break
        }
        return word.jsonValue
    }
}
