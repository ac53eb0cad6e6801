internal import GameFlow
internal import Sessions
internal import Timers

/// The fields of a body as they were read, in whatever order they were.
struct BodyParts {
    let kind: BodyKind
    private var found: Set<BodyField> = []
    private var counts: [BodyField: Int] = [:]
    private var times: [BodyField: Int64] = [:]
    private var texts: [BodyField: String] = [:]
    private var memberLists: [BodyField: [Member]] = [:]
    private var steps: [BodyField: Step] = [:]
    private var orders: [BodyField: Change.Order] = [:]
    private var sourceRead: Source?
    private var eventRead: Happening?
    private var placeRead: Place?
    private var timersRead: [TimerRecord]?
    private var waitingRead: [MachineSnapshot.Deferred] = []
    private var undoneRead: SessionRecord.Undone?
    private(set) var positions: [Int] = []

    /// Reads all fields of a body.
    init(_ body: [UInt8]) throws(UnreadableRow) {
        var reader = BodyReader(body[...])
        let version = try reader.byte()
        guard version == BodyWriter.version else {
            throw UnreadableRow(why: "its body is of another version (\(version))")
        }
        let code = try reader.byte()
        guard let kind = BodyKind(rawValue: code) else {
            throw UnreadableRow(why: "a row of kind \(code) is of another version")
        }
        self.kind = kind
        while let (field, hasParts) = try reader.field() {
            guard kind.fields.contains(field) else {
                throw UnreadableRow(why: "\(field) does not belong to it")
            }
            guard found.insert(field).inserted else {
                throw UnreadableRow(why: "\(field) is there twice")
            }
            if hasParts {
                try reader.parts { (reader) throws(UnreadableRow) in try take(field, &reader) }
            } else {
                try takeNumber(field, &reader)
            }
        }
    }

    private mutating func takeNumber(_ field: BodyField, _ reader: inout BodyReader)
        throws(UnreadableRow)
    {
        switch field {
        case .pos, .ids, .entry, .lastPos, .omittedBytes, .code, .dropped, .firings, .openings,
            .follows,
            .isCutShort:
            counts[field] = try reader.count("\(field)")
        case .openedAt, .lastAt, .now, .lastSign, .by, .flowVersion:
            times[field] = try reader.signed()
        default: throw UnreadableRow(why: "\(field): expected parts")
        }
    }

    private mutating func take(_ field: BodyField, _ reader: inout BodyReader)
        throws(UnreadableRow)
    {
        switch field {
        case .flow, .fired, .error, .why: texts[field] = try reader.string()
        case .settings, .labels, .data, .notes: memberLists[field] = try reader.members()
        case .step, .answer: steps[field] = try reader.step()
        case .order, .answerOrder: orders[field] = try reader.order()
        case .source: sourceRead = try reader.source()
        case .event: eventRead = try reader.happening()
        case .place: placeRead = try reader.place()
        case .timers: timersRead = try reader.timers()
        case .waiting: waitingRead = try reader.waiting()
        case .positions: positions = try reader.positions()
        case .undone:
            let from = try reader.count("undone")
            undoneRead = SessionRecord.Undone(from: from, to: try reader.count("undone"))
        default: throw UnreadableRow(why: "\(field): expected a number")
        }
    }

    // MARK: what was found

    private func missing(_ field: BodyField) -> UnreadableRow {
        UnreadableRow(why: "\(field): missing")
    }

    func has(_ field: BodyField) -> Bool { found.contains(field) }

    func count(_ field: BodyField) throws(UnreadableRow) -> Int {
        guard let number = counts[field] else { throw missing(field) }
        return number
    }

    /// A number that is 0 where it is not there.
    func countOrZero(_ field: BodyField) -> Int { counts[field] ?? 0 }

    func number(_ field: BodyField) -> Int64? { times[field] }

    /// An instant that a clock can have shown.
    func instant(_ field: BodyField) throws(UnreadableRow) -> Instant {
        guard let nanoseconds = times[field] else { throw missing(field) }
        let instant = Instant(nanoseconds: nanoseconds)
        guard Instant.zero...Instant.last ~= instant else {
            throw UnreadableRow(why: "\(field): expected an instant")
        }
        return instant
    }

    func text(_ field: BodyField) throws(UnreadableRow) -> String {
        guard let text = texts[field] else { throw missing(field) }
        return text
    }

    func textIfThere(_ field: BodyField) -> String? { texts[field] }

    func members(_ field: BodyField) -> [Member] { memberLists[field] ?? [] }

    func step(_ field: BodyField, order: BodyField) throws(UnreadableRow) -> RecordedStep {
        guard let step = steps[field] else { throw missing(field) }
        return RecordedStep(step, order: orders[order])
    }

    var source: RecordedSource? { sourceRead.map { RecordedSource($0) } }

    func requiredSource() throws(UnreadableRow) -> RecordedSource {
        guard let source else { throw missing(.source) }
        return source
    }

    func event() throws(UnreadableRow) -> Happening {
        guard let eventRead else { throw missing(.event) }
        return eventRead
    }

    var undone: SessionRecord.Undone? { undoneRead }

    /// The machine after a step; nil where the step ends it, and in the middle of a call.
    func machine(after step: Step) throws(UnreadableRow) -> MachineSnapshot? {
        guard step.kind != .close else { return nil }
        guard let timersRead else {
            guard waitingRead.isEmpty, placeRead == nil else { throw missing(.timers) }
            return nil
        }
        guard let place = placeRead ?? step.to else { throw UnreadableRow(why: "to: missing") }
        return MachineSnapshot(place: place, timers: timersRead, waiting: waitingRead)
    }
}

extension BodyKind {
    private static let session: Set<BodyField> = [
        .pos, .flow, .flowVersion, .openedAt, .step, .order, .entry, .ids, .settings, .labels,
        .timers, .waiting, .place, .follows,
    ]

    private static let fieldsOf: [BodyKind: Set<BodyField>] = [
        .change: session.union([.undone]),
        .rest: session.union([.lastPos, .lastAt, .fired, .answer, .answerOrder]),
        .refusal: [.pos, .event, .omittedBytes, .source, .code, .error, .data, .dropped],
        .start: [.pos, .now, .lastSign, .notes],
        .advance: [.pos, .now, .firings, .isCutShort, .by, .source],
        .givenUp: [.pos, .why, .source],
        .forgotten: [.pos, .openings, .positions],
    ]

    /// The fields that a body of this kind may have.
    var fields: Set<BodyField> { Self.fieldsOf[self] ?? [] }
}
