import GameFlow
import GeneratedText
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
    private static var manualLimits: String {
        Limit.settable.flatMap { limit in
            [".It Cm \(limit.setting ?? "")"]
                + Manual.lines("\(limit.sentence) \(limit.shown.consequence)")
        }.joined(separator: "\n")
    }

    /// The items of the lines that exist only in a configuration.
    private static var manualLines: String {
        let lines = Options.table.filter { !$0.isOption }.map(\.form)
        return Manual.items(
            lines.map { ("\($0.name) \($0.value ?? "")", $0.sentence, $0.details) })
    }

    private static var networkLimits: String {
        let rows = Limit.settable.map { limit in
            let value = limit.text(ServerLimits())
            return
                "| `\(limit.setting ?? "")` | \(value) | \(limit.shown.subject) | \(limit.shown.consequence) |"
        }
        return (["| name | default | what it limits | at the limit |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static var protocolLimits: String {
        func row<Owner>(_ limit: NamedLimit<Owner>, _ owner: Owner) -> String {
            "| `\(limit.name)` | \(limit.value(owner)) | \(limit.subject) | \(limit.consequence) |"
        }
        let rows =
            ServerLimits.table.map { row($0.shown, ServerLimits()) }
            + WireLimits.table.map { row($0, Limits()) }
        return (["| name | default | what it limits | at the limit |", "|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static let parts = [
        GeneratedPart("docs/man/gamed.8", "synopsis", Manual.synopsis(options.dropLast(2))),
        GeneratedPart("docs/man/gamed.8", "options", Manual.items(options)),
        GeneratedPart("docs/man/gamed.8", "limits", manualLimits),
        GeneratedPart("docs/man/gamed.8", "lines", manualLines),
        GeneratedPart("docs/network.md", "limits", networkLimits),
        GeneratedPart("docs/protocol.md", "limits", protocolLimits),
        GeneratedPart("Completions/gamed.bash", nil, completions.bash),
        GeneratedPart("Completions/_gamed", nil, completions.zsh),
        GeneratedPart("Completions/gamed.fish", nil, completions.fish),
    ]

    @Test func `the text generated from the daemon's tables is up to date`() {
        for part in Self.parts {
            #expect(part.isUpToDate, "\(part) is out of date: run make generate")
        }
    }
}
