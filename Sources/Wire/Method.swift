/// Everything that may be asked over the wire. JSON-RPC's method names and the text dialect's verbs
/// are the same.
public enum Method: String, CaseIterable, Sendable {
    case hello, ping, send, status, list, open, close, watch, unwatch, timer, goto, advance,
        describe

    /// A parameter of a method.
    public struct Parameter: Sendable {
        public let name: String
        public let type: ParameterType
        let isRequired: Bool

        static func required(_ name: String, _ type: ParameterType) -> Parameter {
            Parameter(name: name, type: type, isRequired: true)
        }
        static func optional(_ name: String, _ type: ParameterType) -> Parameter {
            Parameter(name: name, type: type, isRequired: false)
        }
    }

    /// What a parameter's value must be.
    public enum ParameterType: Sendable {
        case text, integer, truth, object, texts

        var description: String {
            switch self {
            case .text: "a string"
            case .integer: "an integer"
            case .truth: "true or false"
            case .object: "an object"
            case .texts: "an array of strings"
            }
        }
    }

    /// The method's own parameters.
    public var parameters: [Parameter] {
        switch self {
        case .hello, .ping: []
        case .send: Self.ofSend
        case .status, .unwatch: Self.ofStatus
        case .list: Self.ofList
        case .open: Self.ofOpen
        case .close: Self.ofClose
        case .watch: Self.ofWatch
        case .timer: Self.ofTimer
        case .goto: Self.ofGoto
        case .advance: Self.ofAdvance
        case .describe: Self.ofDescribe
        }
    }

    private static let session = Parameter.optional("session", .text)
    private static let ofSend = [
        session, .required("event", .text), .optional("args", .object), .optional("id", .text),
        .optional("ageMs", .integer),
    ]
    private static let ofStatus = [session]
    private static let ofList = [
        Parameter.optional("flow", .text), .optional("limit", .integer), .optional("after", .text),
    ]
    private static let ofOpen = [
        Parameter.required("session", .text), .optional("flow", .text), .optional("state", .text),
        .optional("data", .object),
    ]
    private static let ofClose = [Parameter.required("session", .text)]
    private static let ofWatch = [
        session, .optional("since", .integer), .optional("topics", .texts),
    ]
    private static let ofTimer = [
        session, .required("fires", .text), .required("action", .text), .optional("by", .text),
    ]
    private static let ofGoto = [
        session, .required("state", .text), .optional("data", .object), .optional("reason", .text),
    ]
    private static let ofAdvance = [
        Parameter.optional("by", .text), .optional("toNext", .truth),
    ]
    private static let ofDescribe = [Parameter.optional("flow", .text)]

    /// The parameters that bare words stand for in the text dialect, in their order.
    var bareWords: [String] {
        switch self {
        case .send: ["event"]
        case .open, .goto: ["state"]
        case .timer: ["fires", "action"]
        case .advance: ["by"]
        case .describe: ["flow"]
        case .hello, .ping, .status, .list, .close, .watch, .unwatch: []
        }
    }

    /// The parameter that gathers what stands behind the bare word in the text dialect.
    var gathering: String? {
        switch self {
        case .send: "args"
        case .open, .goto: "data"
        default: nil
        }
    }

    var takesSession: Bool { parameters.contains { $0.name == "session" } }
}
