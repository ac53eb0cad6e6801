import GameFlow
import QRCode
import Shell

/// Prints an invitation.
extension Printer {
    /// The QR code on a terminal, then the link and the code.
    func invitation(_ result: Value) throws(CommandError) -> [String] {
        let link = try result.text("link")
        let page = link.prefix { $0 != "#" }
        let code = try result.escapedText("code")
        let pairs = [
            ("link", [TerminalSafe.escaped(link)]),
            (
                "code",
                [
                    "\(code) at \(TerminalSafe.escaped(String(page))), until \(try result.escapedText("codeUntil"))"
                ]
            ), ("allows", [try allowed(result)]), ("until", [try result.escapedText("until")]),
            ("token", [try result.escapedText("name")]),
        ]
        return (terminal.isTerminal ? picture(link) : []) + nameValueLines(pairs, indent: "")
    }

    private func picture(_ link: String) -> [String] {
        QRCode(link).map { $0.lines(hasColour: terminal.hasColour) + [""] } ?? []
    }

    /// `play in session quiz as "Ann", once`.
    private func allowed(_ result: Value) throws(CommandError) -> String {
        var words =
            "\(try result.escapedText("role")) in session \(try result.escapedText("session"))"
        if let event = result.find("event") { words += ", \(TerminalSafe.text(event))" }
        if let guest = result.find("as") { words += " as \(TerminalSafe.text(guest))" }
        if case .object(let bound)? = result.find("args") {
            words += " with \(TerminalSafe.pairs(bound))"
        }
        return try result.boolean("once") ? words + ", once" : words
    }
}
