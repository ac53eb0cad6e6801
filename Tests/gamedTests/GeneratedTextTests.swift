import Connections
import GameFlow
import GeneratedText
import Parts
import RPC
import Sessions
import Shell
import ShippedFlows
import TestSupport
import Testing

@testable import GamedServer

/// The manual, the completions and the tables of limits are generated from the daemon's tables, by `make generate`.
@Suite struct GeneratedTextTests {
    private static let options = Options.table.filter(\.isOption).map(\.form)

    private static let completions = Completions(
        "gamed", options,
        values: [
            "flow": AnyFlow.shipped().map(\.name),
            "limit": Limit.settable.compactMap(\.setting).map { "\($0)=" },
        ])

    /// The items of the manual's section about limits.
    private static var manualLimitItems: String {
        Limit.settable.flatMap { limit in
            [".It Cm \(limit.setting ?? "")"]
                + Manual.lines("\(limit.sentence) \(limit.namedLimit.consequence)")
        }.joined(separator: "\n")
    }

    /// The items of the manual's section about configuration lines that are not options.
    private static var manualLineItems: String {
        let lines = Options.table.filter { !$0.isOption }.map(\.form)
        return Manual.items(
            lines.map { ("\($0.name) \($0.value ?? "")", $0.sentence, $0.details) })
    }

    /// The items of the manual of the configuration for lines that are options, too.
    private static var manualOptionLineItems: String {
        let lines = Options.table.filter { $0.isOption && $0.isLine }.map(\.form)
        return Manual.items(
            lines.map {
                (
                    "\($0.name) \($0.value ?? "")",
                    $0.sentence + ($0.defaultValue.map { " Default: \($0)." } ?? ""), ""
                )
            })
    }

    /// The configuration that a package installs: each line as a comment, with what it does.
    private static var sampleConfiguration: String {
        Options.table.filter(\.isLine).map { option in
            let form = option.form
            let value = form.value.map { " \($0)" } ?? ""
            let sentence = form.sentence.replacing("`", with: "").replacing("--", with: "")
            let usual = form.defaultValue.map { " Default: \($0)." } ?? ""
            return "# \(sentence)\(usual)\n#\(form.name)\(value)"
        }.joined(separator: "\n\n")
    }

    /// The table of metrics in `docs/operations.md`.
    private static var metricTable: String {
        let rows = MetricFamily.all.map { family in
            let labels = family.labels.map { label in
                MetricFamily.privateLabels.contains(label) ? "`\(label)`*" : "`\(label)`"
            }
            return
                "| `\(family.name)` | \(family.kind.rawValue) | \(labels.joined(separator: ", ")) | \(family.help) |"
        }
        return (["| family | type | labels | |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    /// The table of the kinds of lines of the log in `docs/operations.md`.
    private static var logTable: String {
        (["| kind | what the line says |", "|---|---|"]
            + LogKind.allCases.map { "| `\($0.name)` | \($0.meaning) |" }).joined(separator: "\n")
    }

    /// The table of limits in `docs/network.md`.
    private static var networkLimitTable: String {
        let rows = Limit.settable.map { limit in
            let value = limit.text(ServerLimits())
            return
                "| `\(limit.setting ?? "")` | \(value) | \(limit.namedLimit.subject) | \(limit.namedLimit.consequence) |"
        }
        return (["| name | default | what it limits | at the limit |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    /// The table of limits in `docs/protocol.md`.
    private static var protocolLimitTable: String {
        func row<Owner>(_ limit: NamedLimit<Owner>, _ owner: Owner) -> String {
            "| `\(limit.name)` | \(limit.value(owner)) | \(limit.subject) | \(limit.consequence) |"
        }
        let rows =
            ServerLimits.table.map { row($0.namedLimit, ServerLimits()) }
            + WireLimits.table.map { row($0, Limits()) }
        return (["| name | default | what it limits | at the limit |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    /// An operator's own page in an overlay.
    private static let overlayExample = "Examples/cases/overlay/scores.html"

    /// The generated parts of files: the file, the name in the marks around the part (nil if the whole file is generated), and
    /// the text. The synopsis leaves out the last two options, `--help` and `--version`.
    private static let generatedParts =
        [
            GeneratedPart("docs/man/gamed.8", "synopsis", Manual.synopsis(options.dropLast(2))),
            GeneratedPart("docs/man/gamed.8", "options", Manual.items(options)),
            GeneratedPart("docs/man/gamed.8", "limits", manualLimitItems),
            GeneratedPart("docs/man/gamed.8", "lines", manualLineItems),
            GeneratedPart("docs/man/gamed.conf.5", "options", manualOptionLineItems),
            GeneratedPart("docs/man/gamed.conf.5", "lines", manualLineItems),
            GeneratedPart("docs/man/gamed.conf.5", "limits", manualLimitItems),
            GeneratedPart("Service/gamed.conf", "lines", sampleConfiguration),
            GeneratedPart("docs/operations.md", "metrics", metricTable),
            GeneratedPart("docs/operations.md", "log", logTable),
            GeneratedPart("docs/network.md", "limits", networkLimitTable),
            GeneratedPart("docs/protocol.md", "limits", protocolLimitTable),
            GeneratedPart(
                "docs/network.md", overlayExample,
                "```html\n\(RepositoryFile.text(overlayExample))```"),
            GeneratedPart("Completions/gamed.bash", nil, completions.bash),
            GeneratedPart("Completions/_gamed", nil, completions.zsh),
            GeneratedPart("Completions/gamed.fish", nil, completions.fish),
        ] + ClientsPage.generatedParts

    @Test func `the text generated from the daemon's tables is up to date`() {
        for part in Self.generatedParts {
            #expect(part.checkOrGenerate(), "\(part) is out of date: run make generate")
        }
    }
}
