import RPC

extension Subscriber {
    /// Whether too much waits for a watcher that takes nothing. What one turn brings at once may be more
    /// than fits, and one that reads is not to blame for that; but there is an end to it, too.
    func isDeaf(_ limits: ServerLimits, takes isTaking: Bool) -> Bool {
        guard !waitsForDisk else { return false }
        return backlog > limits.burstBytes || backlog > limits.backlogBytes && !isTaking
    }
}
