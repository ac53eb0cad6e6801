import GameFlow
package import JSONCoding
package import RPC
import Support

/// The method `backup`: copies the journal to a file.
package struct BackupMethod: PartMethod {
    package let method = Method.backup
    private let upkeep: any JournalUpkeep
    /// The longest path for a backup in bytes, the limit of Linux (PATH_MAX).
    private static let pathLimit = 4096

    package init(_ upkeep: any JournalUpkeep) { self.upkeep = upkeep }

    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let target = try target(params, caller)
        return .deferred(DeferredResult(members: { done in upkeep.backup(to: target, done) }))
    }

    /// The file that came with the request, or the path on the daemon's machine that the request names.
    private func target(_ params: borrowing Params, _ caller: any Caller) throws(CallError)
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
}
