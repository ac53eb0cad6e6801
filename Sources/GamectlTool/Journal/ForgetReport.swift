import GameFlow
import Journal
import PostgresStore
import Shell

/// The result of `journal forget`: which rows of a session were erased, or would be.
struct ForgetReport {
    private let session: String
    private let isDryRun: Bool
    private let erasure: Erasure
    private let remainingCopies: String

    /// Erases a session from a state directory's journal, from a backup, or from a database; a dry run only finds its rows.
    init(_ path: String, _ session: String, isDryRun: Bool) throws(CommandError) {
        (self.session, self.isDryRun) = (session, isDryRun)
        let journal = try ErasableJournal(path, for: session)
        remainingCopies = journal.remainingCopies
        do throws(ErasureError) {
            let planned = try journal.erasure(of: session)
            guard !isDryRun else {
                erasure = planned
                return
            }
        } catch { throw Self.failure(error, session, path) }
        switch try journal.erase(session) {
        case .success(let erased): erasure = erased
        case .failure(let error): throw Self.failure(error, session, path)
        }
    }

    private static func failure(_ error: ErasureError, _ session: String, _ path: String)
        -> CommandError
    {
        let name = TerminalSafe.escaped(session)
        let close =
            PostgresLocation.isURL(path)
            ? "close it with `gamectl close @\(name)`"
            : "start the daemon, close it with `gamectl close @\(name)`, and stop the daemon"
        switch error {
        case .unknown:
            return .declined("there is no session \(name) in \(TerminalSafe.escaped(path))")
        case .open: return .declined("session \(name) is open; \(close)")
        case .damaged(let why):
            return .declined("session \(name) is damaged (\(TerminalSafe.escaped(why))); \(close)")
        case .storage(let error): return OpenJournal.failure(error, path)
        }
    }

    private var firstRow: Int { erasure.positions.first ?? 0 }
    private var lastRow: Int { erasure.positions.last ?? 0 }

    var lines: [String] {
        let count = erasure.positions.count
        let rows = "\(count) \(count == 1 ? "row" : "rows"), \(firstRow) to \(lastRow)"
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
