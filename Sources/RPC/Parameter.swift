internal import JSONCoding

/// A parameter of one or more methods. All these methods use the same name and the same type for the parameter. If its meaning
/// differs in a method, the method's `ParameterUse` gives this meaning.
public enum Parameter: UInt8, CaseIterable, Sendable {
    // The name in requests is the name of the case, except `for` (`length`) and `as` (`guest`), which are keywords of Swift.
    case session, event, args, id, ageMs, flow, limit, after, state, data, since, topics, fires
    case action, by, toNext, reason, format, before, refusal, to, token, name
    case device, button, onServer, entry, settings, labels, again, text, length, source, seq, url,
        redirects, role, guest, once, opens, without, during, language, clocks

    /// The type of a parameter's value.
    public enum Kind: Sendable {
        case text, integer, boolean, object
        /// An array of texts.
        case texts
        /// A number, or a cursor, which is a text.
        case numberOrCursor
    }

    /// A row of the table of parameters.
    fileprivate struct Row {
        /// The name in requests.
        let name: StaticString
        let kind: Kind
        /// The meaning of the value, unless a method's `ParameterUse` gives another.
        let sentence: StaticString
        /// The members of the value's JSON schema, unless a method's `ParameterUse` gives others. `@Name` stands for a member
        /// `$ref` that refers to the schema `Name` of openapi.json. `@@Name` stands for an object that has only this member.
        let schema: StaticString

        init(
            _ name: StaticString, _ kind: Kind, _ sentence: StaticString, _ schema: StaticString
        ) {
            (self.name, self.kind, self.sentence, self.schema) = (name, kind, sentence, schema)
        }
    }

