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
}
