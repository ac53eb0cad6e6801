internal import GameFlow
import Glibc
internal import Sessions
internal import Support
internal import Timers

/// Encodes the body of a row; `BodyReader` decodes it. Integers have a variable length. A string that occurs again is written
/// as a reference to its first occurrence. A writer keeps the memory of a body for the next one.
struct BodyWriter: ~Copyable {
    private var out = GrowingBuffer<UInt8>(capacity: usualByteCount)
    private var format = RowFormat.newest
    /// Whether texts are written in full, and are not remembered: in the fields that a reader may skip.
    private var writesTextsInFull = false
    /// Where the first strings of the body are among the written bytes. Later strings can refer to them.
    private var texts = GrowingBuffer<WrittenText>(capacity: rememberedStringLimit)
    /// The steps that were encoded before; nil for a writer of few bodies.
    private var steps: WrittenSteps?

    /// `remembersSteps` is true for a writer of many bodies.
    init(remembersSteps: Bool = false) { steps = remembersSteps ? WrittenSteps() : nil }

    /// The maximum number of strings to which others can refer. It is a part of the journal's format: the reader must remember the
    /// same strings.
    static let rememberedStringLimit = 32

    /// A capacity that spares most bodies a reallocation.
    private static let usualByteCount = 1024
    /// More memory than this is not kept for the next body.
    private static let keptByteCount = 65_536

    /// Calls `body` with the written bytes from an index, which are valid only during the call.
    func withBytes<R>(from index: Int = 0, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        out.withElements(from: index, body)
    }

    /// Releases the memory of an unusually large body.
    mutating func releaseLargeMemory() {
        guard out.count > Self.keptByteCount else { return }
        out.removeAll()
        out.shrink(to: Self.usualByteCount)
    }

    mutating func byte(_ byte: UInt8) { out.append(byte) }

    /// Writes a number with seven bits in each byte, the lowest bits first. The top bit of a byte is 0 only in the last byte.
    mutating func unsigned(_ number: UInt64) {
        // The longest number has ten bytes.
        out.reserve(10)
        out.count = Self.write(number, to: out.memory + out.count) - out.memory
    }

    /// Writes a number of variable length, and returns the end of its bytes.
    @discardableResult private static func write(
        _ number: UInt64, to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var (remaining, end) = (number, start)
        while remaining > 0x7F {
            end.pointee = UInt8(truncatingIfNeeded: remaining) | 0x80
            end += 1
            remaining >>= 7
        }
        end.pointee = UInt8(truncatingIfNeeded: remaining)
        return end + 1
    }