    /// Makes the row of the parameter.
    private func makeRow() -> Row {
        switch self {
        case .session: Row("session", .text, "The session.", #"@SessionName, "default": "main""#)
        case .event: Row("event", .text, "The event's name.", "@Text")
        case .args: Row("args", .object, "All arguments of the event.", "@Values")
        case .id:
            Row(
                "id", .text,
                "Makes a retry safe: a repeated id returns the first answer and changes nothing. Refusals are not remembered.",
                #""type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^\\u0000]*$""#)
        case .ageMs:
            Row(
                "ageMs", .integer, "The age of the event when it was sent, in milliseconds.",
                "@Count")
        case .flow: Row("flow", .text, "A flow's name.", "@Text")
        case .limit:
            Row(
                "limit", .integer, "The largest number of results.",
                #""type": "integer", "minimum": 1"#)
        case .after: Row("after", .text, "Start after this name.", "@SessionName")
        case .state: Row("state", .text, "The state to enter.", "@Text")
        case .data: Row("data", .object, "The data of the state to enter.", "@Values")
        case .since:
            Row(
                "since", .numberOrCursor,
                "The last `seq` that the client has seen of the session, the last `pos` with `*`, or a cursor.",
                #""oneOf": [@@Count, @@Cursor]"#)
        case .topics: Row("topics", .texts, "The topics to watch.", "@Topics")
        case .fires: Row("fires", .text, "The timer, by the signal that it sends.", "@Text")
        case .action: Row("action", .text, "The action.", #""type": "string""#)
        case .by: Row("by", .text, "A length of time.", "@Duration")
        case .toNext:
            Row(
                "toNext", .boolean, "Advance to the next deadline.",
                #""type": "boolean""#)
        case .reason: Row("reason", .text, "The reason; recorded in the change.", "@Text")
        case .format: Row("format", .text, "The language of the diagram.", #""type": "string""#)
        case .before:
            Row("before", .integer, "Only records before the change with this `seq`.", "@Count")
        case .refusal:
            Row(
                "refusal", .integer,
                "The position among refusals, from `next` of the previous page.",
                "@Count")
        case .to:
            Row(
                "to", .text,
                "An absolute path outside the state directory; the file must not exist.",
                #""type": "string", "minLength": 1, "maxLength": 4096, "pattern": "^/[^\\u0000]*$""#
            )
        case .token: Row("token", .text, "The token.", "@Text")
        case .name:
            Row(
                "name", .text, "The token's name.",
                #""type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$""#)
        case .device:
            Row("device", .text, "A simulated device, by its name or address.", "@DeviceName")
        case .button:
            Row(
                "button", .integer, "The number of the button, from 1.",
                #""type": "integer", "minimum": 1, "maximum": 32"#)
        case .onServer:
            Row(
                "onServer", .boolean, "Confirms that the path is on the daemon's machine.",
                #""const": true"#)
        case .entry:
            Row(
                "entry", .integer,
                "The entry that the request refers to; `stale` if the session has entered a state since.",
                "@Count")
        case .settings:
            Row("settings", .object, "Settings of the flow, as text.", "@Values")
        case .labels:
            Row(
                "labels", .object, "Labels by name; an empty text removes the label.", "@Values")
        case .again:
            Row(
                "again", .boolean, "Close an open session of that name in the same step.",
                #""type": "boolean""#)
        case .text:
            Row(
                "text", .text, "The message, 1 to 500 characters; an empty one removes it.",
                "@Text")
        case .length: Row("for", .text, "How long the message is shown.", "@Duration")
        case .redirects:
            Row(
                "redirects", .boolean,
                "Answer requests about sessions of another node with `elsewhere` and its address, instead of forwarding them.",
                #""type": "boolean""#)
        case .without:
            Row(
                "without", .text, "Leave out games with a label of this name.",
                #""type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$""#)
        case .during:
            Row("during", .text, "The states whose visits are timed, separated by commas.", "@Text")
        case .seq:
            Row(
                "seq", .integer,
                "Undo everything after the change with this `seq`; one step unless given.",
                "@Count")
        case .url:
            Row(
                "url", .boolean,
                "The token may be in the URL of `/v1/send`, and is valid only there.",
                #""type": "boolean""#)
        case .role: Row("role", .text, "The role.", #""type": "string""#)
        case .guest:
            Row(
                "as", .text, "The name of the invited person.",
                #""type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$""#
            )
        case .once:
            Row("once", .boolean, "Only the first guest can join.", #""type": "boolean""#)
        case .opens:
            Row(
                "opens", .text, "The page that the link and the QR code open.",
                #""type": "string""#)
        case .clocks:
            Row(
                "clocks", .text,
                "Whether the timers have what they had left then (`still`) or have run since then (`run`).",
                #""type": "string""#)
        case .language:
            Row(
                "language", .text, "The language of titles, notes and suggestions.",
                #""type": "string""#)
        case .source:
            Row(
                "source", .boolean, "Add the text of the flow file; needs `operate`.",
                #""type": "boolean""#)
        }
    }

    /// The table of parameters, in the order of the cases.
    private static let rows = allCases.map { $0.makeRow() }

    public var name: StaticString { Self.rows[Int(rawValue)].name }
    public var kind: Kind { Self.rows[Int(rawValue)].kind }
    /// The key of the name in requests.
    var key: JSONMembers.Key { JSONMembers.Key(name) }
    fileprivate var row: Row { Self.rows[Int(rawValue)] }

    /// The parameter that has this name in requests; nil if no parameter has it.
    init?(_ name: String) {
        guard let parameter = Self.allCases.first(where: { $0.name.description == name }) else {
            return nil
        }
        self = parameter
    }
}

/// A parameter in the row of a method: whether the method requires it, and what it means there.
public struct ParameterUse: Sendable {
    public let parameter: Parameter
    public let isRequired: Bool
    /// The meaning of the value.
    public let sentence: String
    /// The members of the value's JSON schema, with `@Name` and `@@Name` as in a row of the table of parameters.
    public let schema: String

    /// A required parameter.
    static func needs(_ parameter: Parameter, _ sentence: String? = nil, schema: String? = nil)
        -> ParameterUse
    {
        ParameterUse(parameter, isRequired: true, sentence, schema)
    }

    /// An optional parameter.
    static func takes(_ parameter: Parameter, _ sentence: String? = nil, schema: String? = nil)
        -> ParameterUse
    {
        ParameterUse(parameter, isRequired: false, sentence, schema)
    }

    private init(
        _ parameter: Parameter, isRequired: Bool, _ sentence: String?, _ schema: String?
    ) {
        (self.parameter, self.isRequired) = (parameter, isRequired)
        self.sentence = sentence ?? parameter.row.sentence.description
        self.schema = schema ?? parameter.row.schema.description
    }
}

/// A set of parameters.
struct ParameterSet: ExpressibleByArrayLiteral {
    /// One bit for each parameter; the parameter's raw value is the number of its bit.
    private var bits: UInt64 = 0

    init(arrayLiteral parameters: Parameter...) { self.init(parameters) }

    init(_ parameters: [Parameter]) {
        for parameter in parameters { bits |= 1 << UInt64(parameter.rawValue) }
    }

    func contains(_ parameter: Parameter) -> Bool { bits & 1 << UInt64(parameter.rawValue) != 0 }

    mutating func insert(_ parameter: Parameter) { bits |= 1 << UInt64(parameter.rawValue) }

    func subtracting(_ other: ParameterSet) -> ParameterSet {
        var remaining = self
        remaining.bits &= ~other.bits
        return remaining
    }

    func union(_ other: ParameterSet) -> ParameterSet {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// The first parameter, in declaration order, for which `fits` returns true.
    func first(where fits: (Parameter) -> Bool) -> Parameter? {
        var remaining = bits
        while remaining != 0 {
            let parameter = Parameter(rawValue: UInt8(remaining.trailingZeroBitCount))
            if let parameter, fits(parameter) { return parameter }
            remaining &= remaining - 1
        }
        return nil
    }
}
