import GameFlow
import JSONCoding

/// The requests of a body, read by the protocol's rules and without the daemon's code.
struct ExpectedRequests {
    /// One request.
    struct Request {
        /// The id of its reply; nil if it gets no reply.
        let replyID: Value?
        /// Whether it is a valid request.
        let isValid: Bool
        let method: String
        let params: [Member]

        /// The session that it names.
        var session: String {
            if case .string(let name)? = params["session"] { name } else { "main" }
        }

        init(_ value: Value) {
            let members: [Member]? = if case .object(let members) = value { members } else { nil }
            let id = members?["id"]
            let isID = Self.isAbsentOr(
                id, { if case .int = $0 { true } else { Self.isString($0) } })
            let isParams = Self.isAbsentOr(
                members?["params"],
                {
                    switch $0 {
                    case .object, .array: true
                    default: false
                    }
                })
            let known = ["jsonrpc", "id", "method", "params"]
            let name = members?["method"].flatMap(Self.text)
            isValid =
                isID && members?["jsonrpc"] == .string("2.0") && name != nil && isParams
                && (members ?? []).allSatisfy { known.contains($0.name) }
            method = name ?? ""
            params = if case .object(let params)? = members?["params"] { params } else { [] }
            replyID = isValid ? id : isID ? id ?? .null : .null
        }

        /// Whether an optional member is valid if it is present.
        private static func isAbsentOr(_ value: Value?, _ isValid: (Value) -> Bool) -> Bool {
            value.map(isValid) ?? true
        }

        private static func isString(_ value: Value) -> Bool {
            if case .string = value { true } else { false }
        }

        /// A string; also one that the daemon does not accept, which is not the name of a method.
        private static func text(_ value: Value) -> String? {
            switch value {
            case .string(let text): text
            case .unfit(_, let raw) where raw.first == "\"": raw
            default: nil
            }
        }
    }

    enum Form { case invalid, single, batch }

    let form: Form
    /// Whether the body is JSON.
    let isJSON: Bool
    let requests: [Request]

    init(_ body: ArraySlice<UInt8>) {
        var text = JSONText()
        guard (try? text.read(body)) != nil else {
            (form, isJSON, requests) = (.invalid, false, [])
            return
        }
        isJSON = true
        guard case .array(let values) = text.value(at: JSONText.root) else {
            (form, requests) = (.single, [Request(text.value(at: JSONText.root))])
            return
        }
        form = values.isEmpty ? .invalid : .batch
        requests = values.map(Request.init)
    }

    /// The ids of the replies, in order.
    var replyIDs: [Value] { form == .invalid ? [.null] : requests.compactMap(\.replyID) }
}
