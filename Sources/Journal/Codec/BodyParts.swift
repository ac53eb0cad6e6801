internal import GameFlow
internal import Sessions
internal import Timers

/// The decoded fields of the body of a row. `SessionRecord.Body` is made from these fields. The bytes of a body contain
/// the fields in any order. A `BodyParts` is large, and therefore cannot be copied.
struct BodyParts: ~Copyable {
    let kind: BodyKind
    /// The front of a session's row; nil in other rows, and in a row of the second format.
    private var front: RowFront?
    /// The fields that the body has.
    private var presentFields = BodyFieldSet()
    /// The numeric fields, indexed by field number; the numbers of these fields are less than 42.
    private var numbers = InlineArray<42, Int64>(repeating: 0)
    // The other fields. A property `x` or `decodedX` contains the field `BodyField.x`, unless a comment says otherwise.
    private var flow: String?
    private var sourceVersion: String?
    /// The text of a flow file.
    private(set) var flowFileText: [UInt8] = []
    private(set) var tableFiles: [FlowSource.TableFile] = []
    /// The field `said`.
    private var decodedMessage: ScreenMessage?
    private var fired: String?
    private var error: String?
    private var why: String?
    private var settings: [Member] = []
    private var labels: [Member] = []
    private var data: [Member] = []
    private var notes: [Member] = []
    private var decodedStep: Step?
    private(set) var answer: Step?
    private(set) var details: Change.Details?
    private(set) var answerDetails: Change.Details?
    private(set) var source: Source?
    private var decodedEvent: EventRecord?
    /// The field `place`.
    private var decodedState: StateRecord?
    private var decodedTimers: [TimerRecord]?
    private var decodedWaiting: [MachineRecord.Deferred] = []
    private var messageScope = ScreenMessage.Scope.operators
    private var openingLabels: [Member]?
    private var openingSettings: [Member]?
    private(set) var chance: Chance?
    private var moments: [Moment] = []
    private(set) var messageUpdate: Change.MessageUpdate?
    private(set) var receipt: Change.Receipt?
    private(set) var positions: [Int] = []
    private var decodedDeliveries: [DeliveryRecord] = []
    /// The alerts about outputs, by the index of the output in `decodedDeliveries`.
    private var outputAlerts: [Int: DeliveryRecord.Alert] = [:]

    private init(_ kind: BodyKind) { self.kind = kind }

    /// Reads all fields of a body.
    static func read(_ reader: inout BodyReader) throws(UnreadableRowError) -> BodyParts {
        let version = try reader.byte()
        guard let format = RowFormat(rawValue: version) else {
            throw UnreadableRowError(why: "its body has an unknown version (\(version))")
        }
        let code = try reader.byte()
        guard let kind = BodyKind(rawValue: code) else {
            throw UnreadableRowError(why: "a row of kind \(code) has an unknown version")
        }
        var parts = BodyParts(kind)
        if format == .third, kind.hasFront { parts.front = try reader.front() }
        try parts.readFields(format, &reader)
        return parts
    }

    /// Reads the fields up to the end of the body. A field is either one number, or length-delimited: its content is preceded
    /// by the number of the content's bytes.
    private mutating func readFields(_ format: RowFormat, _ reader: inout BodyReader)
        throws(UnreadableRowError)
    {
        let allowed = kind.fields
        while let (field, isLengthDelimited) = try reader.field(format) {
            guard allowed.contains(field) else {
                throw UnreadableRowError(why: "\(field): not allowed in this kind of row")
            }
            guard !presentFields.contains(field) else {
                throw UnreadableRowError(why: "\(field) occurs twice")
            }
            presentFields.insert(field)
            guard isLengthDelimited else {
                try readNumber(field, &reader)
                continue
            }
            let bodyEnd = try reader.beginLengthDelimitedField()
            reader.forgetsTexts = field.isSkippable
            try readLengthDelimited(field, &reader)
            reader.forgetsTexts = false
            try reader.endLengthDelimitedField(bodyEnd)
        }
    }

