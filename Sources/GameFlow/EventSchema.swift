/// The schema of one event that clients may send: `EventSchema(.pause)`, `EventSchema(Event.chooseEpisode)`.
/// The name and the parameters are read from the enum case once, when the flow is registered.
///
/// Every parameter needs a name, because clients give arguments by name. A parameter without a name is reported when
/// the flow is registered (`AnyFlow.mistakes`).
public struct EventSchema<Event> {
    public let name: String
    /// The names and types of the parameters, in order.
    public let parameters: [Field]
    /// Samples of the event, each with its arguments. Tools send them to try the flow. The initialisers below say how the
    /// parameters' samples are combined.
    @usableFromInline let samples: [(event: Event, arguments: [Member])]
    /// Whether the samples are solutions that players have to find. Such samples are not shown to clients.
    @usableFromInline let hasSecretSamples: Bool
    /// The kinds of sources that may send the event, such as `unix` or `session`; empty if all may.
    public var allowedSources: [String] = []
    /// For how long events of this name wait for each other in a daemon; see `collecting(for:)`. Nil if they do not wait.
    @usableFromInline var collectingTime: Duration?
    /// The mistake that the author has to correct; nil if the case can be used.
    @usableFromInline let mistake: String?
    /// Makes the event from the arguments that a client sent. Throws if they do not fit the parameters.
    @usableFromInline let read: ([Member]) throws(Reason) -> Event

    /// Creates a schema from its parts, for events that are not enum cases.
    @usableFromInline package init(
        _ name: String, _ parameters: [Field], _ samples: [(event: Event, arguments: [Member])],
        hasSecretSamples: Bool = false, mistake: String? = nil,
        read: @escaping ([Member]) throws(Reason) -> Event
    ) {
        (self.name, self.parameters, self.samples) = (name, parameters, samples)
        (self.hasSecretSamples, self.mistake, self.read) = (hasSecretSamples, mistake, read)
    }

    /// Creates the schema of an event without parameters.
    @inlinable public init(_ event: Event) {
        let (name, mistake) = Self.plainName(event)
        self.init(name, [], [(event, [])], mistake: mistake) { members throws(Reason) in
            if !members.isEmpty { try members.checkNames(in: []) }
            return event
        }
    }

    /// The longest time for which events may wait for each other.
    public static var longestCollecting: Duration { .seconds(1) }

    /// The schema of an event that waits in a daemon: the first event of this name opens a window of the session, and those that
    /// arrive in it are sent when it ends, in the order in which the clients sent them. So a slow network does not decide who
    /// pressed first. Anything else that happens to the session ends the window. `time` is at most `longestCollecting`. With a
    /// virtual clock, in tests and in a program without a daemon, events do not wait.
    public func collecting(for time: Duration) -> EventSchema {
        precondition(
            time > .zero && time <= Self.longestCollecting, "collecting(for:): at most a second")
        var schema = self
        schema.collectingTime = time
        return schema
    }

    /// Returns the schemas of events without parameters.
    public static func plain(_ events: Event...) -> [EventSchema] { events.map { EventSchema($0) } }

    /// Creates the schema of an event with one parameter. Pass `samples` if every state would refuse the type's own samples.
    @inlinable public init<A: Argument>(_ make: @escaping (A) -> Event, samples: [A] = A.samples) {
        self.init(make, samples, areSecret: false)
    }

    /// Creates the schema of an event with secret samples. These samples are solutions that players have to find, such as the
    /// code of a lock. The flow survey uses secret samples, and clients do not see them.
    @inlinable public init<A: Argument>(_ make: @escaping (A) -> Event, secretSamples: [A]) {
        self.init(make, secretSamples, areSecret: true)
    }

    @inlinable init<A: Argument>(
        _ make: @escaping (A) -> Event, _ samples: [A], areSecret: Bool
    ) {
        // The name is read from an event, which needs an argument. If `samples` is empty, the type's own first sample is used.
        guard let sample = samples.first ?? A.samples.first else {
            self.init(withoutSamples: A.self)
            return
        }
        let parts = Self.parts(make(sample), count: 1)
        let (label, fields) = (parts.labels[0], [Field(parts.labels[0], A.self)])
        self.init(
            parts.name, fields, samples.map { (make($0), [Member(label, $0.value)]) },
            hasSecretSamples: areSecret, mistake: parts.mistake
        ) { members throws(Reason) in
            // The comparison is faster than `checkNames`, and clients rarely send other names.
            if members.count != 1 || !members[0].isNamed(label) {
                try members.checkNames(in: fields)
            }
            return make(try members.argument(label, at: 0))
        }
    }

    /// Creates the schema of an event that cannot be made, because `type`, the type of a parameter, has no samples. The event's name
    /// cannot be read without an event. The schema has this mistake.
    @usableFromInline init(withoutSamples type: any Argument.Type) {
        self.init(
            "\(type)", [], [],
            mistake: "the type \(type) of an event's argument has no samples; it needs at least one"
        ) { _ throws(Reason) in throw .invalid("\(type)", "has no samples") }
    }

    /// Says what is wrong with a parameter whose type is no `Argument`.
    @available(
        *, unavailable,
        message:
            "the type of an event's parameter must conform to Argument, as Bool, Int, String, Duration and enums of texts do"
    )
    @_disfavoredOverload public init<A>(_ make: @escaping (A) -> Event) {
        fatalError("unavailable")
    }

