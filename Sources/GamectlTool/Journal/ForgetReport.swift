import GameFlow
import Journal
import PostgresStore
import Shell
import Support

/// Executes `gamectl journal forget`, which erases all closed sessions of one name. `lines` and `json` say which rows were
/// erased, or would be erased.
struct ForgetReport {
    /// The name of the sessions.
    private let session: String
    private let isDryRun: Bool
    /// The rows that were erased; in a dry run, those that would be erased.
    private let erasure: Erasure
    /// Where copies of the erased rows may still exist: the end of a sentence.
    private let remainingCopies: String

    /// Erases the sessions of a name from `path`, which is a state directory, a backup or the URL of a database. A dry run only
    /// finds their rows.
    init(_ path: String, _ session: String, isDryRun: Bool) throws(CommandError) {
        (self.session, self.isDryRun) = (session, isDryRun)
        let journal = try ErasableJournal(path, for: session)
        remainingCopies = journal.remainingCopies
        do throws(ErasureError) {
            // The rows are looked for first, even without a dry run: most errors are thrown here, before anything is changed.
            let plannedErasure = try journal.erasure(of: session)
            guard !isDryRun else {
                erasure = plannedErasure
                return
            }
        } catch { throw Self.failure(error, session, path) }
        switch try journal.erase(session) {
        case .success(let erased): erasure = erased
        case .failure(let error): throw Self.failure(error, session, path)
        }
    }

    /// The command's error, with a sentence that says what to do.
    private static func failure(_ error: ErasureError, _ session: String, _ path: String)
        -> CommandError
    {
        let name = TerminalSafe.escaped(session)
        let closeHint =
            PostgresLocation.isURL(path)
            ? "close it with `gamectl close @\(name)`"
            : "start the daemon, close it with `gamectl close @\(name)`, and stop the daemon"
        switch error {
        case .unknown:
            return .declined("there is no session \(name) in \(TerminalSafe.escaped(path))")
        case .open: return .declined("session \(name) is open; \(closeHint)")
        case .damaged(let why):
            return .declined(
                "session \(name) is damaged (\(TerminalSafe.escaped(why))); \(closeHint)")
        case .storage(let error): return OpenJournal.failure(error, path)
        }
    }

    private var firstRow: Int { erasure.positions.first ?? 0 }
    private var lastRow: Int { erasure.positions.last ?? 0 }

    var lines: [String] {
        let count = erasure.positions.count
        let rows = "\(CountText.write(count, "row")), \(firstRow) to \(lastRow)"
        let openings = erasure.openings == 1 ? "" : ", of \(erasure.openings) openings"
        return [
            "session \(TerminalSafe.escaped(session)): \(rows)\(openings): "
                + (isDryRun ? "would be erased" : "erased; \(remainingCopies)")
        ]
    }

    var json: [Member] {
        [
            Member("session", session), Member("count", erasure.positions.count),
            Member("from", firstRow), Member("to", lastRow), Member("openings", erasure.openings),
            Member("erased", .bool(!isDryRun)),
        ]
    }
}
