import Sessions
import Shell
import Support

/// What is asked of a journal: no daemon is needed for it, and none may have it open.
enum JournalOptions: Equatable {
    /// Run it again, or try a flow against it.
    case replay(path: String, flow: String?)
    case check(path: String)
    /// Its rows, of all sessions unless one is named.
    case export(path: String, session: String?)
    /// Erase a session that is over, or only say what would be erased.
    case forget(path: String, session: String, isDryRun: Bool)

    /// The words that can stand behind `journal`.
    static let verbs = ["check", "export", "forget", "prune"]

    /// `replay JOURNAL`, with `--flow`.
    static func replay(_ line: LongOptions) throws(Failure) -> JournalOptions {
        let flow = line.value("flow")
        if let flow { _ = try AnalysisOptions.flow(flow) }
        return .replay(path: try path(line.words.dropFirst(), "replay"), flow: flow)
    }

    /// `journal check`, `journal export` and `journal forget`.
    static func journal(_ line: LongOptions) throws(Failure) -> JournalOptions {
        let words = line.words.dropFirst()
        guard let verb = words.first else {
            throw .usage("journal: check, export, forget or prune?")
        }
        guard verbs.contains(verb) else {
            throw .usage("journal \(TerminalSafe.word(verb)): \(DidYouMean.hint(verb, verbs))")
        }
        if verb == "forget" { return try forget(line) }
        for option in ["state-dir", "dry-run"] where line.has(option) {
            throw .usage("--\(option) goes with journal forget")
        }
        let path = try path(words.dropFirst(), "journal \(verb)")
        guard verb == "export" else {
            if line.has("session") { throw .usage("--session goes with journal export") }
            return .check(path: path)
        }
        if let session = line.value("session"), SessionName(session) == nil {
            throw .usage("--session \(TerminalSafe.word(session)): no session can be called so")
        }
        return .export(path: path, session: line.value("session"))
    }

    /// `journal forget SESSION --state-dir DIR`, with `--yes` or `--dry-run`.
    private static func forget(_ line: LongOptions) throws(Failure) -> JournalOptions {
        guard line.words.count == 3 else { throw .usage("journal forget: which session?") }
        let session = line.words[2]
        guard SessionName(session) != nil else {
            throw .usage(
                "journal forget \(TerminalSafe.word(session)): no session can be called so")
        }
        guard let path = line.value("state-dir"), !path.isEmpty else {
            throw .usage(
                "journal forget: --state-dir names the directory of a daemon that is ended")
        }
        guard line.has("yes") != line.has("dry-run") else {
            throw .usage(
                "journal forget removes for good all that is kept of a session, and its name; with "
                    + "--yes it is done, with --dry-run it says what would be removed")
        }
        return .forget(path: path, session: session, isDryRun: line.has("dry-run"))
    }

    private static func path(_ words: ArraySlice<String>, _ verb: String) throws(Failure) -> String
    {
        guard let path = words.first, !path.isEmpty else {
            throw .usage("\(verb): of which state directory, or backup?")
        }
        if words.count > 1 { throw .usage("\(verb): one journal at a time") }
        return path
    }
}