    /// Creates the schema of an event with two parameters. The event is tried with each combination of a sample of `A` and a
    /// sample of `B`.
    @inlinable public init<A: Argument, B: Argument>(_ make: @escaping (A, B) -> Event) {
        guard let a = A.samples.first, let b = B.samples.first else {
            self.init(withoutSamples: A.samples.isEmpty ? A.self : B.self)
            return
        }
        let parts = Self.parts(make(a, b), count: 2)
        let (firstLabel, secondLabel) = (parts.labels[0], parts.labels[1])
        let fields = [Field(firstLabel, A.self), Field(secondLabel, B.self)]
        let samples = A.samples.flatMap { a in
            B.samples.map { b in
                (
                    event: make(a, b),
                    arguments: [Member(firstLabel, a.value), Member(secondLabel, b.value)]
                )
            }
        }
        self.init(parts.name, fields, samples, mistake: parts.mistake) { members throws(Reason) in
            if members.count != 2 || !members[0].isNamed(firstLabel)
                || !members[1].isNamed(secondLabel)
            {
                try members.checkNames(in: fields)
            }
            return make(
                try members.argument(firstLabel, at: 0), try members.argument(secondLabel, at: 1))
        }
    }

    /// Creates the schema of an event with three or more parameters. Each parameter is tried only with its type's first
    /// sample, because the combinations of all samples would be too many.
    @inlinable public init<A: Argument, B: Argument, C: Argument, each More: Argument>(
        _ make: @escaping (A, B, C, repeat each More) -> Event
    ) {
        var types: [any Argument.Type] = [A.self, B.self, C.self]
        for type in repeat (each More).self { types.append(type) }
        if let type = types.first(where: { $0.samples.isEmpty }) {
            self.init(withoutSamples: type)
            return
        }
        let sample = make(
            A.samples[0], B.samples[0], C.samples[0], repeat (each More).samples[0])
        let values = types.compactMap { $0.samples.first?.value }
        let parts = Self.parts(sample, count: values.count)
        let labels = parts.labels
        var fields = [Field(labels[0], A.self), Field(labels[1], B.self), Field(labels[2], C.self)]
        for type in repeat (each More).self {
            fields.append(Field(labels[fields.count], type))
        }
        let allFields = fields
        let arguments = zip(labels, values).map { Member($0, $1) }
        self.init(
            parts.name, allFields, [(sample, arguments)], mistake: parts.mistake
        ) { members throws(Reason) in
            try members.checkNames(in: allFields)
            // The index of the third parameter; `Self.argument` increments it for each parameter after that.
            var index = 2
            return make(
                try members.argument(labels[0], at: 0), try members.argument(labels[1], at: 1),
                try members.argument(labels[2], at: 2),
                repeat try Self.argument(
                    (each More).self, members, labels, &index))
        }
    }

    /// Increments `index`, and returns the argument of the parameter at the new index. `labels` are the names of all
    /// parameters.
    @usableFromInline static func argument<A: Argument>(
        _ type: A.Type, _ members: [Member], _ labels: [String], _ index: inout Int
    ) throws(Reason) -> A {
        index += 1
        return try members.argument(labels[index], at: index)
    }

    /// Returns the case's name, the labels of its `count` parameters, and the mistake in the case's declaration. A
    /// parameter without a label gets one such as `argument1`. Called only at registration, because `Mirror` is slow.
    @usableFromInline static func parts(_ event: Event, count: Int)
        -> (name: String, labels: [String], mistake: String?)
    {
        let reflection = CaseReflection(event)
        let caseLabels = reflection.labels
        let labels = (0..<count).map { index in
            (index < caseLabels.count ? caseLabels[index] : nil) ?? "argument\(index + 1)"
        }
        let unnamedIndex = (0..<count).first { $0 >= caseLabels.count || caseLabels[$0] == nil }
        guard let unnamedIndex else { return (reflection.name, labels, nil) }
        return (
            reflection.name, labels,
            "argument \(unnamedIndex + 1) of the event \(reflection.name) has no name; write case "
                + "\(reflection.name)(\(labels.map { "\($0): …" }.joined(separator: ", ")))"
        )
    }

    /// Returns the name of a case that should have no parameters, and the mistake if it has some.
    @usableFromInline static func plainName(_ event: Event) -> (name: String, mistake: String?) {
        let reflection = CaseReflection(event)
        let name = reflection.name
        guard !reflection.labels.isEmpty else { return (name, nil) }
        return (name, "the event \(name) has arguments; write EventSchema(Event.\(name))")
    }
}

extension [Member] {
    /// Returns the argument with the name `label`. Throws `invalid` if the argument is missing or does not fit its type.
    /// `expectedIndex` is the parameter's index in the schema: an argument at this index is found without a search.
    @inlinable func argument<A: Argument>(_ label: String, at expectedIndex: Int) throws(Reason)
        -> A
    {
        guard let index = index(of: label, expectedAt: expectedIndex) else {
            throw .invalid(label, "missing")
        }
        do throws(ArgumentError) { return try A(self[index].value) } catch {
            throw .invalid(label, error.why)
        }
    }

    /// Returns the index of the member with the name `label`; nil if there is none.
    @inlinable func index(of label: String, expectedAt expectedIndex: Int) -> Int? {
        expectedIndex < count && self[expectedIndex].isNamed(label)
            ? expectedIndex : firstIndex { $0.isNamed(label) }
    }
}
