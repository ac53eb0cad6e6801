/// A hook of a machine. `will` is called before each transition, and may refuse the transition. `did` is called after each
/// transition.
///
///     Hook(did: { from, event, to in log(from, event, to) })
///
/// `will` and `did` are called on the machine's thread, for each event that enters a state, sets the state's data or requests
/// an effect. They are not called for an operator's commands. An event that a hook sends is posted.
public struct Hook<State, Event> {
    /// The hook's name in a refusal.
    public let name: String
    /// Called before a transition; nil if the hook checks nothing.
    let will: ((_ from: State, _ event: Event, _ to: State) throws -> Void)?
    /// Called after a transition; nil if the hook only checks.
    let did: ((_ from: State, _ event: Event, _ to: State) -> Void)?

    /// Creates a hook. If `will` throws, nothing changes, and the sender gets the reason `hookRefused` with the
    /// error's description, or the thrown `Reason` itself.
    public init(
        _ name: String = "hook",
        will: ((_ from: State, _ event: Event, _ to: State) throws -> Void)? = nil,
        did: ((_ from: State, _ event: Event, _ to: State) -> Void)? = nil
    ) {
        (self.name, self.will, self.did) = (name, will, did)
    }

    /// Calls `will`, and throws an error of `will` as a `Reason`.
    func callWill(_ from: State, _ event: Event, _ to: State) throws(Reason) {
        guard let will else { return }
        do { try will(from, event, to) } catch {
            throw error as? Reason ?? .hookRefused(name, "\(error)")
        }
    }
}
