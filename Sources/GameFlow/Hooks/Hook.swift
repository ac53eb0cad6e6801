public import Timers

/// Looks on at a machine's transitions: before one is made, it may object; afterwards it is told.
///
/// A hook belongs to one machine. What it wants to send, it posts. Beats pass it by: nothing but time is
/// shown by them.
public protocol Hook: AnyObject {
    /// What a refusal calls it.
    var name: String { get }
    /// The transition that is about to be made, by an event and the selector; whoever throws refuses it,
    /// and nothing has happened. An operator's orders, and what is only deferred, are not asked about.
    /// A countdown whose signal is refused has fired all the same, and does not come again: a hook
    /// that holds a state shut against its time-out has to see to it that something else leads out.
    func before(_ step: Step, at now: Instant) throws(HookError)
    /// What was done: a transition, an order, an event deferred or dropped.
    func after(_ step: Step, at now: Instant)
}

extension Hook {
    public func before(_ step: Step, at now: Instant) throws(HookError) {}
    public func after(_ step: Step, at now: Instant) {}
}

/// Why a hook does not let a transition be made.
public struct HookError: Error, Equatable {
    public let why: String
    public init(_ why: String) { self.why = why }
}
