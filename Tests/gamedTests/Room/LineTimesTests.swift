import Cluster
import Journal
import Testing
import Timers

@testable import GamedServer

/// `LineTimes` knows from which time each link line applies. A link line is an `on` line that opens another session, or sends
/// an event to another session. Nodes that share a database agree on this time by notes in the database.
@Suite struct LineTimesTests {
    /// The notes of a database that can be unavailable.
    private final class FakeNotes {
        var texts: [String: String] = [:]
        var isUnavailable = false

        func addNote(
            _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
        ) {
            if isUnavailable { return done(.failure(StoreError(.other, why: "away"))) }
            let found = texts[name] ?? value
            texts[name] = found
            done(.success(found))
        }
    }

    private let notes = FakeNotes()

    /// The line times of a node. `times` has the start times of the lines that the node has at its start, by fingerprint.
    private func makeNode(_ times: [UInt64: Instant] = [:]) -> LineTimes {
        LineTimes(times, addNote: notes.addNote) { [notes] in notes.texts[$0] = nil }
    }

    private func second(_ number: Int64) -> Instant { .zero + .seconds(number) }

    @Test
    func
        `a line applies from the reload that first adds it, or adds it again after a removal`()
    {
        let (a, b) = (makeNode([1: .zero]), makeNode([1: .zero]))
        a.reload([1, 2], at: second(10))
        b.reload([1, 2], at: second(20))
        #expect([a, b].map { $0.startTime(of: 2) } == [second(10), second(10)])
        #expect([a, b].map { $0.startTime(of: 1) } == [.zero, .zero])
        #expect(
            a.startTime(of: 99) == .zero,
            "a line that is not a link line has a start time other than zero")

        for node in [a, b] { node.reload([1], at: second(30)) }
        #expect(notes.texts.isEmpty)
        for node in [a, b] { node.reload([1, 2], at: second(40)) }
        #expect([a, b].map { $0.startTime(of: 2) } == [second(40), second(40)])
    }

    @Test func `a note is written when the database is back, with the time of the reload`() {
        let a = makeNode()
        notes.isUnavailable = true
        a.reload([1, 2], at: second(10))
        a.writeNotes()
        #expect(notes.texts.isEmpty && a.startTime(of: 1) == second(10))
        notes.isUnavailable = false
        a.writeNotes()
        #expect(notes.texts.count == 2)
        #expect(notes.texts[LineTimes.noteName(of: 1)] == LineTimes.noteText(second(10)))
    }
}
