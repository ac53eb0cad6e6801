import RPC

extension Subscriber {
    /// Whether the backlog of a watcher that does not read exceeds the limit. One turn may produce
    /// more than a socket holds, so a watcher that reads has a higher limit.
    func hasOverrun(_ limits: ServerLimits, takes isTaking: Bool) -> Bool {
        guard !waitsForDisk else { return false }
        return backlog > limits.burstBytes || backlog > limits.backlogBytes && !isTaking
    }
}
