internal import GameFlow
internal import JSON
internal import Sessions
internal import Timers

/// Reads the values that a body consists of.
extension BodyReader {
    mutating func value(depth: Int = 0) throws(UnreadableRow) -> Value {
        guard depth <= JSONText.depthLimit else { throw UnreadableRow(why: "it nests too deep") }
        switch try byte() {
        case 0: return .null
        case 1: return .bool(false)
        case 2: return .bool(true)
        case 3:
            let number = try signed()
            guard number.magnitude <= UInt64(Value.largest) else {
                throw UnreadableRow(why: "a number past ±(2^53 − 1)")
            }
            return .int(Int(number))
        case 4: return .string(try string())
        case 5:
            var values: [Value] = []
            for _ in 0..<(try length()) { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case 6: return .object(try members(depth: depth + 1))
        case 7: return try unfit()
        case let kind: throw UnreadableRow(why: "a value of kind \(kind) is of another version")
        }
    }

    /// JSON text that cannot be represented as a value. It is written again unchanged, so it must
    /// be the exact text.
    private mutating func unfit() throws(UnreadableRow) -> Value {
        let raw = try string()
        var text = JSONText()
        do { try text.read(Array(raw.utf8)[...]) } catch {
            throw UnreadableRow(why: "a value that is no JSON")
        }
        guard case .unfit(let why, raw) = text.value(at: JSONText.root) else {
            throw UnreadableRow(why: "a value that is no JSON")
        }
        return .unfit(why, raw: raw)
    }

    mutating func members(depth: Int = 0) throws(UnreadableRow) -> [Member] {
        let count = try length()
        var members: [Member] = []
        // Few names are compared pairwise, because a set would have to be allocated.
        var names: Set<String>? = count > 8 ? [] : nil
        for _ in 0..<count {
            let name = try string()
            let isNew =
                names?.insert(name).inserted ?? !members.contains { $0.name == name }
            guard isNew else { throw UnreadableRow(why: "an object has a member twice") }
            members.append(Member(name, try value(depth: depth)))
        }
        return members
    }

    mutating func place() throws(UnreadableRow) -> StateRecord {
        let state = try string()
        return StateRecord(state, try members())
    }

    mutating func happening() throws(UnreadableRow) -> EventRecord {
        let name = try string()
        return EventRecord(name, try members())
    }

    mutating func source() throws(UnreadableRow) -> Source {
        let code = try byte()
        let kind = code == 0 ? Source.Kind(try string()) : try Source.Kind(code: code)
        let has = try byte()
        guard has < 8 else { throw UnreadableRow(why: "a source is of another version") }
        let peer = try peer(has & 3)
        let principal = has & 4 == 0 ? nil : try string()
        if kind == .timer, peer == nil, principal == nil { return .timer }
        return Source(kind, peer: peer, as: principal)
    }

    private mutating func peer(_ kind: UInt8) throws(UnreadableRow) -> Source.Peer? {
        switch kind {
        case 0: return nil
        case 1:
            let (pid, uid, gid) = (try signed(), try unsigned(), try unsigned())
            guard let pid = Int32(exactly: pid), let uid = UInt32(exactly: uid),
                let gid = UInt32(exactly: gid)
            else { throw UnreadableRow(why: "peer: out of range") }
            return .process(pid: pid, uid: uid, gid: gid)
        case 2: return .address(try string())
        default: return .device(try string())
        }
    }

    /// A step that fills the whole field.
    mutating func step() throws(UnreadableRow) -> RecordedStep {
        try rememberedStep { (reader) throws(UnreadableRow) in try reader.newStep() }
    }

    private mutating func newStep() throws(UnreadableRow) -> Step {
        let kind = try Step.Kind(code: byte())
        let has = try byte()
        guard has < 32 else { throw UnreadableRow(why: "a step is of another version") }
        let source = try source()
        let event = has & 1 == 0 ? nil : try happening()
        let from = has & 2 == 0 ? nil : try place()
        let to = has & 4 == 0 ? nil : try place()
        var effects: [EffectRecord] = []
        for _ in 0..<(has & 8 == 0 ? 0 : try length()) {
            let name = try string()
            effects.append(EffectRecord(name: name, arguments: try members()))
        }
        let missed = has & 16 == 0 ? 0 : try count("missed")
        return Step(kind, event, from: source, from, to, effects: effects, missed: missed)
    }

    mutating func order() throws(UnreadableRow) -> Change.Order {
        switch try byte() {
        case 0: return .override(reason: nil)
        case 1: return .override(reason: try string())
        case let kind where kind <= 3:
            let fires = try string()
            let action = try TimerOperation.Action(code: byte())
            let by = kind == 2 ? nil : Duration.nanoseconds(try signed())
            return .timer(TimerOperation(fires, action, by: by))
        case let kind: throw UnreadableRow(why: "an order of kind \(kind) is of another version")
        }
    }

    mutating func timers() throws(UnreadableRow) -> [TimerRecord] {
        var timers: [TimerRecord] = []
        for _ in 0..<(try length()) {
            let fires = try string()
            let total = Duration.nanoseconds(try signed())
            guard total >= .zero, total <= .longest else {
                throw UnreadableRow(why: "a timer's time is out of range")
            }
            switch try byte() {
            case 0:
                let until = Instant(nanoseconds: try signed())
                let order = try count("a timer's order")
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, standing: .running(until: until),
                        order: UInt64(order)))
            case 1:
                let remaining = Duration.nanoseconds(try signed())
                timers.append(
                    TimerRecord(
                        fires: fires, total: total, standing: .paused(remaining: remaining),
                        order: 0))
            default: throw UnreadableRow(why: "a timer is of another version")
            }
        }
        return timers
    }

    /// Positions in increasing order, each encoded as the difference to the preceding one.
    mutating func positions() throws(UnreadableRow) -> [Int] {
        var (positions, last): ([Int], Int) = ([], 0)
        for _ in 0..<(try length()) {
            let distance = try count("positions")
            guard distance > 0, distance <= JournalRow.most - last else {
                throw UnreadableRow(why: "positions: out of range")
            }
            last += distance
            positions.append(last)
        }
        return positions
    }

    mutating func waiting() throws(UnreadableRow) -> [MachineSnapshot.Deferred] {
        var waiting: [MachineSnapshot.Deferred] = []
        for _ in 0..<(try length()) {
            let event = try happening()
            waiting.append(MachineSnapshot.Deferred(event, from: try source()))
        }
        return waiting
    }
}
