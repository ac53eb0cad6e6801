import GameFlow
import Testing

@testable import FlowFiles

/// Texts by language, and the setting that selects the language of a session.
@Suite struct LanguageTests {
    private static let door = """
        flow: door
        languages: [en, de]
        title: {en: The door, de: Die Tür}
        start: shut
        effects: [say]
        events:
          knock: {args: {who: {type: text 1..20, title: {en: Name, de: Name}}}, suggest: [{en: Ann, de: Anne}]}
        states:
          shut:
            note: {en: Nobody is here, de: Niemand ist da}
            data: {knocks: integer = 0}
            show: {text: {en: ='Knocks ' + text(knocks), de: ='Geklopft ' + text(knocks)}}
            on:
              knock:
                - {if: who == 'Bob', refuse: {who: {en: not you, de: du nicht}}}
                - {if: knocks > 0, refuse: {en: too often, de: zu oft}}
                - {with: {knocks: =knocks + 1}, do: [{say: {text: {en: =who + ' knocks', de: =who + ' klopft'}}}]}
        """

    private func flow(_ language: String? = nil) throws -> AnyFlow {
        let settings = language.map { [Member("language", $0)] } ?? []
        return try flowFile(Self.door).flow.with(settings: settings)
    }

    @Test func `a session has the first language unless its setting names another`() throws {
        #expect(try flow().presentation.flow.title == "The door")
        let german = try flow("de")
        #expect(german.presentation.flow.title == "Die Tür")
        #expect(german.presentation.states["shut"]?.label.note == "Niemand ist da")
        #expect(german.presentation.events["knock"]?.suggestions == ["Anne"])
        let shut = StateRecord("shut", [Member("knocks", 2)])
        #expect(german.clientView?.screen(shut)?.members == [Member("text", "Geklopft 2")])
        #expect(try flow("en").clientView?.screen(shut)?.members == [Member("text", "Knocks 2")])
        #expect(try flow().language == "en" && german.language == "de")
        let text = "flow: f\nlanguages: [en]\nstart: a\nstates:\n  a: {}\n"
        #expect(try flowFile(text).flow.language == nil)
    }

    @Test func `each language can be read, whatever the session has`() throws {
        let flow = try flow()
        #expect(flow.presentation.languages == ["en", "de"])
        #expect(flow.presentation(in: "de")?.flow.title == "Die Tür")
        #expect(flow.presentation(in: "fr") == nil)
        #expect(throws: Reason.self) { try self.flow("fr") }
    }

    /// The Kelvin sign is equal to K as Swift compares texts.
    @Test func `the names of languages are compared byte by byte`() throws {
        let text = "flow: f\nlanguages: [en, Ko]\nstart: a\nstates:\n  a: {}\n"
        let flow = try flowFile(text).flow
        #expect(flow.presentation(in: "Ko") != nil)
        #expect(flow.presentation(in: "\u{212A}o") == nil)
        #expect(throws: Reason.self) {
            try flow.with(settings: [Member("language", "\u{212A}o")])
        }
    }

    @Test func `refusals and messages are in the language of the session`() throws {
        let game = try PlayedFlow(Self.door, settings: [Member("language", "de")])
        #expect(game.send("knock", Member("who", "Bob")) == "invalid: who: du nicht")
        #expect(game.send("knock", Member("who", "Ann")) == "shut")
        #expect(
            game.effects == [
                EffectRecord(name: "say", arguments: [Member("text", "Ann klopft")])
            ])
        #expect(game.send("knock", Member("who", "Ann")) == "invalid: zu oft")
    }

    @Test(arguments: [
        ("title: {en: Hi}", "3:8: this text is missing in de"),
        (
            "settings: {language: x}",
            "a flow with languages has the setting language already; remove it here"
        ),
        ("settings: {de: 1}", "3:12: de is a language of this flow; choose another name"),
        (
            "title: {fr: Salut}",
            "3:9: fr is not among the languages of this file, en, de; remove it here, or add it to languages"
        ),
        (
            "title: {en: Hello, fr: Salut}",
            "3:20: fr is not among the languages of this file, en, de; remove it here, or add it to languages"
        ),
        ("title: {a_b: big}", "3:8: expected a text, not a map"),
    ])
    func `a wrong use of languages is a mistake`(_ line: String, _ end: String) {
        let found = findings(
            "flow: f\nlanguages: [en, de]\n\(line)\nstart: a\nstates:\n  a: {}\n")
        #expect(found.contains { $0.hasSuffix(end) }, "\(found)")
    }

    @Test(arguments: [
        ("[en, en]", "en is in the list already"),
        ("[e]", "e is not a language such as en or pt-BR"),
        ("[]", "write languages: [en, de], the language of sessions first"),
    ])
    func `a wrong list of languages is a mistake`(_ list: String, _ end: String) {
        let found = findings("flow: f\nlanguages: \(list)\nstart: a\nstates:\n  a: {}\n")
        #expect(found.contains { $0.hasSuffix(end) }, "\(found)")
    }

    /// The text of a language is checked even if no session has chosen the language yet.
    @Test func `a mistake in the text of the second language is found`() {
        let found = findings(Self.door.replacing("='Geklopft '", with: "=1 + 'Geklopft '"))
        #expect(found.count == 1, "\(found)")
    }

    @Test func `without the key languages, a map is no text`() {
        let text = Self.door.replacing("languages: [en, de]\n", with: "")
        let sentence = "2:9: this file has no languages; write one text, or begin the file with"
        #expect(findings(text).contains("\(sentence) languages: [en, de]"), "\(findings(text))")
    }
}
