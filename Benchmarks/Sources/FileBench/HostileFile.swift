/// Texts that would take long to check if the checker had no limits.
enum HostileFile {
    /// The size limit of a flow file, in bytes.
    private static let sizeLimit = 262_144

    /// All texts, by the names that FileBench prints.
    static var all: [(name: String, text: [UInt8])] {
        [
            ("brackets", Array(String(repeating: "[", count: sizeLimit).utf8)),
            (
                "braces",
                Array((head + "  a: " + String(repeating: "{a: ", count: sizeLimit / 5)).utf8)
            ),
            ("indents", indents),
            ("rows", filled(after: "  a:\n    on:\n      go:\n", with: "      - stay\n")),
            (
                "million-rows",
                Array((head + String(repeating: "      - stay\n", count: 1_000_000)).utf8)
            ),
            ("text", filled(after: "  a: {title: ", with: "x")),
            ("expression", filled(after: "  a:\n    on:\n      go: {if: ", with: "(")),
            ("sum", filled(after: "  a:\n    on:\n      go: {if: ", with: "1+")),
            ("states", numbered { "  s\($0): {on: {go: t\($0)}}\n" }),
            ("keys", numbered { "  a\($0): {b\($0): c}\n" }),
            ("names", filled(after: "  a:\n    on:\n      ", with: "go, ")),
            ("quotes", filled(after: "  a: {title: \"", with: "\\u0041")),
            ("comments", filled(after: "", with: "#\n")),
            ("anchors", filled(after: "", with: "- &a *a\n")),
        ]
    }

    /// The header of a valid file, up to its states.
    private static let head = "flow: f\nstart: a\nevents: {go: }\nstates:\n"

    /// A file of the maximum size: the header, `prefix`, and `piece` as often as it fits.
    private static func filled(after prefix: String, with piece: String) -> [UInt8] {
        let start = Array((head + prefix).utf8)
        let count = (sizeLimit - start.count) / piece.utf8.count
        return start + Array(String(repeating: piece, count: count).utf8)
    }

    /// A file of about the maximum size: the header, and the lines for 0, 1, 2 and so on.
    private static func numbered(_ line: (Int) -> String) -> [UInt8] {
        var text = Array(head.utf8)
        var number = 0
        // One more line has at most 64 bytes.
        while text.count < sizeLimit - 64 {
            text += Array(line(number).utf8)
            number += 1
        }
        return text
    }

    /// A file of about the maximum size in which each line is indented more than the line before.
    private static var indents: [UInt8] {
        var text = Array(head.utf8)
        var depth = 1
        while text.count + depth + 4 < sizeLimit {
            text += Array((String(repeating: " ", count: depth) + "a:\n").utf8)
            depth += 1
        }
        return text
    }
}
