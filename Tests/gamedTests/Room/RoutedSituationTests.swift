import GameFlow
import Testing

@testable import GamedServer

/// How `RoutedEventSender` learns the situation of a session from the replies of its owner.
@Suite struct RoutedSituationTests {
    private func record(_ kind: String, _ seq: Int) -> Value {
        .object([Member("kind", .string(kind)), Member("seq", .int(seq))])
    }

    @Test func `the newest change is found behind newer refusals`() {
        let history = [
            Member(
                "records", .array([record("refused", 2), record("enter", 2), record("open", 1)]))
        ]
        let last = RoutedEventSender.lastChange(in: history)
        #expect(last["kind"]?.text == "enter")
        #expect(RoutedEventSender.lastChange(in: []).isEmpty)
    }
}
