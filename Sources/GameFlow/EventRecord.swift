/// An event's name and arguments as received.
public final class EventRecord: Sendable, Equatable {
    public let name: String
    public let arguments: [Member]

    public init(_ name: String, _ arguments: [Member] = []) {
        self.name = name
        self.arguments = arguments
    }

    /// Creates a record from the case of a typed event, for events that are logged or shown. It is slow because
    /// it uses `Mirror`. Associated values that are not an `Argument` are left out.
    @usableFromInline convenience init<Event>(describing event: Event) {
        guard let (label, payload) = Mirror(reflecting: event).children.first, let label else {
            self.init("\(event)")
            return
        }
        // `Mirror` shows a labelled value as a tuple and an unlabelled one as itself. A signal is recorded by
        // its own name.
        if let signal = payload as? any RawRepresentable<UInt8>, label == "due" {
            self.init("\(signal)")
            return
        }
        let values = Mirror(reflecting: payload)
        let arguments = values.displayStyle == .tuple ? values.children.map { $0 } : []
        self.init(
            label,
            arguments.compactMap { name, value in
                (value as? any Argument).map { Member(name ?? "", $0.value) }
            })
    }

    public static func == (a: EventRecord, b: EventRecord) -> Bool {
        a === b || (a.name == b.name && a.arguments == b.arguments)
    }
}