    /// The number of bytes that `write` writes for a number.
    private static func byteCount(_ number: UInt64) -> Int {
        max(1, (UInt64.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }

    /// Writes a count; a negative number is written as 0.
    mutating func count(_ number: Int) { unsigned(UInt64(max(0, number))) }

    /// Writes a signed number in zigzag encoding, so that small numbers of either sign are short: 0, -1, 1, -2, … are written
    /// as 0, 1, 2, 3, …
    mutating func signed(_ number: Int64) {
        unsigned(UInt64(bitPattern: number << 1 ^ number >> 63))
    }

    /// Writes a string as 2 · length and the bytes. A string that is already among `texts` is written only as 2 · index + 1.
    mutating func string(_ text: String) {
        text.utf8Span.span.withUnsafeBufferPointer { string($0) }
    }

    private mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        if !writesTextsInFull, let index = index(of: text) {
            return unsigned(UInt64(index) << 1 | 1)
        }
        unsigned(UInt64(text.count) << 1)
        if !writesTextsInFull, texts.count < Self.rememberedStringLimit {
            texts.append(WrittenText(offset: out.count, count: text.count))
        }
        out.append(text)
    }

    /// The index of a string among `texts`; nil if it is not there.
    private func index(of text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = text.baseAddress else { return nil }
        for index in 0..<texts.count where texts[index].count == text.count {
            if memcmp(out.memory + texts[index].offset, start, text.count) == 0 { return index }
        }
        return nil
    }

    private mutating func bytes(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { out.append($0) }
    }

    // MARK: fields

    /// Writes a numeric field: twice the field's number, and the content.
    mutating func field(_ field: BodyField, _ number: UInt64) {
        unsigned(UInt64(field.rawValue) << 1)
        unsigned(number)
    }

    mutating func field(_ field: BodyField, count number: Int) {
        self.field(field, UInt64(max(0, number)))
    }

    mutating func field(_ field: BodyField, signed number: Int64) {
        unsigned(UInt64(field.rawValue) << 1)
        signed(number)
    }

    /// Writes a flag: the body has the field if the flag is true.
    mutating func field(_ field: BodyField, if isSet: Bool) { if isSet { self.field(field, 1) } }

    /// Writes a length-delimited field: twice the field's number plus 1, the length of the content in bytes, and the content.
    // Inlined, so that what a closure captures is not counted.
    @inline(__always) mutating func field(_ field: BodyField, _ write: (inout BodyWriter) -> Void) {
        unsigned(UInt64(field.rawValue) << 1 | 1)
        lengthDelimited(write)
    }

    /// Writes the length of a content in bytes, and the content.
    @inline(__always) private mutating func lengthDelimited(
        _ write: (inout BodyWriter) -> Void
    ) {
        // Reserves one byte for the length, which suffices for most fields.
        let start = out.count
        out.append(0)
        write(&self)
        writeLength(at: start)
    }

    /// Writes the length of the content that begins after the byte at `start`.
    private mutating func writeLength(at start: Int) {
        let length = out.count - start - 1
        if length > 0x7F {
            // The content moves behind the other bytes of its length.
            let more = Self.byteCount(UInt64(length)) - 1
            out.makeGap(at: start, more)
            for index in 0..<texts.count where texts[index].offset > start {
                texts[index].offset += more
            }
        }
        Self.write(UInt64(length), to: out.memory + start)
    }

    /// Writes a field that a reader may skip. The second format has no such fields, so a writer of that format leaves it out.
    private mutating func skippableField(
        _ field: BodyField, _ write: (inout BodyWriter) -> Void
    ) {
        guard format == .third else { return }
        writesTextsInFull = true
        self.field(field, write)
        writesTextsInFull = false
    }

    mutating func field(_ field: BodyField, _ text: String) {
        self.field(field) { $0.string(text) }
    }
}

extension BodyWriter {
    /// Writes the body of a record, in place of what was written before: the number of the format, the kind, the front of a
    /// session's row, and the fields, each preceded by its number. A body of the first format is JSON, and begins with a brace.
    /// `writeHead` writes the `headByteCount` bytes that precede the body.
    mutating func write(
        _ record: borrowing SessionRecord, in format: RowFormat, after headByteCount: Int = 0,
        _ writeHead: (UnsafeMutablePointer<UInt8>) -> Void = { _ in }
    ) {
        begin(format, after: headByteCount, writeHead)
        byte(format.rawValue)
        switch record.body {
        case .change(let status): recorded(status, record.seq, .change)
        case .rest(let status, let rest):
            recorded(status, record.seq, .rest)
            self.rest(rest, after: status.change)
        case .refusal(let refusal): self.refusal(refusal)
        case .start(let start): self.start(start)
        case .advance(let advance): self.advance(advance)
        case .quarantineGivenUp(let why, let source):
            byte(BodyKind.quarantineGivenUp.rawValue)
            field(.why, why)
            field(.source) { $0.source(source) }
        case .forgotten(let forgotten): self.forgotten(forgotten)
        case .flowText(let name, let source): flowText(name, source)
        case .deliveries(let deliveries): self.deliveries(deliveries)
        case .clock(let correction):
            byte(BodyKind.clock.rawValue)
            field(.correction, signed: correction.nanoseconds)
        }
        field(.pos, count: record.pos)
    }

    /// Forgets what was written before, and writes what precedes the body.
    private mutating func begin(
        _ format: RowFormat, after headByteCount: Int,
        _ writeHead: (UnsafeMutablePointer<UInt8>) -> Void
    ) {
        self.format = format
        out.removeAll()
        texts.removeAll()
        out.reserve(headByteCount)
        writeHead(out.memory)
        out.count = headByteCount
    }

    private mutating func recorded(
        _ status: SessionRecord.Status, _ seq: Int, _ kind: BodyKind
    ) {
        byte(kind.rawValue)
        // Read once, because each copy of a machine's record counts several references.
        let machine = status.machine
        front(status, machine, seq)
        self.status(status, machine)
        field(.follows, if: status.isConsequence)
    }