    private mutating func readNumber(_ field: BodyField, _ reader: inout BodyReader)
        throws(UnreadableRowError)
    {
        switch field {
        case .pos, .ids, .entry, .lastPos, .omittedBytes, .code, .dropped, .firings, .openings,
            .follows,
            .isCutShort:
            numbers[field.rawValue] = Int64(try reader.count("\(field)"))
        case .openedAt, .lastAt, .now, .lastAlive, .by, .flowVersion, .correction:
            numbers[field.rawValue] = try reader.signed()
        default: throw UnreadableRowError(why: "\(field): expected a length and its content")
        }
    }

    private mutating func readLengthDelimited(_ field: BodyField, _ reader: inout BodyReader)
        throws(UnreadableRowError)
    {
        switch field {
        case .flow: flow = try reader.string()
        case .sourceVersion: sourceVersion = try reader.string()
        case .text: flowFileText = try reader.byteArray()
        case .tableFiles: tableFiles = try reader.tableFiles()
        case .said: decodedMessage = try reader.message()
        case .fired: fired = try reader.string()
        case .error: error = try reader.string()
        case .why: why = try reader.string()
        case .settings: settings = try reader.members()
        case .labels: labels = try reader.members()
        case .data: data = try reader.members()
        case .notes: notes = try reader.members()
        case .step: decodedStep = try reader.step()
        case .answer: answer = try reader.step()
        case .details: details = try Change.Details(from: &reader)
        case .answerDetails: answerDetails = try Change.Details(from: &reader)
        case .source: source = try reader.source()
        case .event: decodedEvent = try reader.eventRecord()
        case .place: decodedState = try reader.stateRecord()
        case .timers: decodedTimers = try reader.timers()
        case .waiting: decodedWaiting = try reader.waiting()
        case .positions: positions = try reader.positions()
        case .deliveries: decodedDeliveries = try reader.deliveries()
        case .outputAlerts: outputAlerts = try reader.outputAlerts()
        case .messageScope: messageScope = try reader.messageScope()
        case .openingLabels: openingLabels = try reader.members()
        case .openingSettings: openingSettings = try reader.members()
        case .chance:
            chance = Chance(seed: try reader.unsigned(), drawn: try reader.unsigned())
        case .moments: moments = try reader.moments()
        case .messageUpdate: messageUpdate = try reader.messageUpdate()
        case .receipt: receipt = try Change.Receipt(from: &reader)
        default: throw UnreadableRowError(why: "\(field): expected a number")
        }
    }

    // MARK: decoded fields

    /// The outcomes of outputs, with the alerts about those that were given up.
    var deliveries: [DeliveryRecord] {
        if outputAlerts.isEmpty { return decodedDeliveries }
        return decodedDeliveries.enumerated().map { index, record in
            guard record.outcome == .givenUp, let alert = outputAlerts[index] else { return record }
            return DeliveryRecord(record.key, number: record.number, givenUpWith: alert)
        }
    }

    private func missingError(_ field: BodyField) -> UnreadableRowError {
        UnreadableRowError(why: "\(field): missing")
    }

    func has(_ field: BodyField) -> Bool { presentFields.contains(field) }

    func count(_ field: BodyField) throws(UnreadableRowError) -> Int {
        guard has(field) else { throw missingError(field) }
        return countOrZero(field)
    }

    /// The number in a field; 0 if the field is missing.
    func countOrZero(_ field: BodyField) -> Int { Int(numbers[field.rawValue]) }

    func number(_ field: BodyField) -> Int64? { has(field) ? numbers[field.rawValue] : nil }

    func requiredNumber(_ field: BodyField) throws(UnreadableRowError) -> Int64 {
        guard let number = number(field) else { throw missingError(field) }
        return number
    }

    /// The instant in a field. Throws if the field is missing or the instant is outside the range of the clock.
    func instant(_ field: BodyField) throws(UnreadableRowError) -> Instant {
        guard let nanoseconds = number(field) else { throw missingError(field) }
        let instant = Instant(nanoseconds: nanoseconds)
        guard Instant.zero...Instant.last ~= instant else {
            throw UnreadableRowError(why: "\(field): expected an instant")
        }
        return instant
    }

    func text(_ field: BodyField) throws(UnreadableRowError) -> String {
        guard let text = optionalText(field) else { throw missingError(field) }
        return text
    }

    func optionalText(_ field: BodyField) -> String? {
        switch field {
        case .flow: flow
        case .sourceVersion: sourceVersion
        case .fired: fired
        case .error: error
        case .why: why
        default: nil
        }
    }

