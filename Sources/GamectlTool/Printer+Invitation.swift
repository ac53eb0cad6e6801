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
                    "\(code) at \(TerminalSafe.escaped(String(page))), until \(try localTime(result, "codeUntil"))"
                ]
            ), ("allows", [try permission(result)]), ("until", [try localTime(result, "until")]),
            ("token", [try result.escapedText("name")]),
        ]
        return (terminal.isTerminal && terminal.hasUnicode ? qrCode(link) : [])
            + nameValueLines(pairs, indent: "")
    }

    /// A time of the result in the reader's time zone, without the date if it is today: `18:52:06`.
    private func localTime(_ result: Value, _ name: String) throws(CommandError) -> String {
        let text = try result.text(name)
        // A text of another form is printed as it is.
        guard let ms = ClockText.milliseconds(of: text) else { return TerminalSafe.escaped(text) }
        return ClockText.timeOrDate(ms, hasMilliseconds: false)
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