    /// Writes what the row of a rest has besides a change and a status.
    private mutating func rest(_ rest: SessionRecord.Rest, after last: Change) {
        field(.lastPos, count: last.pos)
        field(.lastAt, signed: last.at.nanoseconds)
        if let fired = rest.fired { field(.fired, fired) }
        guard let answer = rest.answer else { return }
        field(.answer) { $0.step(answer.step) }
        if let details = answer.details { field(.answerDetails) { details.value.write(to: &$0) } }
    }

    /// Writes the front of a session's row, with its length. A later version may add to it, so a reader skips what follows. -1
    /// stands for an unknown instant.
    private mutating func front(
        _ status: SessionRecord.Status, _ machine: MachineRecord?, _ seq: Int
    ) {
        guard format == .third else { return }
        let change = status.change
        let state = machine?.place ?? change.step.to ?? change.step.from
        let deadlines = machine?.deadlines
        lengthDelimited {
            $0.string(state?.state ?? "")
            $0.count(seq)
            $0.signed(status.enteredAt?.nanoseconds ?? -1)
            $0.signed(deadlines?.earliest?.nanoseconds ?? -1)
            if let order = deadlines?.order { $0.count(Int(order)) }
        }
    }

    private mutating func status(_ status: SessionRecord.Status, _ machine: MachineRecord?) {
        let change = status.change
        field(.flow, status.flow)
        if let version = status.flowVersion { field(.flowVersion, signed: Int64(version)) }
        if let version = status.sourceVersion { field(.sourceVersion, version) }
        field(.openedAt, signed: status.openedAt.nanoseconds)
        stepField(change.step)
        if let details = change.details { field(.details) { details.value.write(to: &$0) } }
        if let message = change.message {
            skippableField(.messageUpdate) {
                guard case .shown(let message) = message else { return }
                $0.message(message)
                $0.count(message.scope.rawValue)
            }
        }
        if status.entry > 0 { field(.entry, count: status.entry) }
        if status.requestIDCount > 0 { field(.ids, count: status.requestIDCount) }
        if !status.settings.isEmpty { field(.settings) { $0.members(status.settings) } }
        if let notes = status.notes { sessionNotes(notes) }
        if let chance = status.chance {
            field(.chance) {
                $0.unsigned(chance.seed)
                $0.unsigned(chance.drawn)
            }
        }
        if let machine { self.machine(machine, after: change) }
    }

    private mutating func machine(_ machine: MachineRecord, after change: Change) {
        field(.timers) { $0.timers(machine.timers) }
        if machine.hasMoments { field(.moments) { $0.moments(machine.moments) } }
        if !machine.waiting.isEmpty { field(.waiting) { $0.waiting(machine.waiting) } }
        // Mostly the same object: then nothing is compared.
        if let place = change.step.to, place === machine.place || place == machine.place { return }
        field(.place) { $0.stateRecord(machine.place) }
    }

    /// Writes the step of a change: the bytes of an equal step that was written before, if the strings before it are the same.
    private mutating func stepField(_ step: borrowing Step) {
        guard steps != nil else { return writeStepField(step) }
        let identity = StepIdentity(step)
        if let written = steps?.find(identity, step), written.follows(texts, in: out) {
            let start = out.count
            written.bytes.withUnsafeBufferPointer { out.append($0) }
            for text in written.texts {
                texts.append(WrittenText(offset: start + text.offset, count: text.count))
            }
            return
        }
        let (start, textCount) = (out.count, texts.count)
        writeStepField(step)
        steps?.store(identity, step, out, from: start, texts, textCount)
    }

    private mutating func writeStepField(_ step: borrowing Step) {
        let step = copy step
        field(.step) { $0.step(step) }
    }

    private mutating func sessionNotes(_ notes: SessionNotes) {
        if !notes.labels.isEmpty { field(.labels) { $0.members(notes.labels) } }
        if let opening = notes.opening {
            skippableField(.openingLabels) { $0.members(opening.labels) }
            skippableField(.openingSettings) { $0.members(opening.settings) }
        }
        guard let message = notes.message else { return }
        field(.said) { $0.message(message) }
        if message.scope != .operators {
            skippableField(.messageScope) { $0.count(message.scope.rawValue) }
        }
    }

    private mutating func message(_ message: ScreenMessage) {
        string(message.text)
        count(message.seq)
        // -1 says that no time ends the message.
        signed(message.until?.nanoseconds ?? -1)
    }

