internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Timers

/// Decodes the body of a row. The bytes are untrusted, because they may be damaged or manipulated:
/// invalid bytes cause an error with a reason.
///
/// One reader decodes many bodies, and caches what they have in common.
struct BodyReader {
    /// The body; valid only while it is read.
    private var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    /// The index of the next byte to read.
    private var next = 0
    /// The end of the body, or of the field that is being read.
    private var end = 0
    /// The first strings of the body, to which later strings can refer.
    private var strings: [String] = []
    /// The number of `strings` that belong to this body; the others remain from earlier bodies.
    private var stringCount = 0
    private var names = NameCache()
    private var steps = StepCache()

    /// Calls `read` to decode the bytes of one body.
    mutating func read<T>(
        _ body: UnsafeBufferPointer<UInt8>,
        _ read: (inout BodyReader) throws(UnreadableRowError) -> T
    ) throws(UnreadableRowError) -> T {
        (bytes, next, end) = (body, 0, body.count)
        stringCount = 0
        defer { (bytes, next, end) = (UnsafeBufferPointer(start: nil, count: 0), 0, 0) }
        return try read(&self)
    }

    var isAtEnd: Bool { next >= end }
    private var bytesLeft: Int { end - next }

    mutating func byte() throws(UnreadableRowError) -> UInt8 {
        guard next < end else { throw UnreadableRowError(why: "its body is truncated") }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func unsigned() throws(UnreadableRowError) -> UInt64 {
        // Most numbers take one byte.
        if next < end, bytes[next] < 0x80 {
            defer { next += 1 }
            return UInt64(bytes[next])
        }
        return try longUnsigned()
    }

    private mutating func longUnsigned() throws(UnreadableRowError) -> UInt64 {
        if bytesLeft >= 10, let (number, length) = bytes.wideNumber(at: next) {
            next += length
            return number
        }
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while next < end {
            let byte = bytes[next]
            next += 1
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

    mutating func signed() throws(UnreadableRowError) -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1 ^ (0 &- (number & 1)))
    }

    /// A count: not negative, and small enough that adding to it cannot overflow.
    mutating func count(_ name: @autoclosure () -> String) throws(UnreadableRowError) -> Int {
        let number = try unsigned()
        guard number <= UInt64(JournalRow.greatestNumber) else {
            throw UnreadableRowError(why: "\(name()): out of range")
        }
        return Int(number)
    }

    /// The number of elements that follow; each takes at least one byte.
    mutating func length() throws(UnreadableRowError) -> Int {
        let number = try unsigned()
        guard number <= UInt64(bytesLeft) else {
            throw UnreadableRowError(why: "its body is truncated")
        }
        return Int(number)
    }

    mutating func string() throws(UnreadableRowError) -> String {
        let head = try unsigned()
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
        let stringEnd = next + Int(number)
        let newBytes = UnsafeBufferPointer(rebasing: bytes[next..<stringEnd])
        next = stringEnd
        // In most cases the string equals the one with the same index in the preceding body.
        if stringCount < strings.count, strings[stringCount].hasBytes(newBytes) {
            stringCount += 1
            return strings[stringCount - 1]
        }
        guard let text = names.text(newBytes) else {
            throw UnreadableRowError(why: "a text is not UTF-8")
        }
        if stringCount < BodyWriter.rememberedStrings { remember(text) }
        return text
    }

    /// Bytes that are preceded by their count.
    mutating func byteArray() throws(UnreadableRowError) -> [UInt8] {
        let count = try length()
        defer { next += count }
        return Array(bytes[next..<next + count])
    }

    private mutating func remember(_ text: String) {
        if stringCount < strings.count {
            strings[stringCount] = text
        } else {
            strings.append(text)
        }
        stringCount += 1
    }

    /// An instant in the range of the clock.
    mutating func instant(_ name: @autoclosure () -> String) throws(UnreadableRowError) -> Instant {
        let instant = Instant(nanoseconds: try signed())
        guard Instant.zero...Instant.last ~= instant else {
            throw UnreadableRowError(why: "\(name()): expected an instant")
        }
        return instant
    }

    // MARK: fields

    /// Reads the number of the next field; nil at the end of the body. `hasParts` says whether the content of the field has a
    /// length and parts; otherwise it is one number.
    mutating func field() throws(UnreadableRowError) -> (field: BodyField, hasParts: Bool)? {
        if isAtEnd { return nil }
        let head = try unsigned()
        guard let number = Int(exactly: head >> 1), let field = BodyField(rawValue: number) else {
            throw UnreadableRowError(why: "field \(head >> 1) has an unknown version")
        }
        return (field, head & 1 == 1)
    }

    /// Begins a field with parts, so that `end` is the end of the field. Returns the end of the body for `endParts`.
    mutating func beginParts() throws(UnreadableRowError) -> Int {
        let length = try length()
        defer { end = next + length }
        return end
    }

    /// Ends a field with parts; throws unless all of them have been read.
    mutating func endParts(_ outerEnd: Int) throws(UnreadableRowError) {
        guard isAtEnd else { throw UnreadableRowError(why: "a field is longer than its contents") }
        end = outerEnd
    }

    /// Decodes the remaining bytes of a field as a step. A step that was decoded before comes from the cache.
    mutating func cachedStep(_ read: (inout BodyReader) throws(UnreadableRowError) -> Step)
        throws(UnreadableRowError) -> RecordedStep
    {
        let field = UnsafeBufferPointer(rebasing: bytes[next..<end])
        if let cached = steps.find(field, after: strings[..<stringCount]) {
            for text in cached.added { remember(text) }
            next = end
            return cached.step
        }
        let stringsBefore = Array(strings[..<stringCount])
        let step = RecordedStep(try read(&self))
        // Bytes after the step are damage, which the caller reports.
        if isAtEnd {
            let added = Array(strings[stringsBefore.count..<stringCount])
            steps.remember(step, field, after: stringsBefore, adding: added)
        }
        return step
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The variable-length number at an index, and the number of its bytes; nil if it has more than nine bytes, as only the
    /// largest numbers do. Ten bytes must be readable. Reads eight bytes at once, which is faster for instants: most take nine
    /// bytes.
    fileprivate func wideNumber(at index: Int) -> (number: UInt64, length: Int)? {
        let raw = UnsafeRawBufferPointer(self)
        let word = UInt64(
            littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let stops = ~word & 0x8080_8080_8080_8080
        // The number of bytes up to the first one without the top bit; 9 if all eight have it.
        let length = stops == 0 ? 9 : stops.trailingZeroBitCount / 8 + 1
        // Removes the top bits: pairs of seven bits, then of fourteen, then of twenty-eight.
        var bits = stops == 0 ? word : word & (~0 >> UInt64(64 - 8 * length))
        bits &= 0x7F7F_7F7F_7F7F_7F7F
        bits = bits & 0x007F_007F_007F_007F | (bits & 0x7F00_7F00_7F00_7F00) >> 1
        bits = bits & 0x0000_3FFF_0000_3FFF | (bits & 0x3FFF_0000_3FFF_0000) >> 2
        bits = bits & 0x0FFF_FFFF | (bits & 0x0FFF_FFFF_0000_0000) >> 4
        guard length == 9 else { return (bits, length) }
        let ninthByte = self[index + 8]
        return ninthByte < 0x80 ? (bits | UInt64(ninthByte) << 56, 9) : nil
    }
}

/// Reads the values that a body consists of.
extension BodyReader {
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

    /// JSON text that cannot be represented as another kind of value. It is later written unchanged, so
    /// the text is checked.
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

    mutating func members(depth: Int = 0) throws(UnreadableRowError) -> [Member] {
        let count = try length()
        var members: [Member] = []
        // A few names are compared pairwise, because a set would need an allocation.
        var names: Set<String>? = count > 8 ? [] : nil
        for _ in 0..<count {
            let name = try string()
            let isNew =
                names?.insert(name).inserted ?? !members.contains { $0.name == name }
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

    /// A source. Its flags are the kind of the peer, from 1 to 3, or 0 for no peer; plus 4 if a principal follows.
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

    /// A step that fills the whole field.
    mutating func step() throws(UnreadableRowError) -> RecordedStep {
        try cachedStep { (reader) throws(UnreadableRowError) in try reader.newStep() }
    }

    /// Decodes a step. `BodyWriter.step` describes the flags.
    private mutating func newStep() throws(UnreadableRowError) -> Step {
        let kind = try Step.Kind(code: byte())
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

    mutating func details() throws(UnreadableRowError) -> Change.Details {
        switch try byte() {
        case 0: return .override(reason: nil)
        case 1: return .override(reason: try string())
        case let kind where kind <= 3:
            let fires = try string()
            let action = try TimerOperation.Action(code: byte())
            let by = kind == 2 ? nil : Duration.nanoseconds(try signed())
            return .timer(TimerOperation(fires, action, by: by))
        case 4: return .labels(try members())
        case 5: return .say(try string(), for: nil)
        case 6: return .say(try string(), for: Duration.nanoseconds(try signed()))
        case 8: return .again
        case 9: return .undo(from: try count("undone"), to: try count("undone"))
        case 7: return .move(from: try string(), to: try string())
        case let kind:
            throw UnreadableRowError(why: "a command of kind \(kind) has an unknown version")
        }
    }

    /// A message to a session's screens. The instant of its end is negative if the message has no end.
    mutating func message() throws(UnreadableRowError) -> SessionNotes.Message {
        let (text, seq) = (try string(), try count("said"))
        let until = try signed()
        let instant = Instant(nanoseconds: until)
        guard until < 0 || instant <= .last + .longest else {
            throw UnreadableRowError(why: "said: expected an instant")
        }
        return SessionNotes.Message(text: text, seq: seq, until: until < 0 ? nil : instant)
    }

    mutating func timers() throws(UnreadableRowError) -> [TimerRecord] {
        var timers: [TimerRecord] = []
        for _ in 0..<(try length()) {
            let fires = try string()
            let total = Duration.nanoseconds(try signed())
            guard total >= .zero, total <= .longest else {
                throw UnreadableRowError(why: "a timer's time is out of range")
            }
            switch try byte() {
            case 0:
                let until = Instant(nanoseconds: try signed())
                let order = try count("a timer's order")
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, state: .running(until: until),
                        order: UInt64(order)))
            case 1:
                let remaining = Duration.nanoseconds(try signed())
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, state: .paused(remaining: remaining),
                        order: 0))
            default: throw UnreadableRowError(why: "a timer has an unknown version")
            }
        }
        return timers
    }

    mutating func deliveries() throws(UnreadableRowError) -> [DeliveryRecord] {
        var deliveries: [DeliveryRecord] = []
        for _ in 0..<(try length()) {
            let key = DeliveryRecord.Key(
                pos: try count("deliveries"), line: try unsigned(),
                occasion: try count("deliveries"))
            let number = try count("deliveries")
            let code = try count("deliveries")
            guard let outcome = DeliveryRecord.Outcome(rawValue: code) else {
                throw UnreadableRowError(why: "the delivery \(code) has an unknown version")
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

    /// Positions in increasing order, each encoded as the difference to the preceding one.
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

    mutating func waiting() throws(UnreadableRowError) -> [MachineSnapshot.Deferred] {
        var waiting: [MachineSnapshot.Deferred] = []
        for _ in 0..<(try length()) {
            let event = try eventRecord()
            waiting.append(MachineSnapshot.Deferred(event, from: try source()))
        }
        return waiting
    }
}
