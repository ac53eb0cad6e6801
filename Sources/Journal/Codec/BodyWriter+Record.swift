internal import GameFlow
internal import Sessions
internal import Timers

extension BodyWriter {
    /// The version of the format that is written. A body of version 1 is JSON, and begins with a
    /// brace.
    static let version: UInt8 = 2

    /// The body of a record: the version, the kind, and the fields, each preceded by its number.
    static func body(of record: SessionRecord) -> [UInt8] {
        var writer = BodyWriter()
        writer.byte(version)
        switch record.body {
        case .change(let change): writer.change(change)
        case .rest(let rest): writer.rest(rest)
        case .refusal(let refusal): writer.refusal(refusal)
        case .start(let start): writer.start(start)
        case .advance(let advance): writer.advance(advance)
        case .givenUp(let why, let source):
            writer.byte(BodyKind.givenUp.rawValue)
            writer.field(.why, why)
            writer.field(.source) { $0.source(source.source) }
        case .forgotten(let forgotten): writer.forgotten(forgotten)
        }
        writer.field(.pos, count: record.pos)
        return writer.bytes
    }

    private mutating func change(_ change: SessionRecord.Changed) {
        byte(BodyKind.change.rawValue)
        status(change.status, after: change.did)
        field(.follows, if: change.follows)
        guard let undone = change.undone else { return }
        field(.undone) {
            $0.count(undone.from)
            $0.count(undone.to)
        }
    }

    private mutating func rest(_ rest: SessionRecord.Rest) {
        byte(BodyKind.rest.rawValue)
        status(rest.status, after: rest.last)
        field(.follows, if: rest.follows)
        field(.lastPos, count: rest.lastPos)
        field(.lastAt, signed: rest.lastAt.nanoseconds)
        if let fired = rest.fired { field(.fired, fired) }
        guard let answer = rest.answer else { return }
        field(.answer) { $0.step(answer.step) }
        if let order = answer.order { field(.answerOrder) { $0.order(order) } }
    }

    private mutating func status(_ status: SessionRecord.Status, after did: RecordedStep) {
        field(.flow, status.flow)
        if let version = status.flowVersion { field(.flowVersion, signed: Int64(version)) }
        field(.openedAt, signed: status.openedAt.nanoseconds)
        field(.step) { $0.step(did.step) }
        if let order = did.order { field(.order) { $0.order(order) } }
        if status.entry > 0 { field(.entry, count: status.entry) }
        if status.ids > 0 { field(.ids, count: status.ids) }
        if !status.settings.isEmpty { field(.settings) { $0.members(status.settings) } }
        if !status.labels.isEmpty { field(.labels) { $0.members(status.labels) } }
        guard let machine = status.machine else { return }
        field(.timers) { $0.timers(machine.timers) }
        if !machine.waiting.isEmpty { field(.waiting) { $0.waiting(machine.waiting) } }
        if machine.place != did.step.to { field(.place) { $0.place(machine.place) } }
    }

    private mutating func refusal(_ refusal: SessionRecord.Refusal) {
        byte(BodyKind.refusal.rawValue)
        field(.event) { $0.happening(refusal.event) }
        if refusal.omittedBytes > 0 { field(.omittedBytes, count: refusal.omittedBytes) }
        field(.source) { $0.source(refusal.source.source) }
        field(.code, count: refusal.code)
        field(.error, refusal.error)
        field(.data) { $0.members(refusal.data) }
        if refusal.dropped > 0 { field(.dropped, count: refusal.dropped) }
    }

    private mutating func start(_ start: SessionRecord.Start) {
        byte(BodyKind.start.rawValue)
        field(.now, signed: start.now.nanoseconds)
        field(.lastSign, signed: start.lastSign.nanoseconds)
        field(.notes) { $0.members(start.notes) }
    }

    /// Each position as the difference to the preceding one.
    private mutating func forgotten(_ forgotten: SessionRecord.Forgotten) {
        byte(BodyKind.forgotten.rawValue)
        field(.openings, count: forgotten.openings)
        field(.positions) { writer in
            writer.count(forgotten.positions.count)
            var last = 0
            for position in forgotten.positions {
                writer.count(position - last)
                last = position
            }
        }
    }

    private mutating func advance(_ advance: SessionRecord.Advanced) {
        byte(BodyKind.advance.rawValue)
        field(.now, signed: advance.now.nanoseconds)
        field(.firings, count: advance.fired)
        field(.isCutShort, if: advance.isCutShort)
        if let by = advance.by { field(.by, signed: by.nanoseconds) }
        if let source = advance.source { field(.source) { $0.source(source.source) } }
    }
}
