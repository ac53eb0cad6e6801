import GameFlow
import QRCode
import Shell

/// Prints the result of `invite`: an invitation.
extension Printer {
    /// The QR code on a terminal, then the link and the code.
    func invitation(_ result: Value) throws(CommandError) -> [String] {
        let link = try result.text("link")
        // The page where guests type the code: the link without its fragment, which contains a secret.
        let page = link.prefix { $0 != "#" }
        let code = try result.escapedText("code")
        let pairs = [
            ("link", [TerminalSafe.escaped(link)]),
            (
                "code",
                [
                    "\(code) at \(TerminalSafe.escaped(String(page))), until \(try result.escapedText("codeUntil"))"
                ]
            ), ("allows", [try permission(result)]), ("until", [try result.escapedText("until")]),
            ("token", [try result.escapedText("name")]),
        ]
        return (terminal.isTerminal ? qrCode(link) : []) + nameValueLines(pairs, indent: "")
    }

    /// The QR code of the link and an empty line; empty if a QR code cannot contain the link.
    private func qrCode(_ link: String) -> [String] {
        QRCode(link).map { $0.lines(hasColour: terminal.hasColour) + [""] } ?? []
    }

    /// What the invitation allows, such as `play in session quiz as Ann, once`, or with a pattern of the allowed events and with
    /// fixed arguments: `play in session quiz, buzz* as Ann with team=red`.
    private func permission(_ result: Value) throws(CommandError) -> String {
        var text =
            "\(try result.escapedText("role")) in session \(try result.escapedText("session"))"
        if let event = result.find("event") { text += ", \(TerminalSafe.text(event))" }
        if let guest = result.find("as") { text += " as \(TerminalSafe.text(guest))" }
        if case .object(let fixedArguments)? = result.find("args") {
            text += " with \(TerminalSafe.pairs(fixedArguments))"
        }
        return try result.boolean("once") ? text + ", once" : text
    }
}
