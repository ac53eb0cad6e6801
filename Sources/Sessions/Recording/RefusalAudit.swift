internal import GameFlow
internal import Support
internal import Timers

/// Selects the refused events that are written to the journal, and shortens them. Without limits, a
/// client that may send events could fill the disk with refused ones.
struct RefusalAudit {
    /// Whether refusals are written to the journal.
    var isOn = false
    /// The number of refusals that were left out of the journal since the start of the daemon.
    var dropped = 0
    /// The number of bytes recorded since the last call of `renew`, by the sender's account (`Source.account`).
    private var usedBytes: [ByteText: Int] = [:]
    /// The number of bytes recorded since the last call of `renew`, of all accounts together.
    private var usedBytesInAll = 0

    /// Starts the next second of the limits. The daemon calls this function each second of real time, because virtual time
    /// may stand still.
    mutating func renew() { (usedBytes, usedBytesInAll) = ([:], 0) }

    /// Returns a refused event as the journal records it; nil if the limits for this second are reached. `dropped` is the number of
    /// the session's refusals that were left out before it.
    mutating func recorded(_ refused: RefusedEvent, dropped: Int, _ limits: Limits)
        -> RefusedEvent?
    {
        let account = refused.source.account
        guard usedBytes[ByteText(account), default: 0] < limits.auditBytes,
            usedBytesInAll < limits.auditBytesInAll
        else { return nil }
        let recorded = Self.shortened(refused, dropped: dropped, limit: limits.auditEventBytes)
        usedBytes[ByteText(account), default: 0] += recorded.rowWeight
        usedBytesInAll += recorded.rowWeight
        return recorded
    }

    /// Returns a refused event whose event has at most `limit` bytes. The error's data are replaced by their size if they have more
    /// than `limit` bytes.
    private static func shortened(_ refused: RefusedEvent, dropped: Int, limit: Int)
        -> RefusedEvent
    {
        let (event, omitted) = shortened(refused.event, limit)
        let data = refused.error.data
        let size = data.weight
        return RefusedEvent(
            event, omittedBytes: omitted, from: refused.source,
            .recorded(
                code: refused.error.code, name: refused.error.name,
                data: size <= limit ? data : [Member("omittedBytes", .int(size))]),
            of: refused.session, after: refused.seq, at: refused.at, dropped: dropped,
            receipt: refused.receipt)
    }

    /// Returns the event unchanged if it has at most `limit` bytes. Otherwise returns an event with as many of the first
    /// arguments as fit, and the number of omitted bytes. A name longer than a quarter of the limit is shortened, so that there
    /// is room for arguments.
    private static func shortened(_ event: EventRecord, _ limit: Int) -> (EventRecord, omitted: Int)
    {
        let size = event.weight
        guard size > limit else { return (event, 0) }
        let name = String(decoding: Array(event.name.utf8.prefix(limit / 4)), as: UTF8.self)
        var remaining = limit - name.utf8.count
        let fitting = Array(
            event.arguments.prefix { member in
                remaining -= [member].weight
                return remaining >= 0
            })
        let result = EventRecord(name, fitting)
        return (result, size - result.weight)
    }
}

extension RefusedEvent {
    /// The approximate number of bytes of the refusal's row; 96 stands for its parts of fixed size.
    fileprivate var rowWeight: Int {
        event.weight + error.data.weight + source.value.weight + error.name.utf8.count + 96
    }
}
