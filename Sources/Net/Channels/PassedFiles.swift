/// Counts the files that the daemon's clients have passed and that no request has taken yet. There is a limit, because each
/// file uses one of the daemon's descriptors. Beyond the limit, a passed file is closed immediately, and the request that needs
/// it is refused.
package final class PassedFiles {
    package static let limit = 16
    private var count = 0

    package init() {}

    /// Counts a file. Returns false, without counting it, if the limit is reached.
    func add() -> Bool {
        guard count < Self.limit else { return false }
        count += 1
        return true
    }

    /// Stops counting a file, because a request has taken it or it was closed.
    func remove() { count -= 1 }
}
