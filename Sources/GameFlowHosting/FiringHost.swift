/// A host as the tasks see it that carry out its firings. The type of its flow is hidden, because a task cannot refer weakly to an
/// actor whose type has a part that is not `Sendable`.
protocol FiringHost: Actor {
    func carryOut(_ due: DueFiring, _ name: OpaqueText) -> MachineSnapshot?
    func snapshot(of name: OpaqueText) -> MachineSnapshot?
    func firingIsSaved(of name: OpaqueText)
    func firingIsNotSaved(of name: OpaqueText)
}
