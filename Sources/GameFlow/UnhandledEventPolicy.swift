/// What a machine does with an event that no row of its flow takes. Chosen where it is made; gamed's
/// machines always throw, for whoever sent the event has to know.
public enum UnhandledEventPolicy {
    /// The sender is told: `noTransition`, or `finished`.
    case `throw`
    /// The sender is told nothing, and the log a sentence.
    case ignore(log: (String) -> Void)

    /// Whether the refusal is to be passed over in silence.
    func swallows(_ refusal: Reason, _ event: EventRecord, in state: String) -> Bool {
        guard case .ignore(let log) = self, refusal == .noTransition || refusal == .finished else {
            return false
        }
        log("\(state) does not take \(event.name): ignored")
        return true
    }
}
