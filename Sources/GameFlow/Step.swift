public import JSON

/// What one event did to a machine, as its observer is told.
public struct Step {
    public enum Kind: String, Sendable {
        case open, enter, keep, `defer`, drop, goto
    }

    public let kind: Kind
    /// The event that was taken, deferred or dropped; nil where somebody opened or overrode.
    public let event: Happening?
    public let source: Source
    public let from: Place?
    public let to: Place
    public let effects: [RequestedEffect]
    /// Whether nothing but time is shown by it: a state was kept, no datum changed and no effect asked.
    public let isBeat: Bool
    /// How many beats of its pendulum came before this one that nobody saw.
    public let missed: Int
}

/// An event's name and arguments, as they came.
public struct Happening: Equatable, Sendable {
    public let name: String
    public let arguments: [Member]

    public init(_ name: String, _ arguments: [Member] = []) {
        self.name = name
        self.arguments = arguments
    }
}

/// An effect's name and arguments, for who does not know the flow.
public struct RequestedEffect: Equatable, Sendable {
    public let name: String
    public let arguments: [Member]
}

/// Whoever follows a machine. It is told what changed and never handed the state, so it can neither
/// keep that alive nor change it. It must outlive the machine; what it wants to send, it posts.
public protocol MachineObserver: AnyObject {
    /// The machine took, deferred or dropped an event, or was put into a state.
    func did(_ step: Step)
    /// An event was refused that nobody waits for an answer to: a posted one, or a timer's signal.
    func refused(_ event: Happening, _ source: Source, _ refusal: Refusal)
}
