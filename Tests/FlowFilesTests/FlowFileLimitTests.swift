import GameFlow
import Testing

@testable import FlowFiles

@Suite struct FlowFileLimitTests {
    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
        (0..<count).map(item).joined(separator: ", ")
    }

    /// A file that exceeds the limit.
    private static func file(exceeding limit: FlowFileLimit) -> String {
        let count = limit.maximum + 1
        let head = "flow: f\nstart: a\n"
        let end = "\nstates: {a: }"
        switch limit {
        case .bytes: return head + "#" + String(repeating: "x", count: count) + end
        case .levels:
            return head + "title: " + String(repeating: "[", count: count)
                + String(repeating: "]", count: count) + end
        case .nodes: return head + "title: [" + list(count) { _ in "1" } + "]" + end
        case .findings: return head + "events: {" + list(count) { "e\($0): {x: y}" } + "}" + end
        case .nameLength: return "flow: \(String(repeating: "f", count: count))\nstart: a" + end
        case .textLength: return head + "title: " + String(repeating: "x", count: count) + end
        case .entries:
            return head + "events: {e: {x: \"one of " + list(count) { "a\($0)" } + "\"}}" + end
        case .expressionLength:
            return head + "events: {e: }\nstates: {a: {on: {e: {if: "
                + String(repeating: "1+", count: count) + "1 == 1}}}}"
        case .expressionLevels:
            return head + "events: {e: }\nstates: {a: {on: {e: {if: "
                + String(repeating: "(", count: count) + "true"
                + String(repeating: ")", count: count)
                + "}}}}"
        case .states: return head + "states: {" + list(count) { "a\($0): " } + "}"
        case .events: return head + "events: {" + list(count) { "e\($0): " } + "}" + end
        case .timers:
            let half = count / 2 + 1
            return head + "states: {a: {timers: {" + list(half) { "t\($0): {after: 1s}" }
                + "}}, b: {timers: {" + list(half) { "u\($0): {after: 1s}" } + "}}}"
        case .effects: return head + "effects: [" + list(count) { "e\($0)" } + "]" + end
        case .settings: return head + "settings: {" + list(count) { "s\($0): 1" } + "}" + end
        case .data:
            return head + "states: {a: {data: {" + list(count) { "d\($0): integer = 1" } + "}}}"
        case .arguments: return head + "events: {e: {" + list(count) { "a\($0): text" } + "}}" + end
        case .rows:
            return head + "events: {e: }\nstates: {a: {on: {e: ["
                + list(count) { _ in "{if: true, to: a}" } + "]}}}"
        case .table:
            // Each of the 101 rows of `everywhere` counts once for each of the 100 states.
            return head + "events: {" + list(101) { "e\($0): " } + "}\nstates: {"
                + list(100) { $0 == 0 ? "a: " : "a\($0): " } + "}\neverywhere: {on: {"
                + list(101) { "e\($0): stay" } + "}}"
        case .tables:
            return head + "tables: {" + list(count) { "t\($0): {columns: {n: text}, rows: []}" }
                + "}" + end
        case .languages:
            return head + "languages: ["
                + list(count) { "l\(Character(UnicodeScalar(97 + UInt8($0))))" }
                + "]" + end
        case .columns:
            return head + "tables: {t: {columns: {" + list(count) { "n\($0): text" }
                + "}, rows: []}}" + end
        case .tableRows:
            return head + "tables: {t: {columns: {n: text}, rows: [" + list(count) { _ in "{n: x}" }
                + "]}}" + end
        case .tableBytes: return head + "tables: {t: {columns: {n: text}, file: large.csv}}" + end
        case .tablesBytes:
            return head + "tables: {"
                + list(3) { "t\($0): {columns: {n: text}, file: half\($0).csv}" } + "}" + end
        case .shuffledRows:
            return head + "events: {e: }\ntables: {t: {columns: {n: text}, rows: ["
                + list(count) { _ in "{n: x}" } + "]}}\nstates: {a: {data: {o: order of t}, "
                + "on: {e: {with: {o: =shuffle(t)}}}}}"
        case .invariants:
            return head + "always: [" + list(count) { _ in "{that: 1 == 1}" } + "]" + end
        case .samples:
            return head + "events: {e: {n: {type: integer, samples: [" + list(count) { "\($0)" }
                + "]}}}" + end
        }
    }

    /// The table files that the files exceeding limits name.
    private static let tableFiles = [
        table("large", bytes: FlowFileLimit.tableBytes.maximum + 1),
        table("half0", bytes: FlowFileLimit.tablesBytes.maximum / 2),
        table("half1", bytes: FlowFileLimit.tablesBytes.maximum / 2), table("half2", bytes: 1),
    ]

    private static func table(_ name: String, bytes count: Int) -> FlowSource.TableFile {
        .init(name: "\(name).csv", bytes: Array(repeating: UInt8(ascii: "n"), count: count))
    }

    @Test(arguments: FlowFileLimit.allCases)
    func `a file that exceeds a limit gets a finding with the limit's name`(_ limit: FlowFileLimit)
    {
        let sentences = findings(Self.file(exceeding: limit), tableFiles: Self.tableFiles)
        if limit == .findings {
            #expect(sentences.count == limit.maximum)
        } else {
            #expect(
                sentences.contains { $0.hasSuffix("(limit: \(limit))") },
                "\(sentences.prefix(3))")
        }
    }

    private static let hostileFiles: [(name: String, text: String)] = [
        ("brackets", String(repeating: "[", count: 262_144)),
        ("braces", String(repeating: "{", count: 262_144)),
        ("braces with keys", String(repeating: "{a: ", count: 65_536)),
        ("dashes", String(repeating: "- ", count: 131_072)),
        ("question marks", String(repeating: "? ", count: 131_072)),
        ("indentation", (0..<700).map { String(repeating: " ", count: $0) + "a:\n" }.joined()),
        ("a million rows", "a:\n" + String(repeating: "- a\n", count: 1_000_000)),
        (
            "rows of 256 KiB",
            "flow: f\nstart: a\nevents: {e: }\nstates: {a: {on: {e: ["
                + String(repeating: "{},", count: 80_000) + "]}}}"
        ),
        ("one text", "flow: " + String(repeating: "x", count: 262_000)),
        ("one quoted text", "flow: \"" + String(repeating: "\\x41", count: 65_000) + "\""),
        ("one block text", "flow: |\n" + String(repeating: "  x\n", count: 65_000)),
        (
            "one expression",
            "flow: f\nstart: a\nevents: {e: }\nstates: {a: {on: {e: {if: "
                + String(repeating: "1+", count: 130_000) + "}}}}"
        ),
        (
            "one type",
            "flow: f\nstart: a\nevents: {e: {x: \"one of " + String(repeating: "a,", count: 130_000)
                + "\"}}\nstates: {a: }"
        ),
        (
            "one integer",
            "flow: f\nstart: a\nsettings: {x: " + String(repeating: "1", count: 260_000)
                + "}\nstates: {a: }"
        ),
        (
            "keys of one row",
            "flow: f\nstart: a\nevents: {e: }\nstates: {a: {on: {\""
                + String(repeating: "e,", count: 120_000) + "\": stay}}}"
        ),
        ("anchors", String(repeating: "- &a x\n", count: 37_000)),
        ("equal keys", String(repeating: "a: 1\n", count: 52_000)),
        ("unknown keys", (0..<20_000).map { "k\($0): 1\n" }.joined()),
        (
            "states with unknown keys",
            "flow: f\nstart: a\nstates:\n"
                + (0..<200).map {
                    "  s\($0): {" + (0..<100).map { "k\($0): 1" }.joined(separator: ", ") + "}\n"
                }.joined()
        ),
        (
            "states that everywhere multiplies",
            "flow: f\nstart: s0\nevents: {" + (0..<250).map { "e\($0): " }.joined(separator: ", ")
                + "}\nstates: {" + (0..<250).map { "s\($0): " }.joined(separator: ", ")
                + "}\neverywhere: {on: {"
                + (0..<250).map { "e\($0): {if: 1 == 1, to: s\($0)}" }.joined(separator: ", ")
                + "}}"
        ),
        (
            "rows that enter a state with much data",
            "flow: f\nstart: a\nevents: {"
                + (0..<30).map { "e\($0): " }.joined(separator: ", ")
                + "}\nstates: {a: {data: {"
                + (0..<64).map { "d\($0): integer = 0" }.joined(separator: ", ")
                + "}, on: {"
                + (0..<30).map {
                    "e\($0): [" + String(repeating: "{if: d63==1, to: a},", count: 400) + "]"
                }.joined(separator: ", ")
                + "}}}"
        ),
        ("comments", String(repeating: "#\n", count: 131_072)),
        ("line ends", String(repeating: "\n", count: 262_144)),
        ("documents", String(repeating: "---\n", count: 65_536)),
        ("directives", String(repeating: "%TAG ! !\n", count: 29_000)),
        ("colons", String(repeating: ": ", count: 131_072)),
    ]

    @Test(arguments: hostileFiles.map(\.name))
    func `a hostile file is rejected with a reason`(_ name: String) {
        // Benchmarks measures how long the rejection takes.
        let text = Self.hostileFiles.first { $0.name == name }!.text
        #expect(!findings(text).isEmpty)
    }
}
