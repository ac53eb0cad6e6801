internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// Decodes the body of a row. The bytes are untrusted, because they may be damaged or manipulated:
/// invalid bytes cause an error with a reason.
///
/// One reader decodes many bodies, and caches what they have in common.
struct BodyReader {
    /// The bytes of the body; the pointer is valid only during the function `read`.
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The index of the next byte to read.
    private var offset = 0
    /// The index after the last byte that may be read. While a length-delimited field is read, this is the end of the field.
    /// Otherwise it is the end of the body.
    private var end = 0
    /// The first strings of the body, to which later strings can refer.
    private var strings: [String] = []
    /// The number of `strings` that belong to this body; the others remain from earlier bodies.
    private var stringCount = 0
    /// Whether texts are not remembered: in the fields that a reader may skip.
    var forgetsTexts = false
    /// The decoded strings of all bodies so far.
    private var nameCache = NameCache()
    /// The decoded steps of all bodies so far.
    private var stepCache = StepCache()

    /// Calls `decode` to decode the bytes of one body.
    mutating func read<T>(
        _ body: UnsafeBufferPointer<UInt8>,
        _ decode: (inout BodyReader) throws(UnreadableRowError) -> T
    ) throws(UnreadableRowError) -> T {
        (bytes, offset, end) = (body, 0, body.count)
        (stringCount, forgetsTexts) = (0, false)
        defer { (bytes, offset, end) = (UnsafeBufferPointer(start: nil, count: 0), 0, 0) }
        return try decode(&self)
    }

    /// Whether the field that is being read, or the body, has no further bytes.
    var isAtEnd: Bool { offset >= end }
    private var bytesLeft: Int { end - offset }

