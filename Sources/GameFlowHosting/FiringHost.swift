internal import Support

/// A host as the tasks see it that carry out its firings. The type of its flow is hidden, because a task cannot refer weakly to an
/// actor whose type has a part that is not `Sendable`.
protocol FiringHost: Actor {
    func carryOut(_ due: DueFiring, _ name: ByteText) -> MachineSnapshot?
    func snapshot(of name: ByteText) -> MachineSnapshot?
    func firingIsSaved(of name: ByteText)
    func firingIsNotSaved(of name: ByteText)
}
