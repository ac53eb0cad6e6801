import GameFlow
import Testing

@testable import FlowFiles

/// What rows say about more than one event: `as`, the effects of `leave`, and refusals of an event as a whole.
@Suite struct SharedRowTests {
    private static let doors = """
        flow: doors
        start: outside
        effects: [lightOff, lightOn, beep]
        events:
          open: {key: integer 0..9}
          force: {key: integer 0..9}
          shout: {key: text}
          leave:
        states:
          outside:
            data: {tries: integer = 0}
            leave: [{lightOff: {tries: =tries, key: =key}}]
            on:
              open:
                - {if: key == 7, to: inside, do: beep}
                - {if: tries < 2, with: {tries: =tries + 1}}
                - {refuse: ='not after ' + text(tries) + ' tries'}
              force: {as: open}
          inside:
            enter: lightOn
            on:
              leave: {refuse: 'true'}
              open: {refuse: true}
        """

    private func game() throws -> PlayedFlow {
        try PlayedFlow(Self.doors)
    }

    @Test func `an event with as is handled by the rows of the other event, under its own name`()
        throws
    {
        let game = try game()
        #expect(game.send("force", Member("key", 1)) == "outside")
        #expect(game.data == [Member("tries", 1)])
        #expect(game.steps.last?.event == EventRecord("force", [Member("key", 1)]))
        #expect(game.send("force", Member("key", 10)) == "invalid: key: not within 0…9")
        #expect(game.send("force", Member("key", 7)) == "inside")
    }

    @Test func `the effects of leave come first and see the event and the old data`() throws {
        let game = try game()
        game.send("open", Member("key", 1))
        game.send("open", Member("key", 7))
        #expect(
            game.effects == [
                EffectRecord(
                    name: "lightOff", arguments: [Member("tries", 1), Member("key", 7)]),
                EffectRecord(name: "lightOn"), EffectRecord(name: "beep"),
            ])
    }

    @Test func `a command that leaves a state asks for no effect`() throws {
        let game = try game()
        try game.machine.goto("inside", [], from: .program)
        #expect(game.effects == [])
    }

    @Test func `a text after refuse is the reason, which may be computed`() throws {
        let game = try game()
        for _ in 0..<2 { game.send("open", Member("key", 1)) }
        #expect(game.send("open", Member("key", 1)) == "invalid: not after 2 tries")
        game.send("force", Member("key", 7))
        // In quotes, `true` is a text.
        #expect(game.send("leave") == "invalid: true")
        #expect(game.send("open", Member("key", 1)) == "noTransition")
    }

    @Test(arguments: [
        (
            "go: {as: stop}",
            "8:14: go and stop need the same arguments with the same types and limits"
        ),
        ("stop: {as: nothing}", "8:20: there is no event nothing; expected one of go, stop, again"),
        ("stop: {as: again}", "8:20: there are no rows of again here"),
        (
            "stop: {as: again, to: b}",
            "8:16: as stands alone: the rows of again say everything else"
        ),
        (
            "stop: {as: again}\nagain: {as: stop}",
            "8:20: again itself is handled as another event; name that one"
        ),
        (
            "stop: [{as: again}]",
            "8:17: as replaces the list of rows; write stop: {as: again}"
        ),
        (
            "stop: {if: 1 == 1, do: [], else: {as: again}}",
            "8:43: as replaces the list of rows; write stop: {as: again}"
        ),
    ])
    func `a wrong use of as is a mistake with its position`(_ rows: String, _ sentence: String) {
        let text = """
            flow: f
            start: a
            events: {go: {n: integer}, stop: , again: }
            states:
              b:
              a:
                on:
            """
        let found = findings(
            text + "\n"
                + rows.split(separator: "\n").map { "        \($0)" }.joined(separator: "\n"))
        #expect(found.contains(sentence), "\(found)")
    }

    @Test func `the effects of leave are checked if no row leaves the state`() {
        let text = flowText("  leave: blink\n  on: {stop: stay}")
        #expect(findings(text) == ["9:12: there is no effect blink; expected one of beep"])
    }

    @Test func `as under everywhere needs rows of the other event in some state`() {
        let text = flowText("  on: {go: b}") + "\neverywhere: {on: {stop: {as: go}}}"
        #expect(findings(text).contains { $0.contains("same arguments") })
        let aliased = text.replacing("stop:\n", with: "stop:\n  end:\n")
            .replacing("{stop: {as: go}}", with: "{end: {as: stop}}")
        #expect(findings(aliased) == [], "\(findings(aliased))")
        let missing = aliased.replacing("on: {stop: a}", with: "on: {go: stay}")
        #expect(findings(missing).first?.hasSuffix("no state has rows of stop") == true)
    }

    @Test(arguments: ["false", "5"])
    func `a value that is no text does not follow refuse`(_ value: String) {
        #expect(
            findings(flowText("  on: {stop: {refuse: \(value)}}")) == [
                "9:25: write refuse: true, or '\(value)' for a text"
            ])
    }

    @Test func `the effects of leave are checked for each row that leaves the state`() {
        let text = flowText("  leave: {beep: {n: =n}}\n  on: {go: b, stop: {to: b, with: {n: 1}}}")
        #expect(
            findings(text).contains { $0.hasSuffix("there is no name n here") }, "\(findings(text))"
        )
        #expect(
            findings(flowText("  final: true\n  leave: beep")).first?.contains("is final") == true)
    }
}