    mutating func byte() throws(UnreadableRowError) -> UInt8 {
        guard offset < end else { throw UnreadableRowError(why: "its body is truncated") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a variable-length number, which `BodyWriter.unsigned` writes.
    mutating func unsigned() throws(UnreadableRowError) -> UInt64 {
        // Most numbers take one byte.
        if offset < end, bytes[offset] < 0x80 {
            defer { offset += 1 }
            return UInt64(bytes[offset])
        }
        return try longUnsigned()
    }

    private mutating func longUnsigned() throws(UnreadableRowError) -> UInt64 {
        if bytesLeft >= 10, let (number, length) = bytes.wideNumber(at: offset) {
            offset += length
            return number
        }
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while offset < end {
            let byte = bytes[offset]
            offset += 1
            // The tenth byte has one significant bit.
            guard shift < 63 || byte <= 1 else {
                throw UnreadableRowError(why: "a number of more than 64 bits")
            }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        throw UnreadableRowError(why: "its body is truncated")
    }

    /// Reads a number in zigzag encoding, which `BodyWriter.signed` writes.
    mutating func signed() throws(UnreadableRowError) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1 ^ (0 &- (number & 1)))
    }

    /// Reads a count, which is small enough that adding to it cannot overflow. `name` names the count in the error.
    mutating func count(_ name: @autoclosure () -> String) throws(UnreadableRowError) -> Int {
        let number = try unsigned()
        guard number <= UInt64(JournalRow.greatestNumber) else {
            throw UnreadableRowError(why: "\(name()): out of range")
        }
        return Int(number)
    }

    /// Reads the number of elements that follow. Each element takes at least one byte, so a number greater than the number
    /// of remaining bytes is damage.
    mutating func length() throws(UnreadableRowError) -> Int {
        let number = try unsigned()
        guard number <= UInt64(bytesLeft) else {
            throw UnreadableRowError(why: "its body is truncated")
        }
        return Int(number)
    }

    /// Reads a string, or a reference to an earlier string of the body. `BodyWriter.string` writes both.
    mutating func string() throws(UnreadableRowError) -> String {
        let head = try unsigned()
        // The index of an earlier string if `head` is odd; the number of the string's bytes if it is even.
        let number = head >> 1
        guard head & 1 == 0 else {
            guard number < UInt64(stringCount) else {
                throw UnreadableRowError(why: "it refers to a missing text")
            }
            return strings[Int(number)]
        }
        guard number <= UInt64(bytesLeft) else {
            throw UnreadableRowError(why: "its body is truncated")
        }
        let stringEnd = offset + Int(number)
        let newBytes = UnsafeBufferPointer(rebasing: bytes[offset..<stringEnd])
        offset = stringEnd
        // In most cases, the preceding body has an equal string at this index.
        if !forgetsTexts, stringCount < strings.count, strings[stringCount].hasBytes(newBytes) {
            stringCount += 1
            return strings[stringCount - 1]
        }
        guard let text = nameCache.text(newBytes) else {
            throw UnreadableRowError(why: "a text is not UTF-8")
        }
        if !forgetsTexts, stringCount < BodyWriter.rememberedStringLimit { remember(text) }
        return text
    }

    /// Reads an array of bytes, which is preceded by the number of the bytes.
    mutating func byteArray() throws(UnreadableRowError) -> [UInt8] {
        let count = try length()
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Reads the table files of a flow.
    mutating func tableFiles() throws(UnreadableRowError) -> [FlowSource.TableFile] {
        var files: [FlowSource.TableFile] = []
        for _ in 0..<(try length()) {
            files.append(FlowSource.TableFile(name: try string(), bytes: try byteArray()))
        }
        return files
    }

    /// Adds a string to those to which later strings of the body can refer.
    private mutating func remember(_ text: String) {
        if stringCount < strings.count {
            strings[stringCount] = text
        } else {
            strings.append(text)
        }
        stringCount += 1
    }

    // MARK: fields

    /// Reads the number of the next field; nil at the end of the body. If `isLengthDelimited` is true, the field's length in
    /// bytes comes before its content. If it is false, the content is one number. If `format` has fields that a reader may
    /// skip, skips those that are not known.
    mutating func field(_ format: RowFormat) throws(UnreadableRowError)
        -> (field: BodyField, isLengthDelimited: Bool)?
    {
        while !isAtEnd {
            let head = try unsigned()
            let isLengthDelimited = head & 1 == 1
            let number = Int(head >> 1)
            let isSkippable = format == .third && number >= BodyField.firstSkippable
            if isSkippable || number < BodyField.firstSkippable,
                let field = BodyField(rawValue: number)
            {
                return (field, isLengthDelimited)
            }
            guard isSkippable else {
                throw UnreadableRowError(why: "field \(number) has an unknown version")
            }
            if isLengthDelimited {
                offset += try length()
            } else {
                _ = try unsigned()
            }
        }
        return nil
    }

    /// Reads the front of a session's row. What a later version has added to it is skipped.
    mutating func front() throws(UnreadableRowError) -> RowFront {
        let bodyEnd = try beginLengthDelimitedField()
        let (state, seq) = (try string(), try count("seq"))
        let enteredAt = try optionalInstant("the time of the entry")
        // A timer may have a deadline up to its duration after the last instant of the clock.
        let deadline = try signed()
        let order = offset < end ? UInt64(try count("order")) : nil
        (offset, end) = (end, bodyEnd)
        return RowFront(
            state: state, seq: seq, enteredAt: enteredAt,
            deadline: deadline < 0 ? nil : Instant(nanoseconds: deadline), order: order)
    }

    /// Reads an instant; nil if it is -1. `name` names the instant in the error.
    private mutating func optionalInstant(_ name: String) throws(UnreadableRowError) -> Instant? {
        let nanoseconds = try signed()
        if nanoseconds == -1 { return nil }
        let instant = Instant(nanoseconds: nanoseconds)
        guard Instant.zero...Instant.last ~= instant else {
            throw UnreadableRowError(why: "\(name): expected an instant")
        }
        return instant
    }

    /// Reads the length of a length-delimited field, and sets `end` to the end of the field. Returns the end of the body, which
    /// the caller passes to `endLengthDelimitedField`.
    mutating func beginLengthDelimitedField() throws(UnreadableRowError) -> Int {
        let length = try length()
        defer { end = offset + length }
        return end
    }

    /// Ends a length-delimited field, and sets `end` to the end of the body. Throws unless the whole field has been read.
    mutating func endLengthDelimitedField(_ bodyEnd: Int) throws(UnreadableRowError) {
        guard isAtEnd else { throw UnreadableRowError(why: "a field is longer than its contents") }
        end = bodyEnd
    }

    /// Decodes the remaining bytes of a field as a step. A step that was decoded before comes from the cache.
    mutating func cachedStep(_ decode: (inout BodyReader) throws(UnreadableRowError) -> Step)
        throws(UnreadableRowError) -> Step
    {
        let fieldBytes = UnsafeBufferPointer(rebasing: bytes[offset..<end])
        if let cached = stepCache.find(fieldBytes, after: strings[..<stringCount]) {
            for text in cached.addedStrings { remember(text) }
            offset = end
            return cached.step
        }
        let stringsBefore = Array(strings[..<stringCount])
        let step = try decode(&self)
        // If further bytes of the field follow, the step is not cached: these bytes are damage, which the caller reports.
        if isAtEnd {
            let addedStrings = Array(strings[stringsBefore.count..<stringCount])
            stepCache.remember(step, fieldBytes, after: stringsBefore, adding: addedStrings)
        }
        return step
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The variable-length number at an index, and the number of its bytes. Nil if the number has more than nine bytes; only
    /// the largest numbers have. The buffer must have ten bytes from the index on. Reads eight bytes at once, because this is
    /// faster for instants: most instants take nine bytes.
    fileprivate func wideNumber(at index: Int) -> (number: UInt64, length: Int)? {
        let raw = UnsafeRawBufferPointer(self)
        let word = UInt64(
            littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        // A byte of `word` without the top bit ends a number. `endBits` has the top bit of each of these bytes.
        let endBits = ~word & 0x8080_8080_8080_8080
        // The number of bytes up to the first byte without the top bit; 9 if all eight bytes have the top bit.
        let length = endBits == 0 ? 9 : endBits.trailingZeroBitCount / 8 + 1
        // Removes the top bits, and joins the groups of seven bits: to fourteen, to twenty-eight, and to fifty-six bits.
        var bits = endBits == 0 ? word : word & (~0 >> UInt64(64 - 8 * length))
        bits &= 0x7F7F_7F7F_7F7F_7F7F
        bits = bits & 0x007F_007F_007F_007F | (bits & 0x7F00_7F00_7F00_7F00) >> 1
        bits = bits & 0x0000_3FFF_0000_3FFF | (bits & 0x3FFF_0000_3FFF_0000) >> 2
        bits = bits & 0x0FFF_FFFF | (bits & 0x0FFF_FFFF_0000_0000) >> 4
        guard length == 9 else { return (bits, length) }
        let ninthByte = self[index + 8]
        return ninthByte < 0x80 ? (bits | UInt64(ninthByte) << 56, 9) : nil
    }
}

/// Reads the values that the fields of a body contain. The function of `BodyWriter` with the same name writes the value, and
/// defines its codes. (`BodyWriter.sessionNotes` writes what `message` reads; `BodyWriter.forgotten`, what `positions` reads.)
extension BodyReader {
    /// Reads a value of arguments or data. `depth` is the number of arrays and objects that contain the value.
    mutating func value(depth: Int = 0) throws(UnreadableRowError) -> Value {
        guard depth <= JSONText.depthLimit else {
            throw UnreadableRowError(why: "it is nested too deep")
        }
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3:
            let number = try signed()
            guard number.magnitude <= UInt64(Value.largest) else {
                throw UnreadableRowError(why: "a number beyond ±(2^53 − 1)")
            }
            return .int(Int(number))
        case 4: return .string(try string())
        case 5:
            var values: [Value] = []
            for _ in 0..<(try length()) { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case 6: return .object(try members(depth: depth + 1))
        case 7: return try unfit()
        case let kind:
            throw UnreadableRowError(why: "a value of kind \(kind) has an unknown version")
        }
    }

    /// Reads an unfit value: JSON text that no other kind of value can represent. Checks the text, because the daemon later
    /// writes it to clients unchanged.
    private mutating func unfit() throws(UnreadableRowError) -> Value {
        let raw = try string()
        var text = JSONText()
        do { try text.read(Array(raw.utf8)[...]) } catch {
            throw UnreadableRowError(why: "a value that is not JSON")
        }
        guard case .unfit(let why, raw) = text.value(at: JSONText.root) else {
            throw UnreadableRowError(why: "a value that is not JSON")
        }
        return .unfit(why, raw: raw)
    }

    mutating func members() throws(UnreadableRowError) -> [Member] { try members(depth: 0) }

    private mutating func members(depth: Int) throws(UnreadableRowError) -> [Member] {
        let count = try length()
        var members: [Member] = []
        // A few names are compared pairwise, because a set would need an allocation.
        var names: Set<ByteText>? = count > 8 ? [] : nil
        for _ in 0..<count {
            let name = try string()
            let isNew =
                names?.insert(ByteText(name)).inserted
                ?? !members.contains { $0.name.hasSameBytes(as: name) }
            guard isNew else { throw UnreadableRowError(why: "an object has a member twice") }
            members.append(Member(name, try value(depth: depth)))
        }
        return members
    }

    mutating func stateRecord() throws(UnreadableRowError) -> StateRecord {
        let state = try string()
        return StateRecord(state, try members())
    }

    mutating func eventRecord() throws(UnreadableRowError) -> EventRecord {
        let name = try string()
        return EventRecord(name, try members())
    }

    /// Reads a source. `flags` is the number of the peer's kind (see `peer`), plus 4 if a principal follows.
    mutating func source() throws(UnreadableRowError) -> Source {
        let code = try byte()
        let kind = code == 0 ? Source.Kind(try string()) : try Source.Kind(code: code)
        let flags = try byte()
        guard flags < 8 else { throw UnreadableRowError(why: "a source has an unknown version") }
        let peer = try peer(flags & 3)
        let principal = flags & 4 == 0 ? nil : try string()
        if kind == .timer, peer == nil, principal == nil { return .timer }
        return Source(kind, peer: peer, as: principal)
    }

    /// Reads a peer. Its kind is 0 for no peer, 1 for a process, 2 for an address, 3 for a device.
    private mutating func peer(_ kind: UInt8) throws(UnreadableRowError) -> Source.Peer? {
        switch kind {
        case 0: return nil
        case 1:
            let (pid, uid, gid) = (try signed(), try unsigned(), try unsigned())
            guard let pid = Int32(exactly: pid), let uid = UInt32(exactly: uid),
                let gid = UInt32(exactly: gid)
            else { throw UnreadableRowError(why: "peer: out of range") }
            return .process(pid: pid, uid: uid, gid: gid)
        case 2: return .address(try string())
        default: return .device(try string())
        }
    }

    /// Reads a step, which fills the rest of the field.
    mutating func step() throws(UnreadableRowError) -> Step {
        try cachedStep { (reader) throws(UnreadableRowError) in try reader.newStep() }
    }

    /// Decodes a step. `BodyWriter.step` describes the flags.
    private mutating func newStep() throws(UnreadableRowError) -> Step {
        let code = try byte()
        guard let kind = ChangeKind.find(number: code)?.kind else {
            throw UnreadableRowError(why: "a change of kind \(code) has an unknown version")
        }
        let flags = try byte()
        guard flags < 32 else { throw UnreadableRowError(why: "a step has an unknown version") }
        let source = try source()
        let event = flags & 1 == 0 ? nil : try eventRecord()
        let from = flags & 2 == 0 ? nil : try stateRecord()
        let to = flags & 4 == 0 ? nil : try stateRecord()
        var effects: [EffectRecord] = []
        for _ in 0..<(flags & 8 == 0 ? 0 : try length()) {
            let name = try string()
            effects.append(EffectRecord(name: name, arguments: try members()))
        }
        let missed = flags & 16 == 0 ? 0 : try count("missed")
        return Step(kind, event, from: source, from, to, effects: effects, missed: missed)
    }

    /// Reads the message that a session's screens show: its text, its `seq`, and the instant of its end. The instant is -1 if
    /// the message has no end. Errors call the message `said`, which is the name of its field.
    mutating func message(_ scope: ScreenMessage.Scope = .operators)
        throws(UnreadableRowError) -> ScreenMessage
    {
        let (text, seq) = (try string(), try count("said"))
        let until = try signed()
        let instant = Instant(nanoseconds: until)
        // A message that is sent shortly before the last instant of the clock may end after that instant.
        guard until < 0 || instant <= .last + .longest else {
            throw UnreadableRowError(why: "said: expected an instant")
        }
        return ScreenMessage(
            text: text, seq: seq, until: until < 0 ? nil : instant, scope: scope)
    }

    /// Reads what ends a message.
    mutating func messageScope() throws(UnreadableRowError) -> ScreenMessage.Scope {
        let code = try count("messageScope")
        // A later version may have further ones. An operator's message ends last, so no message ends too early.
        return ScreenMessage.Scope(rawValue: code) ?? .operators
    }

    /// Reads what a step did to the message; the field has no content if the step ended the message.
    mutating func messageUpdate() throws(UnreadableRowError) -> Change.MessageUpdate {
        if isAtEnd { return .ended }
        let message = try message()
        return .shown(message.with(try messageScope()))
    }

    /// Reads the timers of a snapshot.
    mutating func timers() throws(UnreadableRowError) -> [TimerRecord] {
        var timers: [TimerRecord] = []
        for _ in 0..<(try length()) {
            let fires = try string()
            let total = Duration.nanoseconds(try signed())
            guard total >= .zero, total <= .longest else {
                throw UnreadableRowError(why: "a timer's time is out of range")
            }
            let code = try byte()
            guard code < 4 else { throw UnreadableRowError(why: "a timer has an unknown version") }
            let traits = code & 2 == 0 ? [] : try timerTraits()
            let time = traits.contains(.until) ? try untilTime() : nil
            if code & 1 == 0 {
                let until = Instant(nanoseconds: try signed())
                let order = try count("a timer's order")
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, state: .running(until: until),
                        order: UInt64(order), traits: traits, until: time))
            } else {
                let remaining = Duration.nanoseconds(try signed())
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, state: .paused(remaining: remaining),
                        order: 0, traits: traits, until: time))
            }
        }
        return timers
    }

