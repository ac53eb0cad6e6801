import GameFlow
import Testing

@testable import FlowFiles

/// The names of pictures and sounds in flow files, and the effect `play`.
@Suite struct MediaNameTests {
    private func text(_ row: String) -> String {
        """
        flow: f
        start: a
        effects: [play]
        events: {go: {}}
        tables:
          cards:
            columns: {picture: text}
            rows: [{picture: owl.png}, {picture: ''}, {picture: mole.png}]
        states:
          a:
            data: {n: integer 1..3 = 1}
            show: {picture: "=cards[n].picture", sound: "='day.ogg' if n == 1 else 'night.ogg'"}
            on: {go: \(row)}
        """
    }

    @Test func `the files of literals, of table columns and of sounds are known`() throws {
        let flow = try flowFile(
            text("{to: a, do: [play: {sound: bell.ogg, volume: 80, loop: true}]}")
        )
        .flow
        let names = flow.presentation.files.map(\.name)
        #expect(names == ["owl.png", "mole.png", "day.ogg", "night.ogg", "bell.ogg"])
        #expect(flow.presentation.files.last?.place == "plays it")
    }

    @Test func `play without a sound is an effect as any other`() throws {
        let flow = try flowFile(text("{to: a, do: [play: {volume: loud}]}")).flow
        #expect(flow.mistakes == [])
    }

    @Test(arguments: [
        ("sound: ../bell.ogg", "\"../bell.ogg\" is not a file in the media directory"),
        ("sound: 5", "sound: expected the name of a file"),
        ("sound: a.ogg, volume: 101", "volume: expected 0 to 100"),
        ("sound: a.ogg, volume: loud", "volume: expected 0 to 100"),
        ("sound: a.ogg, loop: 1", "loop: expected true or false"),
        ("stop: all", "stop: expected true or false"),
        ("sound: a.ogg, until: later", "expected until: game"),
        ("sound: a.ogg, stop: true", "play starts a sound or stops all; remove sound or stop"),
    ])
    func `a wrong argument of play is a mistake`(_ arguments: String, _ sentence: String) {
        let found = findings(text("{to: a, do: [play: {\(arguments)}]}"))
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    @Test(arguments: [
        ("text: x, until: tomorrow", "expected until: game"),
        ("text: x, for: 30", "for: expected a duration such as 30s"),
        ("text: x, for: soon", "for: expected a duration such as 30s"),
    ])
    func `a wrong argument of say is a mistake`(_ arguments: String, _ sentence: String) {
        let file = text("{to: a, do: [say: {\(arguments)}]}")
            .replacing("effects: [", with: "effects: [say, ")
        let found = findings(file)
        #expect(found.count == 1 && found[0].hasSuffix(sentence), "\(found)")
    }

    @Test(arguments: [
        "text: x", "text: x, for: 30s, until: game", "text: x, for: =20s", "until: dawn",
    ])
    func `other arguments of say are no mistakes`(_ arguments: String) {
        let file = text("{to: a, do: [say: {\(arguments)}]}")
            .replacing("effects: [", with: "effects: [say, ")
        #expect(findings(file) == [])
    }

    @Test func `a picture of a table outside of the media directory is a mistake`() {
        let found = findings(text("a").replacing("owl.png", with: "/etc/passwd"))
        #expect(
            found.contains { $0.hasSuffix("\"/etc/passwd\" is not a file in the media directory") })
    }
}
