public import JSON

/// One event that may come from outside: `EventForm(.pause)`, `EventForm(Event.chooseEpisode)`. Its
/// name and its parameters are read off the case, once, when the flow is registered.
public struct EventForm<Event> {
    public let name: String
    public let parameters: [Field]
    /// Events of this form, one for each combination of its parameters' samples, and their arguments.
    @usableFromInline let samples: [(event: Event, arguments: [Member])]
    /// Whether the samples are answers that players have to find: no client is shown them.
    @usableFromInline let hasSecretSamples: Bool
    @usableFromInline let read: ([Member]) throws(Reason) -> Event

    /// An event without parameters.
    public init(_ event: Event) {
        name = "\(event)"
        parameters = []
        samples = [(event, [])]
        hasSecretSamples = false
        read = { members throws(Reason) in
            if !members.isEmpty { try members.only([]) }
            return event
        }
    }

    /// An event with one parameter. `samples` are values of it that a state may take, where the type's
    /// own would be refused.
    public init<A: Argument>(_ make: @escaping (A) -> Event, samples: [A] = A.samples) {
        self.init(make, samples, areSecret: false)
    }

    /// The same with samples that players have to find, such as the code of a lock. The flow is tried
    /// with them, and clients are not shown them.
    public init<A: Argument>(_ make: @escaping (A) -> Event, secretSamples: [A]) {
        self.init(make, secretSamples, areSecret: true)
    }

    private init<A: Argument>(
        _ make: @escaping (A) -> Event, _ samples: [A], areSecret: Bool
    ) {
        // The type's own sample reads the name off the case, where there is no other.
        let (name, labels) = Self.labels(make(samples.first ?? A.samples[0]))
        let fields = [Field(labels[0], A.self)]
        (self.name, parameters) = (name, fields)
        hasSecretSamples = areSecret
        self.samples = samples.map { (make($0), [Member(labels[0], $0.value)]) }
        read = { members throws(Reason) in
            try members.only(fields)
            return make(try Arguments(members)(fields[0].name))
        }
    }

    /// An event with two parameters.
    public init<A: Argument, B: Argument>(_ make: @escaping (A, B) -> Event) {
        let (name, labels) = Self.labels(make(A.samples[0], B.samples[0]))
        let fields = [Field(labels[0], A.self), Field(labels[1], B.self)]
        (self.name, parameters) = (name, fields)
        hasSecretSamples = false
        samples = A.samples.flatMap { a in
            B.samples.map { b in
                (make(a, b), [Member(labels[0], a.value), Member(labels[1], b.value)])
            }
        }
        read = { members throws(Reason) in
            try members.only(fields)
            let arguments = Arguments(members)
            return make(try arguments(fields[0].name), try arguments(fields[1].name))
        }
    }

    /// The case's name and its parameters' labels. `Mirror` is slow: at registration only.
    private static func labels(_ event: Event) -> (String, [String]) {
        guard let (name, payload) = Mirror(reflecting: event).children.first, let name else {
            preconditionFailure("\(event) carries nothing")
        }
        let labels = Mirror(reflecting: payload).children.map { $0.label ?? "" }
        // A single labelled value is mirrored as a tuple of one; an unlabelled one as itself.
        return (name, labels)
    }
}
