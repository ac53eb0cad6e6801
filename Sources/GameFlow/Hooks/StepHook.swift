public import Timers

/// A hook that works with names and values, for code that does not know the flow's types. `before` is called before each
/// transition, and may refuse the transition. `after` is called after each step. `Hook` is the kind of hook that has the flow's
/// types.
///
/// A hook belongs to one machine. To send an event to this machine, the hook calls `AnyMachine.post`, because the step is still
/// running. A hook is not called for beats, because a beat only shows that time has passed.
public protocol StepHook: AnyObject {
    /// The hook's name in a refusal.
    var name: String { get }
    /// Called before a transition that the flow's selector has returned for an event. To refuse the transition, throw;
    /// nothing changes then. Not called when an operator puts the machine into a state, or when an event is deferred.
    ///
    /// A countdown whose signal is refused has fired and does not fire again. Therefore a hook may refuse a state's
    /// time-out only if another event leads out of the state.
    func before(_ step: Step, at now: Instant) throws(HookError)
    /// Called after a transition, and after an operator has put the machine into a state. Also called when an event was
    /// deferred, and when a deferred event was dropped because it is now refused.
    func after(_ step: Step, at now: Instant)
}

extension StepHook {
    public func before(_ step: Step, at now: Instant) throws(HookError) {}
    public func after(_ step: Step, at now: Instant) {}
}

/// The error with which a hook refuses a transition.
public struct HookError: Error, Equatable, CustomStringConvertible {
    /// The reason as a sentence for the sender of the event.
    public let why: String
    public var description: String { why }
    public init(_ why: String) { self.why = why }
}
