import GameFlow
import JSONCoding
import RPC
internal import Support
import Timers

/// An `advance` split into several requests: the daemon fires at most ten thousand timers for each. The
/// remaining time is computed from the clock's reading at the beginning.
struct Advance {
    /// The first request: `toNext`, or an advance by zero, which returns the clock's reading.
    let first: Request
    /// The time by which the clock is to advance; 0 for `toNext`.
    private let byMs: Int
    /// The clock's reading after the first request; nil before its result has arrived.
    private var startMs: Int?
    /// The clock's reading after the latest request; nil before the first result has arrived.
    private var lastMs: Int?

    /// Nil if the parameters are invalid. The caller then sends the request unchanged, and the daemon reports the error.
    init?(_ request: Request) {
        switch (request.params["by"], request.params["toNext"]) {
        case (.string(let text), nil):
            guard let by = DurationText.read(text) else { return nil }
            byMs = Int(by.milliseconds)
            first = Self.request(0)
        case (nil, .bool(true)):
            byMs = 0
            first = request
        default: return nil
        }
    }

    /// The next request; nil if the clock has advanced by the whole time.
    mutating func next(after page: AdvancePage) throws(CommandError) -> Request? {
        guard let startMs else {
            (startMs, lastMs) = (page.nowMs, page.nowMs)
            return byMs > 0 || page.hasMore ? Self.request(byMs) : nil
        }
        guard page.hasMore else { return nil }
        if page.firings.isEmpty, page.nowMs == lastMs {
            throw .protocolError("advance reports more firings, but makes no progress")
        }
        lastMs = page.nowMs
        return Self.request(max(0, byMs - max(0, page.nowMs - startMs)))
    }

    private static func request(_ ms: Int) -> Request {
        Request(.advance, [Member("by", .string("\(ms)ms"))])
    }
}

/// The result of one `advance` request.
struct AdvancePage {
    let firings: [Value]
    /// The clock's reading after the request.
    let nowMs: Int
    /// Whether further timers are due before the clock reaches the requested time.
    let hasMore: Bool

    init(_ value: Value) throws(CommandError) {
        firings = try value.list("fired")
        nowMs = try value.number("nowMs")
        hasMore = try value.boolean("more")
    }

    var clock: String { "clock \(ClockText.sinceZero(nowMs))" }
}

/// The results of several `advance` requests, merged into one for `--json`.
struct AdvanceResult {
    private var fired: [[UInt8]] = []

    init() {}

    /// Adds the firings of a result, unchanged.
    mutating func add(_ raw: [UInt8]) throws(CommandError) {
        var text = JSONText()
        do { try text.read(raw[...]) } catch { throw .protocolError("a result is not JSON") }
        for (name, value) in text.members(of: JSONText.root) where text.isString("fired", at: name)
        {
            for firing in text.children(of: value) { fired.append(text.raw(at: firing)) }
        }
    }

    /// The merged result as a line of JSON.
    func line(nowMs: Int) -> String {
        let firings = fired.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        return "{\"fired\":[\(firings)],\"nowMs\":\(nowMs),\"more\":false}"
    }
}
