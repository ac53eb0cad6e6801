/// Texts that take long to check if the checker has no limits.
enum HostileFile {
    private static let size = 262_144

    static var all: [(name: String, text: [UInt8])] {
        [
            ("brackets", Array(String(repeating: "[", count: size).utf8)),
            ("braces", Array((head + "  a: " + String(repeating: "{a: ", count: size / 5)).utf8)),
            ("indents", indents), ("rows", filled("      - stay\n", "  a:\n    on:\n      go:\n")),
            (
                "million-rows",
                Array((head + String(repeating: "      - stay\n", count: 1_000_000)).utf8)
            ),
            ("text", filled("x", "  a: {title: ")),
            ("expression", filled("(", "  a:\n    on:\n      go: {if: ")),
            ("sum", filled("1+", "  a:\n    on:\n      go: {if: ")),
            ("states", numbered { "  s\($0): {on: {go: t\($0)}}\n" }),
            ("keys", numbered { "  a\($0): {b\($0): c}\n" }),
            ("names", filled("go, ", "  a:\n    on:\n      ")),
            ("quotes", filled("\\u0041", "  a: {title: \"")),
            ("comments", filled("#\n", "")),
            ("anchors", filled("- &a *a\n", "")),
        ]
    }

    private static let head = "flow: f\nstart: a\nevents: {go: }\nstates:\n"

    /// The text up to the limit of a file's size.
    private static func filled(_ piece: String, _ before: String) -> [UInt8] {
        let start = Array((head + before).utf8)
        let count = (size - start.count) / piece.utf8.count
        return start + Array(String(repeating: piece, count: count).utf8)
    }

    private static func numbered(_ line: (Int) -> String) -> [UInt8] {
        var text = Array(head.utf8)
        var number = 0
        while text.count < size - 64 {
            text += Array(line(number).utf8)
            number += 1
        }
        return text
    }

    private static var indents: [UInt8] {
        var text = Array(head.utf8)
        var depth = 1
        while text.count + depth + 4 < size {
            text += Array((String(repeating: " ", count: depth) + "a:\n").utf8)
            depth += 1
        }
        return text
    }
}
