/// What one event, or one order from outside, did to a machine.
public struct Step: Sendable {
    public enum Kind: String, Sendable {
        case open, enter, keep, `defer`, drop, goto
        /// Done to a machine rather than by it: one of its timers was operated, or it was ended.
        case timer, close

        /// Whether the machine enters a state: its timers are new, also if the state is the one before.
        public var isEntry: Bool {
            switch self {
            case .open, .enter, .goto: true
            case .keep, .defer, .drop, .timer, .close: false
            }
        }
    }

    public let kind: Kind
    /// Whether nothing but time is shown by it: a state was kept, no datum changed and no effect asked.
    public let isBeat: Bool
    /// The event that was taken, deferred or dropped; nil where somebody gave an order.
    public let event: EventRecord?
    public let source: Source
    public let from: StateRecord?
    public let to: StateRecord?
    /// What the outside is asked to do, in order: show a screen, open a lock.
    public let effects: [EffectRecord]
    /// How many beats of its pendulum came before this one that nobody saw.
    public let missed: Int
    /// Why a deferred event was dropped; nil of every other step.
    public var why: Reason? {
        if case .reason(let why) = known { why } else { nil }
    }
    @usableFromInline let known: Why

    /// In memory of its own: steps are kept by the million, and few have a reason.
    @usableFromInline enum Why: Sendable {
        case none
        indirect case reason(Reason)
    }

    @inlinable public init(
        _ kind: Kind, _ event: EventRecord? = nil, from source: Source, _ from: StateRecord?,
        _ to: StateRecord?,
        effects: [EffectRecord] = [], isBeat: Bool = false, missed: Int = 0, why: Reason? = nil
    ) {
        (self.kind, self.event, self.source) = (kind, event, source)
        (self.from, self.to, self.effects) = (from, to, effects)
        (self.isBeat, self.missed) = (isBeat, missed)
        known = why.map { .reason($0) } ?? .none
    }
}

/// An effect's name and arguments, for who does not know the flow.
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

/// Whoever follows a machine. It is told what changed and never handed the state, so it can neither
/// keep that alive nor change it. It must outlive the machine; what it wants to send, it posts.
public protocol MachineObserver: AnyObject {
    /// The machine took, deferred or dropped an event, or was put into a state.
    func did(_ step: consuming Step)
    /// An event was refused that nobody waits for an answer to: a posted one, or a timer's signal.
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason)
    /// A timer of the machine is due. An observer that wants to know when the signal is handled calls
    /// `take(due:missed:)` itself.
    func due(_ tag: UInt8, missed: Int, of machine: AnyMachine)
}

extension MachineObserver {
    public func due(_ tag: UInt8, missed: Int, of machine: AnyMachine) {
        do throws(Reason) { try machine.take(due: tag, missed: missed) } catch {
            refused(machine.flow.signalEvent(tag), .timer, error)
        }
    }
}