    func members(_ field: BodyField) -> [Member] {
        switch field {
        case .settings: settings
        case .labels: labels
        case .data: data
        case .notes: notes
        default: []
        }
    }

    func step() throws(UnreadableRowError) -> Step {
        guard let decodedStep else { throw missingError(.step) }
        return decodedStep
    }

    func requiredSource() throws(UnreadableRowError) -> Source {
        guard let source else { throw missingError(.source) }
        return source
    }

    func event() throws(UnreadableRowError) -> EventRecord {
        guard let decodedEvent else { throw missingError(.event) }
        return decodedEvent
    }

    /// When the session entered the present state; nil if the record does not have it.
    var enteredAt: Instant? { front?.enteredAt }

    /// The session's labels and message, and what it was opened with; nil if the record has none of these.
    var sessionNotes: SessionNotes? {
        guard !labels.isEmpty || decodedMessage != nil || openingLabels != nil else { return nil }
        let opening = openingLabels.map {
            SessionNotes.Opening(labels: $0, settings: openingSettings ?? [])
        }
        return SessionNotes(
            labels: labels, message: decodedMessage?.with(messageScope), opening: opening)
    }

    /// The machine after a step. Nil if the step ends the machine. Also nil if further changes of the step's call follow.
    func machine(after step: Step) throws(UnreadableRowError) -> MachineRecord? {
        guard step.kind != .close else { return nil }
        guard let decodedTimers else {
            guard decodedWaiting.isEmpty, decodedState == nil else { throw missingError(.timers) }
            return nil
        }
        guard let state = decodedState ?? step.to else {
            throw UnreadableRowError(why: "to: missing")
        }
        return MachineRecord(
            place: state, timers: decodedTimers, waiting: decodedWaiting, chance: chance,
            moments: moments)
    }
}

/// A set of fields of a body.
struct BodyFieldSet {
    private var bits: UInt128 = 0

    init(_ fields: BodyField...) { for field in fields { insert(field) } }

    func contains(_ field: BodyField) -> Bool { bits >> UInt128(field.rawValue) & 1 == 1 }

    mutating func insert(_ field: BodyField) { bits |= 1 << UInt128(field.rawValue) }

    func union(_ other: BodyFieldSet) -> BodyFieldSet {
        var union = self
        union.bits |= other.bits
        return union
    }
}

extension BodyKind {
    private static let changeFields = BodyFieldSet(
        .pos, .flow, .flowVersion, .openedAt, .step, .details, .entry, .ids, .settings, .labels,
        .timers, .waiting, .place, .follows, .sourceVersion, .said, .messageScope, .openingLabels,
        .openingSettings, .messageUpdate, .chance, .moments)
    private static let restFields = changeFields.union(
        BodyFieldSet(.lastPos, .lastAt, .fired, .answer, .answerDetails))
    private static let refusalFields = BodyFieldSet(
        .pos, .event, .omittedBytes, .source, .code, .error, .data, .dropped, .receipt)
    private static let startFields = BodyFieldSet(.pos, .now, .lastAlive, .notes)
    private static let advanceFields = BodyFieldSet(.pos, .now, .firings, .isCutShort, .by, .source)
    private static let quarantineGivenUpFields = BodyFieldSet(.pos, .why, .source)
    private static let flowTextFields = BodyFieldSet(
        .pos, .flow, .sourceVersion, .text, .tableFiles)
    private static let deliveriesFields = BodyFieldSet(.pos, .deliveries, .outputAlerts)
    private static let clockFields = BodyFieldSet(.pos, .correction)
    private static let forgottenFields = BodyFieldSet(.pos, .openings, .positions)

    /// The fields that a body of this kind may have.
    var fields: BodyFieldSet {
        switch self {
        case .change: Self.changeFields
        case .rest: Self.restFields
        case .refusal: Self.refusalFields
        case .start: Self.startFields
        case .advance: Self.advanceFields
        case .quarantineGivenUp: Self.quarantineGivenUpFields
        case .forgotten: Self.forgottenFields
        case .flowText: Self.flowTextFields
        case .deliveries: Self.deliveriesFields
        case .clock: Self.clockFields
        }
    }

    /// Whether a body of this kind has a front in the third format.
    var hasFront: Bool { self == .change || self == .rest }
}