    private mutating func refusal(_ refusal: RefusedEvent) {
        byte(BodyKind.refusal.rawValue)
        field(.event) { $0.eventRecord(refusal.event) }
        if refusal.omittedBytes > 0 { field(.omittedBytes, count: refusal.omittedBytes) }
        field(.source) { $0.source(refusal.source) }
        field(.code, count: refusal.error.code)
        field(.error, refusal.error.name)
        field(.data) { $0.members(refusal.error.data) }
        // The number of refusals that were not recorded since the previous recorded one.
        if refusal.dropped > 0 { field(.dropped, count: refusal.dropped) }
        if let receipt = refusal.receipt {
            skippableField(.receipt) { receipt.writeContent(to: &$0) }
        }
    }

    private mutating func start(_ start: SessionRecord.Start) {
        byte(BodyKind.start.rawValue)
        field(.now, signed: start.now.nanoseconds)
        field(.lastAlive, signed: start.lastAlive.nanoseconds)
        field(.notes) { $0.members(start.notes) }
    }

    /// Writes each position as its difference from the preceding position, and the first position unchanged.
    private mutating func forgotten(_ forgotten: SessionRecord.Forgotten) {
        byte(BodyKind.forgotten.rawValue)
        // How often the erased session had been opened.
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

    /// Writes the outcomes of outputs. The second format has neither alerts nor their acknowledgements.
    private mutating func deliveries(_ given: [DeliveryRecord]) {
        let deliveries =
            format == .third ? given : given.filter { $0.outcome != .acknowledged }
        byte(BodyKind.deliveries.rawValue)
        field(.deliveries) { writer in
            writer.count(deliveries.count)
            for delivery in deliveries {
                writer.count(delivery.key.pos)
                writer.unsigned(delivery.key.line)
                writer.count(delivery.key.occasion)
                writer.count(delivery.number)
                writer.count(delivery.outcome.rawValue)
                if let session = delivery.session { writer.string(session.text) }
            }
        }
        let alerts = deliveries.enumerated().compactMap { index, delivery in
            delivery.alert.map { (index, $0) }
        }
        guard !alerts.isEmpty else { return }
        skippableField(.outputAlerts) { writer in
            writer.count(alerts.count)
            for (index, alert) in alerts {
                writer.count(index)
                for text in [alert.id, alert.target, alert.text, alert.session.text] {
                    writer.string(text)
                }
            }
        }
    }

    private mutating func flowText(_ name: String, _ source: FlowSource) {
        byte(BodyKind.flowText.rawValue)
        field(.flow, name)
        field(.sourceVersion, source.version)
        field(.text) {
            $0.count(source.text.count)
            $0.bytes(source.text)
        }
        if source.tableFiles.isEmpty { return }
        field(.tableFiles) { writer in
            writer.count(source.tableFiles.count)
            for file in source.tableFiles {
                writer.string(file.name)
                writer.count(file.bytes.count)
                writer.bytes(file.bytes)
            }
        }
    }

    private mutating func advance(_ advance: SessionRecord.ClockAdvance) {
        byte(BodyKind.advance.rawValue)
        field(.now, signed: advance.now.nanoseconds)
        field(.firings, count: advance.fired)
        field(.isCutShort, if: advance.isCutShort)
        if let by = advance.by { field(.by, signed: by.nanoseconds) }
        if let source = advance.source { field(.source) { $0.source(source) } }
    }
}

/// Writes the values that the fields of a body contain. The codes and flags are a part of the journal's format: a code is
/// never reused. The function of `BodyReader` with the same name reads the value.
extension BodyWriter {
    /// Writes the code of the value's kind, and the content.
    mutating func value(_ value: Value) {
        switch value {
        case .null: byte(0)
        case .bool(false): byte(1)
        case .bool(true): byte(2)
        case .int(let number):
            byte(3)
            signed(Int64(number))
        case .string(let text):
            byte(4)
            string(text)
        case .array(let values):
            byte(5)
            count(values.count)
            for value in values { self.value(value) }
        case .object(let members):
            byte(6)
            self.members(members)
        case .unfit(_, let raw):
            byte(7)
            string(raw)
        }
    }

    mutating func members(_ members: [Member]) {
        count(members.count)
        for member in members {
            string(member.name)
            value(member.value)
        }
    }

