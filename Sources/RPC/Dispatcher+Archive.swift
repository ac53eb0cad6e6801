internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods that read stored history (`history`) and maintain the journal (`backup` and `prune`).
extension Dispatcher {
    /// The longest path for a backup in bytes, the limit of Linux (PATH_MAX).
    private static let pathLimit = 4096

    /// Writes a page of a session's history, or begins to read it from the store.
    func history(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let limits = sessions.limits
        let limit = try self.limit(
            params, default: limits.historyDefault, maximum: limits.historyPage)
        // With `before`, the page contains only changes with a lower `seq`, and the refusals before the change with that `seq`.
        // With `refusal`, the page contains only refusals with a lower number. Without these parameters, the page begins with
        // the newest record.
        let position = Sessions.HistoryPosition(
            before: try params.count(.before), refusal: try params.count(.refusal))
        let session = try session(params, .history, caller)
        let view = caller.rights.view(session.name)
        // Without an archive, the only history is what the session keeps in memory.
        guard let archive else {
            write(sessions.history(of: session, from: position, limit: limit), view, to: &writer)
            return .succeeded(row: sessions.row(of: session))
        }
        return .deferred(
            DeferredResult { [self] done in
                archive.history(of: session, from: position, limit: limit) { result in
                    done(
                        result.map { page in { self.write(page, view, to: &$0) } }.mapError {
                            .refused($0)
                        })
                }
            })
    }

    /// Writes a page of history, and the parameters of the request for the next page.
    private func write(
        _ page: Sessions.HistoryPage, _ view: SessionView, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("records")
        writer.beginArray()
        for record in page.records { encoder.write(record, view, to: &writer) }
        writer.endArray()
        writer.name("more")
        writer.bool(page.next != nil)
        if let next = page.next {
            writer.name("next")
            writer.object(
                (next.before.map { [Member("before", $0)] } ?? [])
                    + (next.refusal.map { [Member("refusal", $0)] } ?? []))
        }
        writer.endObject()
    }

    /// Copies the journal to a file.
    func backup(_ params: borrowing Params, _ caller: any Caller) throws(CallError) -> CallOutcome {
        let target = try backupTarget(params, caller)
        let maintenance = try requireMaintenance()
        return .deferred(
            DeferredResult { done in maintenance.backup(to: target) { Self.deliver($0, done) } })
    }

    /// The file that came with the request, or the path on the daemon's machine that the request names.
    private func backupTarget(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
        -> BackupTarget
    {
        guard let path = params.text(.to) else {
            guard !params.isTrue(.onServer) else { throw .invalidParams("to: missing") }
            guard let file = caller.takeFile() else {
                throw .invalidParams(
                    "no file came with the request: pass the descriptor of a file over the UNIX socket as "
                        + "gamectl backup does, or name a path on the daemon's machine with to=PATH onServer=true"
                )
            }
            return .file(file)
        }
        guard params.isTrue(.onServer) else {
            throw .invalidParams(
                "to: a path on the daemon's machine requires onServer=true; gamectl backup writes to the "
                    + "machine on which it runs")
        }
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= Self.pathLimit
        else {
            throw .invalidParams(
                "to: expected an absolute path of at most \(Self.pathLimit) bytes")
        }
        return .path(path)
    }

    /// Removes the old rows now, even if the daemon has suspended the removal because the clock may be wrong.
    func prune() throws(CallError) -> CallOutcome {
        let maintenance = try requireMaintenance()
        return .deferred(DeferredResult { done in maintenance.prune { Self.deliver($0, done) } })
    }

    /// The object that maintains the store. Throws if the daemon has no store.
    private func requireMaintenance() throws(CallError) -> any Maintenance {
        if let maintenance { return maintenance }
        throw .refused(
            .storage(why: "there is no journal: start gamed with --state-dir", outcome: .undone))
    }

    /// Converts the result of a maintenance function to the result of the request, and passes it to `done`.
    private static func deliver(
        _ result: Result<[Member], RequestError>, _ done: (DeferredResult.Outcome) -> Void
    ) {
        done(result.map { members in { $0.object(members) } }.mapError { .refused($0) })
    }
}
