import Journal
import Timers

/// Since when the nodes that share a database have each `on` line that opens or sends to another session.
///
/// The next owner of a shard applies these lines to the changes of the last hour. A line that was added within that hour must not
/// be applied to earlier changes. The first node that has a line notes the time in the database, where all nodes read it. A node
/// that removes the line, when its configuration is read again, removes the note.
final class LineTimes {
    /// Writes a note unless there is one of that name, and reports the note that the database has then.
    typealias Note = (
        _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
    ) -> Void

    private let note: Note
    private let forget: (_ name: String) -> Void
    private var times: [UInt64: Instant]
    /// The lines whose notes are not known to be written.
    private var unwritten: Set<UInt64> = []
    private var isWriting = false

    /// The note that says that nodes have noted lines. Lines of a database without it may have been there before.
    static let beganNote = "lines"

    /// The name of the note with the time of a line, by the number of the line's text.
    static func note(of line: UInt64) -> String { "line:\(String(line, radix: 36))" }

    static func value(_ instant: Instant) -> String { "\(instant.nanoseconds)" }

    /// The time in a note; nil if the note has none.
    static func instant(_ value: String) -> Instant? {
        Int64(value).map { Instant(nanoseconds: $0) }
    }

    /// `times` are those of this node's lines at its start, which are noted already.
    init(
        _ times: [UInt64: Instant], note: @escaping Note, forget: @escaping (_ name: String) -> Void
    ) {
        (self.times, self.note, self.forget) = (times, note, forget)
    }

    /// Since when the nodes have a line, in the database's time. `zero` for a line of another kind.
    func since(_ line: UInt64) -> Instant { times[line] ?? .zero }

    /// The node has these lines from now on.
    func reload(_ lines: Set<UInt64>, at now: Instant) {
        for line in times.keys.sorted() where !lines.contains(line) {
            times[line] = nil
            unwritten.remove(line)
            forget(Self.note(of: line))
        }
        for line in lines where times[line] == nil {
            times[line] = now
            unwritten.insert(line)
        }
        write()
    }

    /// Writes the notes that are not written yet, one after the other. Call it again after a failure.
    func write() {
        guard !isWriting, let line = unwritten.min(), let time = times[line] else { return }
        isWriting = true
        note(Self.note(of: line), Self.value(time)) { [weak self] result in
            guard let self else { return }
            isWriting = false
            guard case .success(let value) = result else { return }
            // The line may have been removed meanwhile.
            if unwritten.remove(line) != nil { times[line] = Self.instant(value) ?? time }
            write()
        }
    }
}
