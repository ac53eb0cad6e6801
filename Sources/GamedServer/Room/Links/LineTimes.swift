import Journal
import Timers

/// The time from which each `on` line about another session applies, for the nodes that share a database. Such a line opens
/// another session, or sends an event to it.
///
/// The next owner of a shard applies these lines to the changes of the last hour. A line that was added within that hour
/// must not be applied to changes that are older than the line.
///
/// The first node whose configuration has the line writes the time as a note into the database, and all nodes read the
/// note. A node that reads its configuration again, and no longer finds the line, removes the note.
final class LineTimes {
    /// Adds a note unless the database already has one of that name. Then calls `done` with the value of the note that is in
    /// the database.
    typealias AddNote = (
        _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
    ) -> Void

    private let addNote: AddNote
    private let removeNote: (_ name: String) -> Void
    /// The times, by the fingerprints of the lines.
    private var times: [UInt64: Instant]
    /// The lines whose notes are not known to be written, by their fingerprints.
    private var unwritten: Set<UInt64> = []
    private var isWriting = false

    /// The name of a note that exists as soon as one node has written the times of its lines. In a database without this note,
    /// lines can be older than the notes about them.
    static let firstUseNote = "lines"

    /// The name of the note with the time of a line, which is given by its fingerprint.
    static func noteName(of line: UInt64) -> String { "line:\(String(line, radix: 36))" }

    /// The text of a note with a time.
    static func noteText(_ instant: Instant) -> String { "\(instant.nanoseconds)" }

    /// The time in the text of a note; nil if the text is not a time.
    static func instant(_ value: String) -> Instant? {
        Int64(value).map { Instant(nanoseconds: $0) }
    }

    /// `times` has the times of the lines that this node has at its start. Their notes are written already.
    init(
        _ times: [UInt64: Instant], addNote: @escaping AddNote,
        removeNote: @escaping (_ name: String) -> Void
    ) {
        (self.times, self.addNote, self.removeNote) = (times, addNote, removeNote)
    }

    /// The time from which a line applies, on the database's clock; `zero` for a line that is not about another session.
    func startTime(of line: UInt64) -> Instant { times[line] ?? .zero }

    /// Replaces the lines of this node. New lines apply from `now` unless another node had them earlier.
    func reload(_ lines: Set<UInt64>, at now: Instant) {
        for line in times.keys.sorted() where !lines.contains(line) {
            times[line] = nil
            unwritten.remove(line)
            removeNote(Self.noteName(of: line))
        }
        for line in lines where times[line] == nil {
            times[line] = now
            unwritten.insert(line)
        }
        writeNotes()
    }

    /// Writes the notes that are not written yet, one after the other. Stops after a failure; `ShardRouter` calls this function
    /// each second.
    func writeNotes() {
        guard !isWriting, let line = unwritten.min(), let time = times[line] else { return }
        isWriting = true
        addNote(Self.noteName(of: line), Self.noteText(time)) { [weak self] result in
            guard let self else { return }
            isWriting = false
            guard case .success(let value) = result else { return }
            // The line may have been removed meanwhile.
            if unwritten.remove(line) != nil { times[line] = Self.instant(value) ?? time }
            writeNotes()
        }
    }
}
