public import GameFlow
public import JSON
internal import Sessions

/// A request as words make it: `VERB [@session] [key=value …] WORD … [key=value … | {json}]`.
///
/// What stands before the event's or the state's name are the method's own parameters; what stands
/// behind it is gathered as its arguments or data.
public struct TextRequest: Equatable, Sendable {
    public let method: Method
    private var own: [Member] = []
    private var gathered: [Gathered] = []
    private var isGathering = false
    /// Whether a session was named, rather than taken because none was.
    private let namesSession: Bool

    /// An argument or a datum, which may have to be read by its type.
    private struct Gathered: Equatable {
        let name: String
        let value: Value
        /// The word that it was read from; nil of a member of an object.
        var word: TextWord?
    }

    /// What has the types of the gathered words.
    public enum Subject: Equatable, Sendable {
        /// An event of the flow that a session has.
        case event(String, session: String)
        /// A state of the flow that a session has.
        case state(String, session: String)
        /// A state of the flow of that name, of the standard one if there is none, to open a session in.
        case opening(String, flow: String?)
    }

    /// The request; `main` is the session where the words name none.
    public init(_ words: [TextWord], main: String = "main") throws(CallError) {
        guard let verb = words.first else { throw .parseError("no verb") }
        guard let method = Method(name: verb.text) else { throw .methodNotFound(verb.text) }
        self.method = method
        // A client that gave another name for `main` has named the session.
        let isNamed = main != "main"
        namesSession =
            isNamed || words.dropFirst().contains { $0.text.first == "@" || $0.key == "session" }
        var bare = method.words[...]
        for word in words.dropFirst() {
            if let object = word.object {
                try gather(object)
            } else if let key = word.key {
                try take(String(key), word)
            } else if word.text.first == "@", !word.isQuoted, !isGathering {
                try add(Member("session", .string(String(word.text.dropFirst()))))
            } else if let name = bare.popFirst() {
                try take(bare: name, word)
            } else {
                throw .invalidParams("\(word.text): a word too many" + hint(word.text))
            }
        }
        if method.all.contains(.session), own["session"] == nil {
            own.insert(Member("session", .string(main)), at: 0)
        }
    }

    /// The parameters, each gathered word read as the type that `type` has for its name.
    public func params(_ type: (String) -> String? = { _ in nil }) -> [Member] {
        guard let gathering = method.gathering, !gathered.isEmpty else { return own }
        let members = gathered.map { one in
            Member(
                one.name,
                one.word?.jsonValue(wantsString: type(one.name) == String.type) ?? one.value)
        }
        return own + [Member(gathering.name.description, .object(members))]
    }

    /// What has to be known of a flow to read the words; nil where nothing has.
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

    /// Why the word behind `open`, which is none of the flow's states, was meant as a session; nil where it
    /// cannot have been.
    public func hint(noStateOf flow: String) -> String? {
        guard method == .open, !namesSession, isGathering, let state = text("state"),
            SessionName(state) != nil
        else { return nil }
        return "\(state) would be a state, and \(flow) has none of that name; "
            + "a session is meant by @\(state)"
    }

    /// What may have been meant by a word too many.
    private func hint(_ word: String) -> String {
        guard method.words.isEmpty, method.all.contains(.session),
            SessionName(word) != nil
        else { return "" }
        return "; a session is meant by @\(word)"
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
        if isGathering {
            try gather(Gathered(name: key, value: word.jsonValue, word: word))
        } else {
            try add(Member(key, Self.value(word, as: Parameter(key)?.kind)))
        }
    }

    private mutating func add(_ member: Member) throws(CallError) {
        guard own[member.name] == nil else { throw .parseError("\(member.name) stands twice") }
        own.append(member)
    }

    private mutating func gather(_ members: [Member]) throws(CallError) {
        guard method.gathering != nil, isGathering else {
            throw .invalidParams("an object goes behind the event or the state")
        }
        for member in members { try gather(Gathered(name: member.name, value: member.value)) }
    }

    private mutating func gather(_ one: Gathered) throws(CallError) {
        guard !gathered.contains(where: { $0.name == one.name }) else {
            throw .parseError("\(one.name) stands twice")
        }
        // It may have been given as a parameter of its own, too.
        if let gathering = method.gathering, own[gathering.name.description] != nil {
            throw .parseError("\(gathering.name) stands twice")
        }
        gathered.append(one)
    }

    /// A word's value: of a parameter that is known to be text as it stands, else as JSON where it
    /// parses, else as text.
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
