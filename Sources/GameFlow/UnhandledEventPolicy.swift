/// The behaviour of a machine for an event that no row of its flow accepts, chosen when the machine is created.
/// The machines of gamed always throw, because the sender must learn of the refusal.
public struct UnhandledEventPolicy {
    private let ignores: Bool
    private let log: ((String) -> Void)?

    /// Throws `noTransition` or `finished` to the sender.
    public static var `throw`: Self { Self(ignores: false, log: nil) }
    /// Returns normally to the sender.
    public static var ignore: Self { Self(ignores: true, log: nil) }
    /// Returns normally to the sender and logs a sentence.
    public static func ignore(log: @escaping (String) -> Void) -> Self {
        Self(ignores: true, log: log)
    }

    /// Whether the policy is `throw`, which needs no memory in the machine.
    @usableFromInline var isDefault: Bool { !ignores }

    /// Returns whether the policy is to ignore a refusal for this reason. If so, logs the refusal if the policy has a log.
    func ignores(_ reason: Reason, _ event: @autoclosure () -> EventRecord, in state: String)
        -> Bool
    {
        guard ignores, reason == .noTransition || reason == .finished else { return false }
        log?("\(state) does not take \(event().name): ignored")
        return true
    }
}
