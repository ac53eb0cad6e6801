import FlowFiles
import GameFlow
import GeneratedText
import Shell
import TestSupport
import Testing

@testable import GamectlTool

/// The manual and the completions match the tables of verbs and options. `make generate` rewrites them.
@Suite struct GeneratedTextTests {
    private static let completions = Completions(
        "gamectl", CommandOption.table.map(\.form),
        verbs: Verb.table.filter { $0.group != nil }.map { verb in
            Completions.Verb(
                verb.name, verb.forms.first?.sentence ?? "",
                options: CommandOption.table.filter { $0.verbs.contains(verb.name) }.map(
                    \.form.name))
        })

    private static func verbs(_ group: Verb.Group) -> String {
        let forms = Verb.table.filter { $0.group == group }.flatMap(\.forms)
        return Manual.items(forms.map { ($0.text, $0.sentence, $0.details) })
    }

    private static let limits =
        "\n| limit | |\n|---|---|\n"
        + FlowFileLimit.allCases.map { "| `\($0.rawValue)` | \($0.clause) |\n" }.joined() + "\n"

    private static let searchLimits =
        "\n| limit | | |\n|---|---|---|\n"
        + SearchLimit.allCases.map { "| `\($0.rawValue)` | \($0.maximum) | \($0.clause) |\n" }
        .joined() + "\n"

    /// The headings of the tables in docs/flow-files.md that the manual of flow files has.
    private static let flowTables = [
        "Keys of the file", "Keys of an event", "Types", "Keys of a state", "Keys of a row",
    ]

    private static let flowManual = flowTables.map { heading in
        GeneratedPart(
            "docs/man/gamed-flow.5", heading, ManualTable.items("docs/flow-files.md", heading))
    }

    private static let flowLimitItems = FlowFileLimit.allCases.map { limit in
        ".It Cm \(limit.rawValue)\n" + Manual.lines(limit.clause).joined(separator: "\n")
    }.joined(separator: "\n")

    private static let parts =
        flowManual + [
            GeneratedPart("docs/man/gamed-flow.5", "limits", flowLimitItems),
            GeneratedPart(
                "docs/man/gamectl.1", "options", Manual.items(CommandOption.table.map(\.form))),
            GeneratedPart("docs/man/gamectl.1", "daemon verbs", verbs(.daemon)),
            GeneratedPart("docs/man/gamectl.1", "flow verbs", verbs(.flows)),
            GeneratedPart("docs/man/gamectl.1", "journal verbs", verbs(.journal)),
            GeneratedPart("docs/flow-files.md", "limits of flow files", limits),
            GeneratedPart("docs/flow-files.md", "limits of searches", searchLimits),
            GeneratedPart("Completions/gamectl.bash", nil, completions.bash),
            GeneratedPart("Completions/_gamectl", nil, completions.zsh),
            GeneratedPart("Completions/gamectl.fish", nil, completions.fish),
        ]

    @Test func `the text generated from gamectl's tables is up to date`() {
        for part in Self.parts {
            #expect(part.checkOrGenerate(), "\(part) is out of date: run make generate")
        }
    }
}
