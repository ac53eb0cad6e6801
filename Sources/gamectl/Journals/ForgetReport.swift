import GameFlow
import Journal
import Shell

/// A session that was erased from a journal, or would be.
struct ForgetReport {
    private let session: String
    private let isDryRun: Bool
    private let erasure: Erasure

    /// Erases a session from a state directory's journal, or from a backup; or only looks what that would remove.
    init(_ path: String, _ session: String, isDryRun: Bool) throws(Failure) {
        (self.session, self.isDryRun) = (session, isDryRun)
        let (planned, directory) = try Self.plan(path, session)
        erasure = isDryRun ? planned : try Self.erase(session, path, directory)
    }

    /// What would be erased, or why nothing; changes nothing.
    private static func plan(_ path: String, _ session: String) throws(Failure) -> (
        Erasure, directory: String?
    ) {
        let journal = try OpenJournal(path)
        do throws(NotErased) {
            return (try journal.erasure(of: session), journal.directory)
        } catch { throw failure(error, session, path) }
    }

    private static func erase(_ session: String, _ path: String, _ directory: String?)
        throws(Failure) -> Erasure
    {
        switch try OpenJournal.erase(session, from: path, directory) {
        case .success(let erasure): return erasure
        case .failure(let error): throw failure(error, session, path)
        }
    }

    private static func failure(_ error: NotErased, _ session: String, _ path: String)
        -> Failure
    {
        let name = TerminalSafe.word(session)
        switch error {
        case .unknown: return .declined("there is no session \(name) in \(TerminalSafe.word(path))")
        case .open:
            return .declined(
                "session \(name) is open; start the daemon, `gamectl close @\(name)`, and end it")
        case .damaged(let why):
            return .declined(
                "session \(name) is damaged (\(TerminalSafe.word(why))); start the daemon, "
                    + "`gamectl close @\(name)`, and end it")
        case .storage(let error): return OpenJournal.failure(error, path)
        }
    }

    private var from: Int { erasure.positions.first ?? 0 }
    private var to: Int { erasure.positions.last ?? 0 }

    var lines: [String] {
        let count = erasure.positions.count
        let rows = "\(count) \(count == 1 ? "row" : "rows"), \(from) to \(to)"
        let openings = erasure.openings == 1 ? "" : ", of \(erasure.openings) openings"
        return [
            "session \(TerminalSafe.word(session)): \(rows)\(openings): "
                + (isDryRun ? "would be erased" : "erased; backups made before still have them")
        ]
    }

    var json: [Member] {
        [
            Member("session", session), Member("count", erasure.positions.count),
            Member("from", from), Member("to", to), Member("openings", erasure.openings),
            Member("erased", .bool(!isDryRun)),
        ]
    }
}
