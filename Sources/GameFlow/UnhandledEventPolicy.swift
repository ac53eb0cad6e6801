/// What a machine does with an event that no row of the present state accepts. The policy is chosen when the machine is
/// created. The machines of gamed always throw, because the sender must learn of the refusal.
public struct UnhandledEventPolicy {
    private let isIgnoring: Bool
    private let log: ((String) -> Void)?

    /// Throws the reason to the sender: `noTransition`, or `finished` in a final state.
    public static var `throw`: Self { Self(isIgnoring: false, log: nil) }
    /// Returns to the sender as if the event had been taken; the state does not change. This holds for events that no row takes.
    /// A refusal by a validator, a hook or an argument's check is thrown nevertheless: some row takes the event.
    public static var ignore: Self { Self(isIgnoring: true, log: nil) }
    /// As `ignore`, and also calls `log` with a sentence for each ignored event.
    public static func ignore(log: @escaping (String) -> Void) -> Self {
        Self(isIgnoring: true, log: log)
    }

    /// Whether the policy is `throw`, which needs no memory in the machine.
    @usableFromInline var isDefault: Bool { !isIgnoring }

    /// Returns whether the machine must ignore an event that the state named `state` refuses with `reason`. If so, and if the
    /// policy has a log, logs that the event was ignored.
    func ignores(_ reason: Reason, _ event: @autoclosure () -> EventRecord, in state: String)
        -> Bool
    {
        guard isIgnoring, reason == .noTransition || reason == .finished else { return false }
        log?("\(state) does not take \(event().name): ignored")
        return true
    }
}