    /// Reads the moments of a snapshot.
    mutating func moments() throws(UnreadableRowError) -> [Moment] {
        var moments: [Moment] = []
        for _ in 0..<(try length()) {
            let place = try stateRecord()
            let at = Instant(nanoseconds: try signed())
            moments.append(Moment(place: place, timers: try timers(), at: at))
        }
        return moments
    }

    /// Reads the time of day at which a timer fires, and what was computed from it.
    private mutating func untilTime() throws(UnreadableRowError) -> UntilTime {
        guard let time = TimeOfDay(second: try count("a time of day")) else {
            throw UnreadableRowError(why: "a time of day is out of range")
        }
        return UntilTime(
            time, zone: try string(), since: Instant(nanoseconds: try signed()),
            date: Instant(nanoseconds: try signed()),
            deadline: Instant(nanoseconds: try signed()))
    }

    /// Reads the traits of a recorded timer.
    private mutating func timerTraits() throws(UnreadableRowError) -> TimerTraits {
        let traits = TimerTraits(rawValue: UInt16(try byte()))
        guard !traits.isEmpty, traits.isSubset(of: .recorded) else {
            throw UnreadableRowError(why: "a timer has an unknown version")
        }
        return traits
    }

    /// Reads the outcomes of outputs. Only the outcome `accepted` is followed by the name of the session that requested the
    /// output.
    mutating func deliveries() throws(UnreadableRowError) -> [DeliveryRecord] {
        var deliveries: [DeliveryRecord] = []
        for _ in 0..<(try length()) {
            let key = DeliveryRecord.Key(
                pos: try count("deliveries"), line: try unsigned(),
                occasion: try count("deliveries"))
            let number = try count("deliveries")
            let code = try count("deliveries")
            guard let outcome = DeliveryRecord.Outcome(rawValue: code) else {
                throw UnreadableRowError(
                    why: "the outcome \(code) of a delivery has an unknown version")
            }
            guard outcome == .accepted else {
                deliveries.append(DeliveryRecord(key, number: number, outcome))
                continue
            }
            guard let session = SessionName(try string()) else {
                throw UnreadableRowError(why: "deliveries: not a session's name")
            }
            deliveries.append(DeliveryRecord(key, number: number, acceptedFor: session))
        }
        return deliveries
    }

