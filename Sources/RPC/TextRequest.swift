public import GameFlow
public import JSONCoding
internal import Sessions

/// A request parsed from words: `VERB [@session] [key=value …] WORD … [key=value … | {json}]`.
///
/// A `key=value` before the name of the event or state is a parameter of the method; one after it
/// is collected as an argument of the event or data of the state.
public struct TextRequest: Equatable, Sendable {
    public let method: Method
    private var own: [Member] = []
    private var gathered: [Gathered] = []
    private var isGathering = false
    /// Whether the request names the session; false if it is the default.
    private let namesSession: Bool

    /// An argument or data member whose value may depend on its declared type.
    private struct Gathered: Equatable {
        let name: String
        let value: Value
        /// The word that it was read from; nil for a member of an object.
        var word: TextWord?
    }

    /// The declaration of the types of the collected words.
    public enum Subject: Equatable, Sendable {
        /// An event of the flow that the session plays.
        case event(String, session: String)
        /// A state of the flow that the session plays.
        case state(String, session: String)
        /// A state of the flow of that name, or of the default flow, in which a session is to be
        /// opened.
        case opening(String, flow: String?)
    }

    /// Parses the words; `main` is the session if the words name none.
    public init(_ words: [TextWord], main: String = "main") throws(CallError) {
        guard let verb = words.first else { throw .parseError("no verb") }
        guard let method = Method(name: verb.text) else { throw .methodNotFound(verb.text) }
        self.method = method
        // A client that passes another default has named the session.
        let isNamed = main != "main"
        namesSession =
            isNamed || words.dropFirst().contains { $0.text.first == "@" || $0.key == "session" }
        var bare = method.words[...]
        isGathering = gathersEverything
        for word in words.dropFirst() {
            if let object = word.object {
                try gather(object)
            } else if let key = word.key {
                try take(String(key), word)
            } else if word.text.first == "@", !word.isQuoted, !isGathering || gathersEverything {
                try add(Member("session", .string(String(word.text.dropFirst()))))
                if bare.first == .session {
                    bare.removeFirst()
                    isGathering = method.gathering != nil
                }
            } else if let name = bare.popFirst() {
                try take(bare: name, word)
            } else if method == .say, word.key == nil {
                try extend("text", with: word)
            } else {
                throw .invalidParams("\(word.text): unexpected word" + hint(word.text))
            }
        }
        if method.hasMainSession, own["session"] == nil {
            own.insert(Member("session", .string(main)), at: 0)
        }
    }

    /// Whether all pairs `key=value` are collected that are not the method's own parameters, because no
    /// word stands before them: labels.
    private var gathersEverything: Bool { method.gathering != nil && method.words.isEmpty }

    /// The parameters. `type` returns the declared type of a collected word by its name, nil if it
    /// is not declared.
    public func params(_ type: (String) -> String? = { _ in nil }) -> [Member] {
        guard let gathering = method.gathering, !gathered.isEmpty else { return own }
        let members = gathered.map { one in
            if method == .label, let word = one.word {
                return Member(one.name, .string(String(word.value)))
            }
            return Member(
                one.name,
                one.word?.jsonValue(wantsString: type(one.name) == String.type) ?? one.value)
        }
        return own + [Member(gathering.name.description, .object(members))]
    }

    /// The declaration of the types of the collected words; nil if none were collected.
    public var subject: Subject? {
        let isOpen = method == .open && !namesSession && isGathering
        let isTyped = gathered.contains { one in
            guard one.word != nil else { return false }
            if case .string = one.value { return false }
            return true
        }
        guard isOpen || isTyped else { return nil }
        switch method {
        case .send: return text("event").map { .event($0, session: text("session") ?? "") }
        case .goto: return text("state").map { .state($0, session: text("session") ?? "") }
        case .open: return text("state").map { .opening($0, flow: text("flow")) }
        default: return nil
        }
    }

    private func text(_ name: String) -> String? {
        guard case .string(let text)? = own[name] else { return nil }
        return text
    }

    /// A hint, for a word after `open` that is not a state of the flow, that it may be meant as a
    /// session; nil if it cannot be.
    public func hintThatStateMayBeSession(flow: String) -> String? {
        guard method == .open, !namesSession, isGathering, let state = text("state"),
            SessionName(state) != nil
        else { return nil }
        return "\(state) is not a state of \(flow); "
            + "name a session with @\(state)"
    }

    /// A hint at what an unexpected word may mean.
    private func hint(_ word: String) -> String {
        guard method.words.isEmpty, method.all.contains(.session),
            SessionName(word) != nil
        else { return "" }
        return "; name a session with @\(word)"
    }

    private mutating func take(bare parameter: Parameter, _ word: TextWord) throws(CallError) {
        if method == .advance, word.text == "toNext" {
            return try add(Member("toNext", .bool(true)))
        }
        let value = parameter.kind == .integer ? word.jsonValue : .string(word.text)
        try add(Member(parameter.name.description, value))
        isGathering = method.gathering != nil
    }

    private mutating func take(_ key: String, _ word: TextWord) throws(CallError) {
        let isOwn = gathersEverything && Parameter(key).map(method.all.contains) ?? false
        if isGathering, !isOwn {
            try gather(Gathered(name: key, value: word.jsonValue, word: word))
        } else {
            try add(Member(key, Self.value(word, as: Parameter(key)?.kind)))
        }
    }

    /// A message may consist of several words.
    private mutating func extend(_ name: String, with word: TextWord) throws(CallError) {
        guard let place = own.firstIndex(where: { $0.name == name }) else { return }
        own[place] = Member(name, .string("\(own[place].value.text ?? "") \(word.text)"))
    }

    private mutating func add(_ member: Member) throws(CallError) {
        guard own[member.name] == nil else { throw .parseError("\(member.name) is given twice") }
        own.append(member)
    }

    private mutating func gather(_ members: [Member]) throws(CallError) {
        guard method.gathering != nil, isGathering else {
            throw .invalidParams("put the object after the event or the state")
        }
        for member in members { try gather(Gathered(name: member.name, value: member.value)) }
    }

    private mutating func gather(_ one: Gathered) throws(CallError) {
        guard !gathered.contains(where: { $0.name == one.name }) else {
            throw .parseError("\(one.name) is given twice")
        }
        // The client may also have given the value as a parameter of its own.
        if let gathering = method.gathering, own[gathering.name.description] != nil {
            throw .parseError("\(gathering.name) is given twice")
        }
        gathered.append(one)
    }

    /// The value of a word. A text parameter takes the word unchanged; otherwise it is parsed as
    /// JSON, and taken as text if that fails.
    private static func value(_ word: TextWord, as kind: Parameter.Kind? = nil) -> Value {
        let text = String(word.value)
        switch kind {
        case .text: return .string(text)
        case .texts:
            return .array(
                text.split(separator: ",", omittingEmptySubsequences: false).map {
                    .string(String($0))
                })
        case .integer, .truth, .object, .place, nil: break
        }
        return word.jsonValue
    }
}
