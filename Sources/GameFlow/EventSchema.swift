/// The schema of one event that clients may send: `EventSchema(.pause)`, `EventSchema(Event.chooseEpisode)`.
/// The name and the parameters are read from the enum case once, when the flow is registered.
public struct EventSchema<Event> {
    public let name: String
    public let parameters: [Field]
    /// The event with each combination of its parameters' samples, and the arguments of each.
    @usableFromInline let samples: [(event: Event, arguments: [Member])]
    /// Whether the samples are solutions that players have to find. They are not shown to clients.
    @usableFromInline let hasSecretSamples: Bool
    @usableFromInline let read: ([Member]) throws(Reason) -> Event

    @usableFromInline init(
        _ name: String, _ parameters: [Field], _ samples: [(event: Event, arguments: [Member])],
        hasSecretSamples: Bool = false, read: @escaping ([Member]) throws(Reason) -> Event
    ) {
        (self.name, self.parameters, self.samples) = (name, parameters, samples)
        (self.hasSecretSamples, self.read) = (hasSecretSamples, read)
    }

    /// Creates the schema of an event without parameters.
    @inlinable public init(_ event: Event) {
        self.init("\(event)", [], [(event, [])]) { members throws(Reason) in
            if !members.isEmpty { try members.only([]) }
            return event
        }
    }

    /// Creates the schema of an event with one parameter. `samples` are values that a state may accept, for
    /// parameters whose type's own samples would be refused.
    @inlinable public init<A: Argument>(_ make: @escaping (A) -> Event, samples: [A] = A.samples) {
        self.init(make, samples, areSecret: false)
    }

    /// Creates the schema of an event whose samples are solutions that players have to find, such as the code
    /// of a lock. The flow survey uses them, and clients do not see them.
    @inlinable public init<A: Argument>(_ make: @escaping (A) -> Event, secretSamples: [A]) {
        self.init(make, secretSamples, areSecret: true)
    }

    @inlinable init<A: Argument>(
        _ make: @escaping (A) -> Event, _ samples: [A], areSecret: Bool
    ) {
        // If there is no other sample, the type's own sample is used to read the name from the case.
        let (name, labels) = Self.labels(make(samples.first ?? A.samples[0]))
        let (label, fields) = (labels[0], [Field(labels[0], A.self)])
        self.init(
            name, fields, samples.map { (make($0), [Member(label, $0.value)]) },
            hasSecretSamples: areSecret
        ) { members throws(Reason) in
            if members.count != 1 || members[0].name != label { try members.only(fields) }
            return make(try members.argument(label, at: 0))
        }
    }

    /// Creates the schema of an event with two parameters.
    @inlinable public init<A: Argument, B: Argument>(_ make: @escaping (A, B) -> Event) {
        let (name, labels) = Self.labels(make(A.samples[0], B.samples[0]))
        let (first, second) = (labels[0], labels[1])
        let fields = [Field(first, A.self), Field(second, B.self)]
        let samples = A.samples.flatMap { a in
            B.samples.map { b in
                (event: make(a, b), arguments: [Member(first, a.value), Member(second, b.value)])
            }
        }
        self.init(name, fields, samples) { members throws(Reason) in
            if members.count != 2 || members[0].name != first || members[1].name != second {
                try members.only(fields)
            }
            return make(try members.argument(first, at: 0), try members.argument(second, at: 1))
        }
    }

    /// Returns the case's name and its parameters' labels. Called only at registration, because `Mirror` is
    /// slow.
    @usableFromInline static func labels(_ event: Event) -> (String, [String]) {
        guard let (name, payload) = Mirror(reflecting: event).children.first, let name else {
            preconditionFailure("\(event) carries nothing")
        }
        let labels = Mirror(reflecting: payload).children.map { $0.label ?? "" }
        // `Mirror` shows a single labelled value as a tuple of one element, and an unlabelled one as itself.
        return (name, labels)
    }
}

extension [Member] {
    /// Returns the argument with the label `label`, which is usually at the index `position`.
    @inlinable func argument<A: Argument>(_ label: String, at position: Int) throws(Reason) -> A {
        guard let found = self.position(of: label, from: position) else {
            throw .invalid(label, "missing")
        }
        do throws(ArgumentError) { return try A(self[found].value) } catch {
            throw .invalid(label, error.why)
        }
    }

    @inlinable func position(of label: String, from position: Int) -> Int? {
        position < count && self[position].name == label
            ? position : firstIndex { $0.name == label }
    }
}
