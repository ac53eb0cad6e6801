internal import GameFlow
internal import JSON
internal import Timers

/// Decides which refused events go to the journal, and how much of each. Without these limits, a client that may
/// send events could fill the disk with events that are refused.
struct RefusalAudit {
    /// Whether refusals go to the journal at all.
    var isOn = false
    /// How many were left out, since the start and since the last one that was kept.
    private(set) var dropped = 0
    private(set) var droppedSinceLast = 0
    /// How many bytes were kept since the last call of `renew`, by account and in all.
    private var spent: [String: Int] = [:]
    private var spentInAll = 0

    /// Starts another second: called by the owner of real time, for virtual time may stand still.
    mutating func renew() { (spent, spentInAll) = ([:], 0) }

    /// Makes the row's body of a refused event, if there is room for it in this second.
    mutating func body(of refused: RefusedEvent, now pos: Int, _ limits: Limits) -> [UInt8]? {
        let account = refused.source.account
        guard spent[account, default: 0] < limits.auditBytes, spentInAll < limits.auditBytesInAll
        else {
            dropped += 1
            droppedSinceLast += 1
            return nil
        }
        let body = JSONWriter.bytes {
            $0.refusal(
                refused, now: pos, dropped: droppedSinceLast, limit: limits.auditEventBytes)
        }
        droppedSinceLast = 0
        spent[account, default: 0] += body.count
        spentInAll += body.count
        return body
    }
}

extension JSONWriter {
    /// An event that was refused: of its arguments and of the error's data, each up to `limit` bytes.
    fileprivate mutating func refusal(
        _ refused: RefusedEvent, now pos: Int, dropped: Int, limit: Int
    ) {
        beginObject()
        name("pos")
        int(pos)
        name("event")
        event(refused.eventJSON, limit)
        name("source")
        json(refused.source.json)
        name("error")
        error(refused, limit)
        if dropped > 0 {
            name("dropped")
            int(dropped)
        }
        endObject()
    }

    /// The event whole where it is short, else its name and those of its first arguments that fit, and how many
    /// bytes were left out.
    private mutating func event(_ event: [UInt8], _ limit: Int) {
        guard event.count > limit, let fields = try? Fields(event),
            let name = try? fields.text("name"), let arguments = try? fields.object("args")
        else { return json(event) }
        var left = limit
        let shown = String(decoding: Array(name.utf8.prefix(limit / 4)), as: UTF8.self)
        left -= shown.utf8.count
        let kept = arguments.members.prefix { member in
            left -= JSONWriter.bytes { $0.object([member]) }.count
            return left >= 0
        }
        beginObject()
        self.name("name")
        string(shown)
        self.name("args")
        object(Array(kept))
        self.name("omittedBytes")
        int(event.count - JSONWriter.bytes { $0.object(Array(kept)) }.count - shown.utf8.count)
        endObject()
    }

    private mutating func error(_ refused: RefusedEvent, _ limit: Int) {
        switch refused.why {
        case .written(let text): json(text)
        case .error(let error): self.error(error, dataLimit: limit)
        }
    }
}
