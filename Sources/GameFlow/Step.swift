public import Timers

/// What one event or one command did to a machine or to its session. A command, such as `goto`, acts without an event.
public struct Step: Sendable {
    /// What caused a step. The constants here are the steps that a machine makes. A program may add kinds for
    /// what it does to the machine itself, as the sessions of a daemon do.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The number of the kind. Journals contain it, so a number is never reused for another kind.
        @usableFromInline package let number: UInt8
        /// Whether the machine enters a state. If so, the state's timers are new, even if the machine was in the same state
        /// before.
        public let isEntry: Bool

        @inlinable package init(number: UInt8, isEntry: Bool = false) {
            (self.number, self.isEntry) = (number, isEntry)
        }

        /// The machine entered its first state.
        @inlinable public static var open: Kind { Kind(number: 1, isEntry: true) }
        /// The event was taken: its transition entered a state.
        @inlinable public static var enter: Kind { Kind(number: 2, isEntry: true) }
        /// The event was taken: its transition kept the state.
        @inlinable public static var keep: Kind { Kind(number: 3) }
        /// The event was deferred.
        @inlinable public static var `defer`: Kind { Kind(number: 4) }
        /// A deferred event was dropped because a state refused it.
        @inlinable public static var drop: Kind { Kind(number: 5) }
        /// A command put the machine into a state.
        @inlinable public static var goto: Kind { Kind(number: 6, isEntry: true) }

        private static let names = ["open", "enter", "keep", "defer", "drop", "goto"]

        /// The name of a step that a machine makes; a text with the number for any other step.
        public var description: String {
            let index = Int(number) - 1
            return Self.names.indices.contains(index) ? Self.names[index] : "step of kind \(number)"
        }

        // One byte is compared, and not two.
        @inlinable public static func == (a: Kind, b: Kind) -> Bool { a.number == b.number }
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
    /// The texts that screens show or play (`isShown`), and that are left out because they cannot be computed.
    package let unshown: [String]

    /// Creates a record. An argument that screens show and that is null is one whose text cannot be computed.
    public init(name: String, arguments: [Member] = []) {
        self.name = name
        let isUnshown = { (argument: Member) in
            argument.isNull && Self.isShown(name, argument.name)
        }
        guard arguments.contains(where: isUnshown) else {
            (self.arguments, unshown) = (arguments, [])
            return
        }
        self.arguments = arguments.filter { !isUnshown($0) }
        unshown = arguments.filter(isUnshown).map(\.name)
    }

    /// The arguments with null for each that is left out, as the journal has them.
    package var recordedArguments: [Member] {
        unshown.isEmpty ? arguments : arguments + unshown.map { Member($0, .null) }
    }

    /// Whether the screens show or play this argument of an effect: the text of `say`, or the sound of `play`.
    package static func isShown(_ effect: String, _ argument: String) -> Bool {
        effect == "say" && argument == "text" || effect == "play" && argument == "sound"
    }

    @inlinable init(_ effect: some FlowEffect) {
        self.init(name: effect.name, arguments: effect.arguments)
    }
}

extension Member {
    fileprivate var isNull: Bool { if case .null = value { true } else { false } }
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
