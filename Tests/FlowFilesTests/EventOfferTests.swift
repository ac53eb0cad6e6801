import GameFlow
import Testing

@testable import FlowFiles

/// How the screens offer an event: `confirm`, `danger`, `key`, `hint` and `buzz`.
@Suite struct EventOfferTests {
    private func text(_ events: String) -> String {
        "flow: f\nstart: a\nevents:\n\(events.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))\nstates:\n  a:\n"
    }

    @Test func `the words of an event are in its presentation`() throws {
        let flow = try flowFile(
            text(
                """
                stop: {args: {}, confirm: true, danger: true, key: S}
                hint: {args: {}, hint: true}
                buzz: {args: {player: text}, buzz: true}
                """)
        ).flow
        let events = flow.presentation.events
        var expected = FlowPresentation.Offer()
        (expected.needsConfirmation, expected.isDangerous, expected.key) = (true, true, "s")
        #expect(events["stop"]?.offer == expected)
        #expect(events["hint"]?.offer.isHint == true)
        #expect(events["buzz"]?.offer.isBuzzer == true)
    }

    @Test func `an event that a state always refuses with a reason is not accepted`() throws {
        let file = try flowFile(
            """
            flow: f
            start: a
            events:
              buzz: {args: {player: text 1..20}, buzz: true}
              solve: {code: text 1..9}
              close: {}
            states:
              a:
                on:
                  buzz: {refuse: {player: too late}}
                  close: {refuse: not now}
                  solve: [{if: "code == 'NORTH'", to: b}, {refuse: {code: wrong}}]
              b: {final: true}
            """)
        let game = PlayedFlow(file.flow)
        try game.open()
        #expect(game.machine.accepts == ["solve"])
    }

    @Test(arguments: [
        ("go: {args: {}, confirm: yes}", "expected confirm: true"),
        (
            "go: {args: {}, collect: 2s}",
            "collect: expected a duration up to 1s, such as 150ms"
        ),
        (
            "go: {args: {}, collect: 0s}",
            "collect: expected a duration up to 1s, such as 150ms"
        ),
        (
            "go: {args: {}, collect: soon}",
            "collect: expected a duration up to 1s, such as 150ms"
        ),
        ("go: {args: {}, key: F1}", "expected one letter or digit, such as key: r"),
        ("go: {args: {}, key: g}\nget: {args: {}, key: G}", "g is the key of go already"),
        (
            "go: {args: {}, buzz: true, confirm: true}",
            "a buzzer asks nothing; remove confirm or buzz"
        ),
    ])
    func `a wrong word is a mistake`(_ events: String, _ sentence: String) {
        let found = findings(text(events))
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    @Test func `a buzzer whose arguments a phone does not send is a warning`() throws {
        let events = """
            buzz:
              args:
                player: text
                team: text
                note: optional text
              buzz: true
            """
        let file = try flowFile(text(events))
        #expect(
            file.warnings.map { "\($0)" } == [
                "f.yaml:7:7: the button of a phone sends only player; remove team or make it optional, unless a rule or an invitation binds it"
            ])
    }

    private func buzzers(_ states: String) -> [String] {
        findings(
            """
            flow: f
            start: a
            events:
              buzz: {args: {player: text}, buzz: true}
              slam: {args: {player: text}, buzz: true}
            \(states)

            """)
    }

    @Test func `a state that always takes two buzzers is a mistake at the second`() {
        let sentence =
            "a takes the buzzers buzz and slam, and a phone shows one button; keep one of them"
        let own = buzzers("states:\n  a:\n    on:\n      buzz: stay\n      slam: stay")
        #expect(own == ["10:7: \(sentence)"])
        let everywhere = buzzers(
            "states:\n  a: {on: {buzz: stay}}\n  b: {on: {slam: {refuse: true}}}\n"
                + "everywhere:\n  on: {slam: stay}")
        #expect(everywhere.count == 1 && everywhere[0].hasPrefix("10:8: \(sentence)"))
        // One state takes one at a time.
        let other = "states:\n  a: {on: {buzz: b}}\n  b: {on: {slam: a}}"
        #expect(buzzers(other) == [])
        let choice = """
            data: {fast: boolean = false}
            states:
              a:
                on:
                  buzz: {if: not fast, with: {fast: true}}
                  slam: {if: fast, with: {fast: false}}
            """
        #expect(buzzers(choice) == [])
        let refusals = """
            data: {fast: boolean = false}
            states:
              a:
                on:
                  buzz: [{if: fast, refuse: true}, {with: {fast: true}}]
                  slam: [{if: not fast, refuse: true}, {with: {fast: false}}]
            """
        #expect(buzzers(refusals) == [])
    }
}
