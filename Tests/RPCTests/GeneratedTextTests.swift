import GameFlow
import GeneratedText
import RPC
import Sessions
import Testing

/// The tables of methods in the documentation and the schemas of requests are generated from the table of methods, and the list
/// of the kinds of changes from `ChangeKind.all`, by `make generate`.
@Suite struct GeneratedTextTests {
    private static var methodTable: String {
        let rows = Method.allCases.map { method in
            let parameters = method.parameters.map { parameter in
                "\(parameter.parameter.name)\(parameter.isRequired ? "" : "?")"
            }
            let role = method.role.map { "`\($0.name)`" } ?? ""
            let description =
                method.details.isEmpty ? method.sentence : "\(method.sentence) \(method.details)"
            return
                "| `\(method.name)` | \(role) | \(parameters.joined(separator: ", ")) | \(description) | \(method.result) |"
        }
        return (["| method | role | parameters | does | result |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static var roleTable: String {
        let rows = Role.allCases.map { role in
            let names = Method.allCases.filter { $0.role == role }.map { "`\($0.name)`" }
            let lowerRoles = role == Role.allCases.first ? "" : "that, and "
            return "| `\(role.name)` | \(lowerRoles)\(names.joined(separator: " ")) |"
        }
        return (["| role | may |", "|---|---|"] + rows).joined(separator: "\n")
    }

    /// The items of the manual's section about methods.
    private static var methodItems: String {
        Method.allCases.flatMap { method in
            let parameters = method.parameters.map { parameter in
                parameter.isRequired
                    ? "Ar \(parameter.parameter.name)" : "Op Ar \(parameter.parameter.name)"
            }
            let role = method.role.map { " Role: `\($0.name)`." } ?? ""
            return [".It Cm \(method.name) " + parameters.joined(separator: " ")]
                + Manual.lines("\(method.sentence) \(method.details)\(role)")
        }.joined(separator: "\n")
    }

    private static let parts = [
        GeneratedPart("docs/man/gamed-protocol.7", "methods", methodItems),
        GeneratedPart(
            "docs/man/gamed-protocol.7", "errors",
            ManualTable.items("docs/protocol.md", "Errors", table: 1, heads: 2)),
        GeneratedPart("docs/protocol.md", "methods", methodTable),
        GeneratedPart("docs/network.md", "roles", roleTable),
        GeneratedPart(
            "Sources/WebPages/openapi.json", from: "      \"Request\": {", to: "      \"Batch\": {",
            OpenAPI.requests(timerActions: TimerOperation.Action.allCases.map(\.rawValue))),
        GeneratedPart(
            "Sources/WebPages/openapi.json", from: "\"open\", \"enter\", \"keep\",",
            to: "            ]",
            "              "
                + ChangeKind.all.map { "\"\($0.name)\"" }.joined(separator: ", ")),
    ]

    @Test func `the text generated from the tables is up to date`() {
        for part in Self.parts {
            #expect(part.checkOrGenerate(), "\(part) is out of date: run make generate")
        }
    }
}
