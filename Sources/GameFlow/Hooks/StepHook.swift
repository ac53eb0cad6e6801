public import Timers

/// A hook that works with names and values, for code that does not know the flow's types: called before each
/// transition, which it may refuse, and after each step. See `Hook` for one with the flow's types.
///
/// A hook belongs to one machine. It sends events with `post`. It is not called for beats, which only show that
/// time has passed.
public protocol StepHook: AnyObject {
    /// The hook's name in a refusal.
    var name: String { get }
    /// Called before a transition that an event and the selector cause. To refuse the transition, throw;
    /// nothing changes then. Not called for an operator's orders or for an event that is only deferred.
    ///
    /// A countdown whose signal is refused has fired and does not fire again. A hook that refuses a state's
    /// time-out must make sure that another event leads out of the state.
    func before(_ step: Step, at now: Instant) throws(HookError)
    /// Called after a transition, an order, or an event that was deferred or dropped.
    func after(_ step: Step, at now: Instant)
}

extension StepHook {
    public func before(_ step: Step, at now: Instant) throws(HookError) {}
    public func after(_ step: Step, at now: Instant) {}
}

/// The error with which a hook refuses a transition.
public struct HookError: Error, Equatable, CustomStringConvertible {
    public let why: String
    public var description: String { why }
    public init(_ why: String) { self.why = why }
}
