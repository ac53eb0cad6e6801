/// The behaviour of a machine for an event that no row of its flow accepts, chosen when the machine is created.
/// The machines of gamed always throw, because the sender must learn of the refusal.
public enum UnhandledEventPolicy {
    /// Throws `noTransition` or `finished` to the sender.
    case `throw`
    /// Returns normally to the sender and logs a sentence.
    case ignore(log: (String) -> Void)

    /// Logs the refusal if the policy is to ignore it; returns whether it was ignored.
    func ignores(_ refusal: Reason, _ event: EventRecord, in state: String) -> Bool {
        guard case .ignore(let log) = self, refusal == .noTransition || refusal == .finished else {
            return false
        }
        log("\(state) does not take \(event.name): ignored")
        return true
    }
}
