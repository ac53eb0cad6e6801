import GeneratedText
import Shell
import Testing

/// The manual in mdoc and the help, which are generated from the tables of options and verbs.
@Suite struct ManualTests {
    @Test(arguments: [
        ("PATH", "Ar path"), ("real|virtual", "Cm real | virtual"), ("D", "Ar duration"),
        ("NAME=VALUE", "Ar name Ns Cm = Ns Ar value"),
        ("HOST:PORT|unix:PATH", "Ar host:port | Cm unix: Ns Ar path"),
        ("hci:tcp:HOST:PORT", "Cm hci:tcp: Ns Ar host:port"),
    ])
    func `capitals in a value are arguments, and other text is literal`(
        _ value: String, _ mdoc: String
    ) {
        let option = LongOption("x-y", value: value, "Do it.")
        #expect(Manual.synopsis([option]) == ".Op Fl \\-x\\-y \(mdoc)")
        #expect(Manual.items([option]) == ".It Fl \\-x\\-y \(mdoc)\nDo it.")
    }

    @Test func `marked text gets a macro, and each sentence begins a new line`() {
        #expect(
            Manual.lines(
                "Use `a b`, `--no-x`; see gamed(8). It is in $HOME, /etc/x and [The log].\n.x")
                == [
                    "Use", ".Ql a b ,", ".Fl \\-no\\-x ;", "see", ".Xr gamed 8 .", "It is in",
                    ".Ev HOME ,", ".Pa /etc/x", "and", ".Sx The log .", "\\&.x",
                ])
    }

    @Test func `the parts of a verb's form in brackets are optional in mdoc`() {
        #expect(
            Manual.item("send [id=ID] ageMs EVENT [NAME=VALUE …]")
                == ".It Cm send Oo Cm id= Ns Ar id Oc Cm ageMs Ar event Oo Ar name Ns Cm = Ns Ar value Ar ... Oc"
        )
    }

    @Test func `the help wraps lines between words and indents them`() {
        let meaning = String(repeating: "word ", count: 30)
        let text = HelpText.rows([("short", meaning), (String(repeating: "x ", count: 60), "y")])
        let lines = text.split(separator: "\n")
        #expect(lines[0].hasPrefix("  short" + String(repeating: " ", count: 18) + "word"))
        #expect(lines[1].hasPrefix(String(repeating: " ", count: 25) + "word"))
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(lines.last?.drop { $0 == " " } == "y")
    }
}
