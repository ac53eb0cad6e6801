public import Timers

/// What one event or one command did to a machine or to its session. A command, such as `goto`, acts without an event.
public struct Step: Sendable {
    public enum Kind: String, Sendable {
        /// The session was opened, and its machine entered a state.
        case open
        /// The event was taken: its transition entered a state, or kept the state.
        case enter, keep
        /// The event was deferred, or a deferred event was dropped because a state refused it.
        case `defer`, drop
        /// A command put the machine into a state.
        case goto
        /// A change that the machine did not make itself: timers were operated, or its session was closed.
        case timer, close
        /// The session's labels changed, or its message to the players.
        case label, say
        /// The session continues with another version of its flow.
        case move
        /// Earlier changes were undone: the session continues as it was before them.
        case undo

        /// Whether the machine enters a state. If so, the state's timers are new, even if the machine was in the same state
        /// before.
        public var isEntry: Bool {
            switch self {
            case .open, .enter, .goto, .undo: true
            case .keep, .defer, .drop, .timer, .close, .label, .say, .move: false
            }
        }
    }

    public let kind: Kind
    /// Whether this step is a beat: it kept the state, changed no data, requested no effect and operated no timer. A beat only
    /// shows that time has passed.
    public let isBeat: Bool
    /// The event that was taken, deferred or dropped; nil for a command such as `goto`.
    public let event: EventRecord?
    public let source: Source
    /// The state before the step; nil if the step opened the session.
    public let from: StateRecord?
    /// The state after the step; nil if the step closed the session.
    public let to: StateRecord?
    /// The requested effects in order, such as showing a screen or opening a lock.
    public let effects: [EffectRecord]
    /// If a pendulum sent the event: the number of periods that were missed before this event; otherwise 0.
    public let missed: Int
    /// The reason for which a deferred event was dropped; nil for every other step.
    public var why: Reason? {
        if case .reason(let why) = boxedReason { why } else { nil }
    }
    @usableFromInline let boxedReason: BoxedReason

    /// Allocated separately, because millions of steps are stored and few have a reason.
    @usableFromInline enum BoxedReason: Sendable {
        case none
        indirect case reason(Reason)
    }

    /// Creates a step. `source` is the sender; the next two parameters are the state before the step and the state after it.
    @inlinable public init(
        _ kind: Kind, _ event: EventRecord? = nil, from source: Source, _ from: StateRecord?,
        _ to: StateRecord?,
        effects: [EffectRecord] = [], isBeat: Bool = false, missed: Int = 0, why: Reason? = nil
    ) {
        (self.kind, self.event, self.source) = (kind, event, source)
        (self.from, self.to, self.effects) = (from, to, effects)
        (self.isBeat, self.missed) = (isBeat, missed)
        boxedReason = why.map { .reason($0) } ?? .none
    }
}

/// An effect's name and arguments, for code that does not know the flow's types.
public struct EffectRecord: Equatable, Sendable {
    public let name: String
    public let arguments: [Member]

    public init(name: String, arguments: [Member] = []) {
        (self.name, self.arguments) = (name, arguments)
    }

    @inlinable init(_ effect: some FlowEffect) {
        self.init(name: effect.name, arguments: effect.arguments)
    }
}

/// An observer of a machine. The observer must outlive the machine. The observer receives each step with records of the states.
/// It does not receive the states themselves, so it can neither retain nor change them. While the observer is called, the step
/// is still running. To send an event, the observer therefore uses the machine's `post`, which waits for the end of the step.
public protocol MachineObserver: AnyObject {
    /// Called when the machine took, deferred or dropped an event, or was put into a state by a command.
    func completed(_ step: consuming Step)
    /// Called when an event without a waiting caller was refused. Such an event is a posted event, a timer's signal, or the
    /// event that an asynchronous effect handler (`StateMachine.handle`) returns after the state was left.
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason)
    /// Called when a timer of the machine is due. An implementation must call `machine.take(firing)`, which handles the timer's
    /// signal and throws if the signal is refused. The implementation can do work before and after this call.
    func due(_ firing: Firing, of machine: AnyMachine)
}

extension MachineObserver {
    public func due(_ firing: Firing, of machine: AnyMachine) {
        do throws(Reason) { try machine.take(firing) } catch {
            // The tag of a state's timer is the number of its signal.
            refused(machine.flow.signalEvent(firing.tag), .timer, error)
        }
    }
}
