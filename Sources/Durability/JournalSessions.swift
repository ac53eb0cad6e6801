internal import Journal
internal import Sessions
internal import Support

/// The newest rows of the sessions that a journal has, after all its rows were read.
final class JournalSessions: SessionRows {
    private var rows: NewestRows
    /// Has the names of the sessions by number, and their numbers by name.
    private let scan: JournalScan
    private var reader = RecordReader()
    /// The numbers of the sessions that have a row, in the order of their newest rows. Emptied when they were read.
    private var numbers: [Int]
    let count: Int

    init(_ rows: NewestRows, _ scan: JournalScan) {
        (self.rows, self.scan) = (rows, scan)
        numbers = rows.inOrder
        count = numbers.count
    }

    func forEach(
        leaving mayWait: (_ number: Int, SessionName, TimerBounds) -> Bool,
        _ process: (borrowing SessionRecord, Checkpoint) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) {
        for number in exchange(&numbers, with: []) {
            // A row whose session has no valid name belongs to no session.
            guard let name = SessionName(scan.names[number]) else { continue }
            if let bounds = rows.timerBounds(of: number, &reader), mayWait(number, name, bounds) {
                continue
            }
            do throws(Sessions.QuarantineError) {
                let (record, checkpoint) = try take(number, name)
                process(record, checkpoint)
            } catch {
                unreadable(error)
            }
        }
    }

    func number(of name: SessionName) -> Int? { scan.number(of: name.text) }

    func name(of number: Int) -> SessionName {
        // `forEach` passes only valid names.
        SessionName(scan.names[number])!
    }

    func flow(of number: Int) -> String? { rows.flow(of: number, &reader) }

    func take(_ number: Int, _ name: SessionName) throws(Sessions.QuarantineError)
        -> (SessionRecord, Checkpoint)
    {
        do throws(UnreadableRowError) {
            return try rows.take(number, name.text, &reader)
        } catch {
            throw Sessions.QuarantineError(session: name, why: error.why)
        }
    }
}
