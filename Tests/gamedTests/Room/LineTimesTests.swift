import Journal
import Testing
import Timers

@testable import GamedServer

/// From which time a line applies.
@Suite struct LineTimesTests {
    /// The notes of a database, which can be away.
    private final class Notes {
        var notes: [String: String] = [:]
        var isAway = false

        func note(
            _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
        ) {
            if isAway { return done(.failure(StoreError(.other, why: "away"))) }
            let found = notes[name] ?? value
            notes[name] = found
            done(.success(found))
        }
    }

    private let notes = Notes()

    private func node(_ times: [UInt64: Instant] = [:]) -> LineTimes {
        LineTimes(times, note: notes.note) { [notes] in notes.notes[$0] = nil }
    }

    private func second(_ number: Int64) -> Instant { .zero + .seconds(number) }

    @Test
    func `a line counts from the first node that has it, and after its removal from its return`() {
        let (a, b) = (node([1: .zero]), node([1: .zero]))
        a.reload([1, 2], at: second(10))
        b.reload([1, 2], at: second(20))
        #expect([a, b].map { $0.startTime(of: 2) } == [second(10), second(10)])
        #expect([a, b].map { $0.startTime(of: 1) } == [.zero, .zero])
        #expect(a.startTime(of: 99) == .zero, "a line of another kind")

        for node in [a, b] { node.reload([1], at: second(30)) }
        #expect(notes.notes.isEmpty)
        for node in [a, b] { node.reload([1, 2], at: second(40)) }
        #expect([a, b].map { $0.startTime(of: 2) } == [second(40), second(40)])
    }

    @Test func `a note is written when the database is back, with the time of the reload`() {
        let a = node()
        notes.isAway = true
        a.reload([1, 2], at: second(10))
        a.writeNotes()
        #expect(notes.notes.isEmpty && a.startTime(of: 1) == second(10))
        notes.isAway = false
        a.writeNotes()
        #expect(notes.notes.count == 2)
        #expect(notes.notes[LineTimes.noteName(of: 1)] == LineTimes.noteText(second(10)))
    }
}
