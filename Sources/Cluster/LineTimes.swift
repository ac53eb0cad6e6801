package import Journal
package import Timers

/// For nodes that share a database: the time from which each link line applies. A link line is an `on` line that opens another
/// session, or sends an event to another session.
///
/// A node that becomes the owner of a shard applies the link lines to the shard's changes of the last hour. A line that was
/// added within that hour must not be applied to changes that are older than the line.
///
/// The first node whose configuration has a line writes the time as a note into the database, and all nodes read the
/// note. A node that reads its configuration again, and no longer finds the line, removes the note.
package final class LineTimes {
    /// Adds a note unless the database already has a note of that name. Then calls `done` with the value of the note in the
    /// database. This value is `value`, or the value of a note that was added earlier.
    package typealias AddNote = (
        _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
    ) -> Void

    private let addNote: AddNote
    private let removeNote: (_ name: String) -> Void
    /// The times, by the fingerprints of the lines. A fingerprint is a hash of the line's text.
    private var times: [UInt64: Instant]
    /// The fingerprints of the lines whose notes are not known to be written.
    private var unwrittenLines: Set<UInt64> = []
    /// Whether `addNote` has been called and has not called `done` yet.
    private var isWriting = false

    /// The name of the note that identifies the first node that wrote times into the database. This node writes the time zero
    /// for its lines, because nodes may have applied these lines earlier, when no times were written.
    package static let firstNodeNote = "lines"

    /// The name of the note with the time of the line that has this fingerprint.
    package static func noteName(of line: UInt64) -> String { "line:\(String(line, radix: 36))" }

    /// The text of a note with a time.
    package static func noteText(_ instant: Instant) -> String { "\(instant.nanoseconds)" }

    /// The time in the text of a note; nil if the text is not a time.
    package static func instant(_ value: String) -> Instant? {
        Int64(value).map { Instant(nanoseconds: $0) }
    }

    /// `times` has the times of the lines that this node has at its start. Their notes are written already.
    package init(
        _ times: [UInt64: Instant], addNote: @escaping AddNote,
        removeNote: @escaping (_ name: String) -> Void
    ) {
        (self.times, self.addNote, self.removeNote) = (times, addNote, removeNote)
    }

    /// The time on the database's clock from which the line with this fingerprint applies; `zero` for a line that is not a link
    /// line.
    package func startTime(of line: UInt64) -> Instant { times[line] ?? .zero }

    /// Replaces the link lines of this node by those with these fingerprints. New lines apply from `now`, the time on the
    /// database's clock, unless another node had them earlier.
    package func reload(_ lines: Set<UInt64>, at now: Instant) {
        for line in times.keys.sorted() where !lines.contains(line) {
            times[line] = nil
            unwrittenLines.remove(line)
            removeNote(Self.noteName(of: line))
        }
        for line in lines where times[line] == nil {
            times[line] = now
            unwrittenLines.insert(line)
        }
        writeNotes()
    }

    /// Writes the notes that are not written yet, one at a time. Stops after a failure. `ShardRouter` calls this function each
    /// second, so the notes are tried again.
    package func writeNotes() {
        guard !isWriting, let line = unwrittenLines.min(), let time = times[line] else { return }
        isWriting = true
        addNote(Self.noteName(of: line), Self.noteText(time)) { [weak self] result in
            guard let self else { return }
            isWriting = false
            guard case .success(let value) = result else { return }
            // The line may have been removed meanwhile.
            if unwrittenLines.remove(line) != nil { times[line] = Self.instant(value) ?? time }
            writeNotes()
        }
    }
}
