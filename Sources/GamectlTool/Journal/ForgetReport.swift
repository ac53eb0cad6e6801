import GameFlow
import Journal
import Shell

/// The result of `journal forget`: which rows of a session were erased, or would be.
struct ForgetReport {
    private let session: String
    private let isDryRun: Bool
    private let erasure: Erasure

    /// Erases a session from a state directory's journal or from a backup; a dry run only finds its rows.
    init(_ path: String, _ session: String, isDryRun: Bool) throws(CommandError) {
        (self.session, self.isDryRun) = (session, isDryRun)
        let (planned, directory) = try Self.plan(path, session)
        erasure = isDryRun ? planned : try Self.erase(session, path, directory)
    }

    /// Finds what would be erased, and changes nothing.
    private static func plan(_ path: String, _ session: String) throws(CommandError) -> (
        Erasure, directory: String?
    ) {
        guard let journal = try OpenJournal.all(path).first else { throw .malformed([path]) }
        do throws(ErasureError) {
            return (try journal.erasure(of: session), journal.directory)
        } catch { throw failure(error, session, path) }
    }

    private static func erase(_ session: String, _ path: String, _ directory: String?)
        throws(CommandError) -> Erasure
    {
        switch try OpenJournal.erase(session, from: path, directory) {
        case .success(let erasure): return erasure
        case .failure(let error): throw failure(error, session, path)
        }
    }

    private static func failure(_ error: ErasureError, _ session: String, _ path: String)
        -> CommandError
    {
        let name = TerminalSafe.word(session)
        switch error {
        case .unknown: return .declined("there is no session \(name) in \(TerminalSafe.word(path))")
        case .open:
            return .declined(
                "session \(name) is open; start the daemon, close it with `gamectl close @\(name)`, and "
                    + "stop the daemon")
        case .damaged(let why):
            return .declined(
                "session \(name) is damaged (\(TerminalSafe.word(why))); start the daemon, close it with "
                    + "`gamectl close @\(name)`, and stop the daemon")
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
                + (isDryRun ? "would be erased" : "erased; earlier backups still contain them")
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
