/// How many files clients have passed that no request has taken yet. Each is a descriptor of the daemon's: past the
/// limit they are closed at once, and the request that wanted one is told that none came.
final class PassedFiles {
    static let limit = 16
    private var count = 0

    /// Whether there is room for one more, which is counted then.
    func add() -> Bool {
        guard count < Self.limit else { return false }
        count += 1
        return true
    }

    func remove() { count -= 1 }
}
