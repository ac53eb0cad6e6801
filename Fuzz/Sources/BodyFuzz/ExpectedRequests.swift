import GameFlow
import JSONCoding

/// The requests of a body, read by the protocol's rules and without the daemon's code.
struct ExpectedRequests {
    /// One request.
    struct Request {
        /// The id of the reply that the daemon must send; nil if it must send none.
        let replyID: Value?
        /// Whether it is a request by JSON-RPC 2.0.
        let isValid: Bool
        let method: String
        let params: [Member]

        /// The session that the request is about.
        var session: String {
            if case .string(let name)? = params["session"] { name } else { "main" }
        }

        init(_ value: Value) {
            let members: [Member]? = if case .object(let members) = value { members } else { nil }
            let id = members?["id"]
            let hasValidID = Self.isAbsentOr(
                id, { if case .int = $0 { true } else { Self.isString($0) } })
            let hasValidParams = Self.isAbsentOr(
                members?["params"],
                {
                    switch $0 {
                    case .object, .array: true
                    default: false
                    }
                })
            let memberNames = ["jsonrpc", "id", "method", "params"]
            let name = members?["method"].flatMap(Self.text)
            isValid =
                hasValidID && members?["jsonrpc"] == .string("2.0") && name != nil && hasValidParams
                && (members ?? []).allSatisfy { memberNames.contains($0.name) }
            method = name ?? ""
            params = if case .object(let params)? = members?["params"] { params } else { [] }
            // A valid request without an id is a notification. An invalid request always gets an error, with a null id if the
            // request has no valid id.
            replyID = isValid ? id : hasValidID ? id ?? .null : .null
        }

        /// Whether an optional member is absent or valid.
        private static func isAbsentOr(_ value: Value?, _ isValid: (Value) -> Bool) -> Bool {
            value.map(isValid) ?? true
        }

        private static func isString(_ value: Value) -> Bool {
            if case .string = value { true } else { false }
        }

        /// The text of a string; nil for other values. If the daemon cannot represent a string, the result is the string's JSON
        /// text. This text is never the name of a method.
        private static func text(_ value: Value) -> String? {
            switch value {
            case .string(let text): text
            case .unfit(_, let raw) where raw.first == "\"": raw
            default: nil
            }
        }
    }

    /// A body with one request, a batch of requests, or neither.
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
