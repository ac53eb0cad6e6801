/// A parameter of the methods. One name means the same with all of them.
public enum Parameter: UInt8, CaseIterable, Sendable {
    case session, event, args, id, ageMs, flow, limit, after, state, data, since, topics, fires
    case action, by, toNext, reason, format, before, refusal, to, token, name
    case device, button, onServer, entry

    public var name: StaticString {
        switch self {
        case .session: "session"
        case .event: "event"
        case .args: "args"
        case .id: "id"
        case .ageMs: "ageMs"
        case .flow: "flow"
        case .limit: "limit"
        case .after: "after"
        case .state: "state"
        case .data: "data"
        case .since: "since"
        case .topics: "topics"
        case .fires: "fires"
        case .action: "action"
        case .by: "by"
        case .toNext: "toNext"
        case .reason: "reason"
        case .format: "format"
        case .before: "before"
        case .refusal: "refusal"
        case .to: "to"
        case .token: "token"
        case .name: "name"
        case .device: "device"
        case .button: "button"
        case .onServer: "onServer"
        case .entry: "entry"
        }
    }

    /// What a parameter's value must be.
    public enum Kind: Sendable {
        case text, integer, truth, object, texts
        /// A number, or a cursor.
        case place
    }

    public var kind: Kind {
        switch self {
        case .session, .event, .id, .flow, .after, .state, .fires, .action, .by, .reason,
            .format, .to, .token, .name, .device:
            .text
        case .ageMs, .limit, .before, .refusal, .button, .entry: .integer
        case .since: .place
        case .toNext, .onServer: .truth
        case .args, .data: .object
        case .topics: .texts
        }
    }

    /// The parameter of that name.
    init?(_ name: String) {
        guard let found = Self.allCases.first(where: { $0.name.description == name }) else {
            return nil
        }
        self = found
    }
}

/// Some of the parameters.
struct ParameterSet: ExpressibleByArrayLiteral {
    private var bits: UInt32 = 0

    init(arrayLiteral parameters: Parameter...) {
        for parameter in parameters { bits |= 1 << UInt32(parameter.rawValue) }
    }

    func contains(_ parameter: Parameter) -> Bool { bits & 1 << UInt32(parameter.rawValue) != 0 }

    func union(_ other: ParameterSet) -> ParameterSet {
        var union = self
        union.bits |= other.bits
        return union
    }

    /// The first of them, in their order, that `fits` takes.
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
