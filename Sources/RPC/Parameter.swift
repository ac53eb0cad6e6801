/// A parameter of the methods. A name has the same meaning in all of them.
public enum Parameter: UInt8, CaseIterable, Sendable {
    case session, event, args, id, ageMs, flow, limit, after, state, data, since, topics, fires
    case action, by, toNext, reason, format, before, refusal, to, token, name
    case device, button, onServer, entry, settings, labels, again, text, length, source, seq, url,
        redirects, role, guest, once, without, during

    /// The type of a parameter's value.
    public enum Kind: Sendable {
        case text, integer, truth, object, texts
        /// A number or a cursor.
        case place
    }

    /// A row of the table of parameters.
    fileprivate struct Form {
        let name: StaticString
        let kind: Kind
        /// The meaning of the value.
        let sentence: StaticString
        /// The members of its JSON schema, with `@Name` for a reference to the schema of that name.
        let schema: StaticString

        init(
            _ name: StaticString, _ kind: Kind, _ sentence: StaticString, _ schema: StaticString
        ) {
            (self.name, self.kind, self.sentence, self.schema) = (name, kind, sentence, schema)
        }
    }

    private func makeForm() -> Form {
        switch self {
        case .session: Form("session", .text, "The session.", #"@SessionName, "default": "main""#)
        case .event: Form("event", .text, "The event's name.", "@Text")
        case .args: Form("args", .object, "All arguments of the event.", "@Values")
        case .id:
            Form(
                "id", .text,
                "Makes a retry safe: a repeated id returns the first answer and changes nothing. Refusals are not remembered.",
                #""type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^\\u0000]*$""#)
        case .ageMs:
            Form(
                "ageMs", .integer, "The age of the event when it was sent, in milliseconds.",
                "@Count")
        case .flow: Form("flow", .text, "A flow's name.", "@Text")
        case .limit:
            Form(
                "limit", .integer, "The largest number of results.",
                #""type": "integer", "minimum": 1"#)
        case .after: Form("after", .text, "Start after this name.", "@SessionName")
        case .state: Form("state", .text, "The state to enter.", "@Text")
        case .data: Form("data", .object, "That state's data.", "@Values")
        case .since:
            Form(
                "since", .place,
                "The last `seq` seen of the session, of `*` the last `pos`; or a cursor.",
                #""oneOf": [@@Count, @@Cursor]"#)
        case .topics: Form("topics", .texts, "The topics to watch.", "@Topics")
        case .fires: Form("fires", .text, "The timer, by the signal that it sends.", "@Text")
        case .action: Form("action", .text, "What to do.", #""type": "string""#)
        case .by: Form("by", .text, "A length of time.", "@Duration")
        case .toNext:
            Form(
                "toNext", .truth, "Advance to the next deadline.",
                #""type": "boolean""#)
        case .reason: Form("reason", .text, "The reason; recorded in the change.", "@Text")
        case .format: Form("format", .text, "The language of the diagram.", #""type": "string""#)
        case .before:
            Form("before", .integer, "Only records before the change with this `seq`.", "@Count")
        case .refusal:
            Form(
                "refusal", .integer,
                "The position among refusals, from `next` of the previous page.",
                "@Count")
        case .to:
            Form(
                "to", .text,
                "An absolute path outside the state directory; the file must not exist.",
                #""type": "string", "minLength": 1, "maxLength": 4096, "pattern": "^/[^\\u0000]*$""#
            )
        case .token: Form("token", .text, "The token.", "@Text")
        case .name:
            Form(
                "name", .text, "The token's name.",
                #""type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$""#)
        case .device:
            Form("device", .text, "A simulated device, by its name or address.", "@DeviceName")
        case .button:
            Form(
                "button", .integer, "The number of the button, from 1.",
                #""type": "integer", "minimum": 1, "maximum": 32"#)
        case .onServer:
            Form(
                "onServer", .truth, "Confirms that the path is on the daemon's machine.",
                #""const": true"#)
        case .entry:
            Form(
                "entry", .integer,
                "The entry that the request refers to; `stale` if the session has entered a state since.",
                "@Count")
        case .settings:
            Form("settings", .object, "Settings of the flow, as they are written.", "@Values")
        case .labels:
            Form(
                "labels", .object, "Labels by name; an empty text removes one.", "@Values")
        case .again:
            Form(
                "again", .truth, "Close an open session of that name in the same step.",
                #""type": "boolean""#)
        case .text:
            Form(
                "text", .text, "The message, 1 to 500 characters; an empty one removes it.",
                "@Text")
        case .length: Form("for", .text, "How long it is shown.", "@Duration")
        case .redirects:
            Form(
                "redirects", .truth,
                "Answer requests about sessions of another node with `elsewhere` and its address, instead of forwarding them.",
                #""type": "boolean""#)
        case .without:
            Form(
                "without", .text, "Leave out games with a label of this name.",
                #""type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}$""#)
        case .during:
            Form("during", .text, "The state whose visits are timed.", "@Text")
        case .seq:
            Form(
                "seq", .integer,
                "Undo everything after the change with this `seq`; one step unless given.",
                "@Count")
        case .url:
            Form(
                "url", .truth,
                "The token may be in the URL of `/v1/send`, and is good for nothing else.",
                #""type": "boolean""#)
        case .role: Form("role", .text, "The role.", #""type": "string""#)
        case .guest:
            Form(
                "as", .text, "The name of the invited person.",
                #""type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$""#
            )
        case .once:
            Form("once", .truth, "Only the first one can join.", #""type": "boolean""#)
        case .source:
            Form(
                "source", .truth, "Add the text of the flow file; needs `operate`.",
                #""type": "boolean""#)
        }
    }

    /// The table of parameters, in the order of the cases.
    private static let forms = allCases.map { $0.makeForm() }

    public var name: StaticString { Self.forms[Int(rawValue)].name }
    public var kind: Kind { Self.forms[Int(rawValue)].kind }
    fileprivate var form: Form { Self.forms[Int(rawValue)] }

    /// The parameter of that name.
    init?(_ name: String) {
        guard let found = Self.allCases.first(where: { $0.name.description == name }) else {
            return nil
        }
        self = found
    }
}

/// A method's use of a parameter.
public struct ParameterUse: Sendable {
    public let parameter: Parameter
    public let isRequired: Bool
    /// The meaning of the value.
    public let sentence: String
    /// The members of its JSON schema, with `@Name` for a reference to the schema of that name.
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
        self.sentence = sentence ?? parameter.form.sentence.description
        self.schema = schema ?? parameter.form.schema.description
    }
}

/// A set of parameters.
struct ParameterSet: ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    init(arrayLiteral parameters: Parameter...) { self.init(parameters) }

    init(_ parameters: [Parameter]) {
        for parameter in parameters { bits |= 1 << UInt64(parameter.rawValue) }
    }

    func contains(_ parameter: Parameter) -> Bool { bits & 1 << UInt64(parameter.rawValue) != 0 }

    mutating func insert(_ parameter: Parameter) { bits |= 1 << UInt64(parameter.rawValue) }

    func subtracting(_ other: ParameterSet) -> ParameterSet {
        var rest = self
        rest.bits &= ~other.bits
        return rest
    }

    func union(_ other: ParameterSet) -> ParameterSet {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// The first parameter, in declaration order, for which `fits` returns true.
    func first(where fits: (Parameter) -> Bool) -> Parameter? {
        var rest = bits
        while rest != 0 {
            let parameter = Parameter(rawValue: UInt8(rest.trailingZeroBitCount))
            if let parameter, fits(parameter) { return parameter }
            rest &= rest - 1
        }
        return nil
    }
}
