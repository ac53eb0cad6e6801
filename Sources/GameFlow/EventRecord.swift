internal import Support

/// An event by name and arguments, as a client sent it, or as it is logged and shown. A class, so that copies share one object.
public final class EventRecord: Sendable, Equatable {
    public let name: String
    public let arguments: [Member]

    /// The name of the argument that says which player sends the event.
    package static let playerArgument = "player"

    public init(_ name: String, _ arguments: [Member] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Creates a record from the case of a typed event, for events that are logged or shown. This initializer is slow, because
    /// it uses `Mirror`. Associated values that have no label or are not an `Argument` are left out.
    @usableFromInline convenience init<Event>(describing event: Event) {
        let reflection = CaseReflection(event)
        self.init(reflection.name, reflection.members)
    }

    public static func == (a: EventRecord, b: EventRecord) -> Bool {
        a === b || (a.name.hasSameBytes(as: b.name) && a.arguments == b.arguments)
    }
}