    /// Reads the alerts about outputs, by the index of the output.
    mutating func outputAlerts() throws(UnreadableRowError) -> [Int: DeliveryRecord.Alert] {
        var alerts: [Int: DeliveryRecord.Alert] = [:]
        for _ in 0..<(try length()) {
            let index = try count("an output's alert")
            let (id, target, text) = (try string(), try string(), try string())
            guard let session = SessionName(try string()) else {
                throw UnreadableRowError(why: "an output's alert: not a session's name")
            }
            alerts[index] = DeliveryRecord.Alert(
                id: id, target: target, text: text, session: session)
        }
        return alerts
    }

    /// Reads positions in increasing order. Each position is encoded as its difference from the preceding position. The first
    /// position is encoded unchanged.
    mutating func positions() throws(UnreadableRowError) -> [Int] {
        var (positions, last): ([Int], Int) = ([], 0)
        for _ in 0..<(try length()) {
            let distance = try count("positions")
            guard distance > 0, distance <= JournalRow.greatestNumber - last else {
                throw UnreadableRowError(why: "positions: out of range")
            }
            last += distance
            positions.append(last)
        }
        return positions
    }

    /// Reads the deferred events of a snapshot, each with its source.
    mutating func waiting() throws(UnreadableRowError) -> [MachineRecord.Deferred] {
        var waiting: [MachineRecord.Deferred] = []
        for _ in 0..<(try length()) {
            let event = try eventRecord()
            waiting.append(MachineRecord.Deferred(event, from: try source()))
        }
        return waiting
    }
}

extension BodyReader: DetailsReader {}