    mutating func stateRecord(_ record: StateRecord) {
        string(record.state)
        members(record.data)
    }

    mutating func eventRecord(_ event: EventRecord) {
        string(event.name)
        members(event.arguments)
    }

    /// Writes the code of the source's kind, flags, the peer and the principal. The flags are the kind of the peer, from 1 to
    /// 3, or 0 for no peer; plus 4 if a principal follows.
    mutating func source(_ source: Source) {
        byte(source.kind.code ?? 0)
        if source.kind.code == nil { string(source.kind.name) }
        let principalFlag: UInt8 = source.principal == nil ? 0 : 4
        switch source.peer {
        case nil: byte(principalFlag)
        case .process(let pid, let uid, let gid):
            byte(1 | principalFlag)
            signed(Int64(pid))
            unsigned(UInt64(uid))
            unsigned(UInt64(gid))
        case .address(let text):
            byte(2 | principalFlag)
            string(text)
        case .device(let text):
            byte(3 | principalFlag)
            string(text)
        }
        if let principal = source.principal { string(principal) }
    }

    /// Writes the code of the step's kind, flags, the source, and the values that the flags announce: 1 the event, 2 the state
    /// before the step, 4 the state after the step, 8 effects, 16 the number of missed beats.
    mutating func step(_ step: Step) {
        byte(step.kind.number)
        var flags: UInt8 = step.event == nil ? 0 : 1
        if step.from != nil { flags |= 2 }
        if step.to != nil { flags |= 4 }
        if !step.effects.isEmpty { flags |= 8 }
        if step.missed > 0 { flags |= 16 }
        byte(flags)
        source(step.source)
        if let event = step.event { eventRecord(event) }
        if let from = step.from { stateRecord(from) }
        if let to = step.to { stateRecord(to) }
        if !step.effects.isEmpty {
            count(step.effects.count)
            for effect in step.effects {
                string(effect.name)
                members(effect.recordedArguments)
            }
        }
        if step.missed > 0 { count(step.missed) }
    }

    /// Writes the timers of a snapshot. The state of a timer is 0 if it runs, 1 if it is paused. If it has traits, 2 is added, and
    /// the traits follow the state: a gamed that does not know them refuses the row.
    mutating func timers(_ timers: [TimerRecord]) {
        count(timers.count)
        for timer in timers {
            string(timer.fires)
            signed(timer.total.nanoseconds)
            byte((timer.isPaused ? 1 : 0) + (timer.traits.isEmpty ? 0 : 2))
            if !timer.traits.isEmpty { byte(UInt8(truncatingIfNeeded: timer.traits.rawValue)) }
            if let until = timer.until { untilTime(until) }
            switch timer.state {
            case .running(let until):
                signed(until.nanoseconds)
                unsigned(timer.order)
            case .paused(let remaining): signed(remaining.nanoseconds)
            }
        }
    }

    /// Writes the moments of a snapshot.
    mutating func moments(_ moments: [Moment]) {
        count(moments.count)
        for moment in moments {
            stateRecord(moment.place)
            signed(moment.at.nanoseconds)
            timers(moment.timers)
        }
    }

    /// Writes the time of day at which a timer fires, and what was computed from it.
    private mutating func untilTime(_ until: UntilTime) {
        count(until.time.second)
        string(until.zone)
        signed(until.since.nanoseconds)
        signed(until.date.nanoseconds)
        signed(until.deadline.nanoseconds)
    }

    /// Writes the deferred events of a snapshot.
    mutating func waiting(_ waiting: [MachineRecord.Deferred]) {
        count(waiting.count)
        for deferred in waiting {
            eventRecord(deferred.event)
            source(deferred.source)
        }
    }
}

extension MachineRecord {
    /// The earliest deadline of the running timers, nil if no timer runs; and the highest number of the timers, nil if one may
    /// fire before its recorded deadline.
    fileprivate var deadlines: (earliest: Instant?, order: UInt64?) {
        var (earliest, order, isBound) = (Instant?.none, UInt64(0), !hasMarks)
        for timer in timers {
            if let deadline = timer.deadline {
                earliest = earliest.map { min($0, deadline) } ?? deadline
            }
            order = max(order, timer.order)
            if timer.until != nil { isBound = false }
        }
        return (earliest, isBound ? order : nil)
    }
}

extension BodyWriter: DetailsWriter {}
