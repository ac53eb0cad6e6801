public import JSON
internal import Sessions

/// A request as words make it: `VERB [@session] [key=value …] WORD … [key=value … | {json}]`.
///
/// What stands before the event's or the state's name are the method's own parameters; what stands
/// behind it is gathered as its arguments or data.
public struct TextRequest {
    public let method: Method
    public private(set) var params: [Member] = []
    private var gathered: [Member] = []
    private var isGathering = false

    /// The request; `main` is the session where the words name none.
    public init(_ words: [TextWord], main: String = "main") throws(CallError) {
        guard let verb = words.first else { throw .parseError("no verb") }
        guard let method = Method(rawValue: verb.text) else { throw .methodNotFound(verb.text) }
        self.method = method
        var bare = method.bareWords[...]
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
        if let gathering = method.gathering, !gathered.isEmpty {
            try add(Member(gathering.name.description, .object(gathered)))
        }
        if method.parameters.all.contains(.session), params["session"] == nil {
            params.insert(Member("session", .string(main)), at: 0)
        }
    }

    /// What may have been meant by a word too many.
    private func hint(_ word: String) -> String {
        guard method.bareWords.isEmpty, method.parameters.all.contains(.session),
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
            try gather([Member(key, Self.value(word))])
        } else {
            try add(Member(key, Self.value(word, as: Parameter(key)?.kind)))
        }
    }

    private mutating func add(_ member: Member) throws(CallError) {
        guard params[member.name] == nil else { throw .parseError("\(member.name) stands twice") }
        params.append(member)
    }

    private mutating func gather(_ members: [Member]) throws(CallError) {
        guard method.gathering != nil, isGathering else {
            throw .invalidParams("an object goes behind the event or the state")
        }
        for member in members {
            guard gathered[member.name] == nil else {
                throw .parseError("\(member.name) stands twice")
            }
            gathered.append(member)
        }
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
        case .integer, .truth, .object, nil: break
        }
        return word.jsonValue
    }
}
