/// An event's name and arguments as received.
public final class EventRecord: Sendable, Equatable {
    public let name: String
    public let arguments: [Member]

    public init(_ name: String, _ arguments: [Member] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Creates a record from the case of a typed event, for events that are logged or shown. It is slow because
    /// it uses `Mirror`. Associated values that have no label or are not an `Argument` are left out.
    @usableFromInline convenience init<Event>(describing event: Event) {
        let found = CaseReflection(event)
        self.init(found.name, found.members)
    }

    public static func == (a: EventRecord, b: EventRecord) -> Bool {
        a === b || (a.name == b.name && a.arguments == b.arguments)
    }
}
