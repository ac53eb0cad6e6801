import Cluster
import GameFlow
import Testing

@testable import GamedServer

/// `NodeRequests` finds the last change of a session in the replies of the session's owner.
@Suite struct RoutedSituationTests {
    private func record(_ kind: String, _ seq: Int) -> Value {
        .object([Member("kind", .string(kind)), Member("seq", .int(seq))])
    }

    @Test func `the newest change is found, also if refusals are newer`() {
        let history = [
            Member(
                "records", .array([record("refused", 2), record("enter", 2), record("open", 1)]))
        ]
        let last = NodeRequests.lastChange(in: history)
        #expect(last["kind"]?.text == "enter")
        #expect(NodeRequests.lastChange(in: []).isEmpty)
    }
}
