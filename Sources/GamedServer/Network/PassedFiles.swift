/// Counts the files that clients have passed and that no request has taken yet. Each uses one of
/// the daemon's descriptors: beyond the limit a file is closed immediately, and the request that
/// needs it is refused.
final class PassedFiles {
    static let limit = 16
    private var count = 0

    /// Counts one more file, and returns true, if the limit allows it.
    func add() -> Bool {
        guard count < Self.limit else { return false }
        count += 1
        return true
    }

    func remove() { count -= 1 }
}
