private import RPC

/// Writes the schemas of requests in openapi.json, from the table of methods.
public enum OpenAPI {
    /// The schemas from `Request` to the last schema before `Batch`.
    public static func requests(timerActions: [String]) -> String {
        let methods = Method.allCases
        let references = methods.map { "          \(reference(schema($0)))" }
        let mapping = methods.map { method in
            "            \"\(method.name)\": \"#/components/schemas/\(schema(method))\""
        }
        let actions = timerActions.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
                  "Request": {
                    "description": "One request. A request without an `id` is a notification: it is executed, and answered with 204 whether or not it succeeds.",
                    "oneOf": [
            \(references.joined(separator: ",\n"))
                    ],
                    "discriminator": {
                      "propertyName": "method",
                      "mapping": {
            \(mapping.joined(separator: ",\n"))
                      }
                    }
                  },
            \(methods.map(request).joined(separator: "\n"))
                  "TimerAction": { "type": "string", "enum": [\(actions)] },
            """
    }

    private static func schema(_ method: Method) -> String {
        method.name.prefix(1).uppercased() + method.name.dropFirst() + "Request"
    }

    private static func reference(_ schema: String) -> String {
        "{ \"$ref\": \"#/components/schemas/\(schema)\" }"
    }

    private static func request(_ method: Method) -> String {
        let role = method.role.map { "Needs the role `\($0.name)`." } ?? "Needs no right."
        let details = method.details.isEmpty ? "" : " \(method.details)"
        let members = method.needsParameters ? ", \"params\"" : ""
        return """
                  "\(schema(method))": {
                    "type": "object",
                    "description": "\(method.sentence) \(role)\(details)",
                    "required": ["jsonrpc", "method"\(members)],
                    "properties": {
                      "jsonrpc": \(reference("Version")),
                      "id": \(reference("RequestId")),
                      "method": { "const": "\(method.name)" },
                      "params": {
            \(parameters(method).joined(separator: ",\n"))
                      }
                    },
                    "additionalProperties": false,
                    "x-result": { \(expanded(method.resultSchema)) }
                  },
            """
    }

    private static func parameters(_ method: Method) -> [String] {
        let margin = String(repeating: " ", count: 12)
        var members = ["\"type\": \"object\""]
        let required = method.parameters.filter(\.isRequired).map { "\"\($0.parameter.name)\"" }
        if !required.isEmpty {
            members.append("\"required\": [\(required.joined(separator: ", "))]")
        }
        let properties = method.parameters.map { use in
            let schema = expanded(use.schema)
            return
                "\(margin)  \"\(use.parameter.name)\": { \(schema), \"description\": \"\(use.sentence)\" }"
        }
        if !properties.isEmpty {
            members.append("\"properties\": {\n\(properties.joined(separator: ",\n"))\n\(margin)}")
        }
        members.append("\"additionalProperties\": false")
        if !method.rules.isEmpty { members.append(method.rules) }
        return members.map { margin + $0 }
    }

    /// Replaces `@@Name` by an object that refers to the schema `Name`, and `@Name` by the member `$ref` of such an object.
    private static func expanded(_ schema: String) -> String {
        schema.replacing(/@@(\w+)/) { reference(String($0.1)) }
            .replacing(/@(\w+)/) { "\"$ref\": \"#/components/schemas/\($0.1)\"" }
    }
}
