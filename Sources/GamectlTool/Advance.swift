import GameFlow
import JSONCoding
import RPC
internal import Support
import Timers

/// An `advance` of the daemon's virtual clock, split into several requests, because the daemon fires at most ten thousand
/// timers for each. Each further request is for the time that remains, which is computed from the clock's reading at the
/// beginning. `RequestCommand` sends the requests.
struct Advance {
    /// The first request: `toNext`, or an advance by zero, which returns the clock's reading.
    let first: Request
    /// The time, in milliseconds, by which the clock is to advance; 0 for `toNext`.
    private let byMs: Int
    /// The clock's reading after the first request, in milliseconds; nil before the first result has arrived.
    private var startMs: Int?
    /// The clock's reading after the latest request, in milliseconds; nil before the first result has arrived.
    private var lastMs: Int?

    /// Splits a request `advance`. Nil if its parameters are invalid; `RequestCommand` then sends the request unchanged, and
    /// the daemon reports the error.
    init?(_ request: Request) {
        switch (request.params["by"], request.params["toNext"]) {
        case (.string(let text), nil):
            guard let by = DurationText.read(text) else { return nil }
            byMs = Int(by.milliseconds)
            first = Self.request(byMs: 0)
        case (nil, .bool(true)):
            byMs = 0
            first = request
        default: return nil
        }
    }

    /// Returns the next request. `page` is the result of the previous request. Nil if the clock has advanced by the whole time.
    /// Throws if the daemon makes no progress.
    mutating func next(after page: AdvancePage) throws(CommandError) -> Request? {
        guard let startMs else {
            (startMs, lastMs) = (page.nowMs, page.nowMs)
            // After `toNext`, `byMs` is 0: the request fires the other timers that are due at the same instant.
            return byMs > 0 || page.hasMore ? Self.request(byMs: byMs) : nil
        }
        guard page.hasMore else { return nil }
        if page.firings.isEmpty, page.nowMs == lastMs {
            throw .protocolError("advance reports more firings, but makes no progress")
        }
        lastMs = page.nowMs
        return Self.request(byMs: max(0, byMs - max(0, page.nowMs - startMs)))
    }

    private static func request(byMs: Int) -> Request {
        Request(.advance, [Member("by", .string("\(byMs)ms"))])
    }
}

/// The result of one `advance` request.
struct AdvancePage {
    /// The timers that fired, each as an object with the session, the timer and the time.
    let firings: [Value]
    /// The clock's reading after the request, in milliseconds.
    let nowMs: Int
    /// Whether further timers are due before the clock reaches the requested time.
    let hasMore: Bool

    /// Reads a result. Throws if a member is missing.
    init(_ value: Value) throws(CommandError) {
        firings = try value.list("fired")
        nowMs = try value.number("nowMs")
        hasMore = try value.boolean("more")
    }

    /// The line that shows the clock's reading.
    var clockLine: String { "clock \(ClockText.sinceZero(nowMs))" }
}

/// The results of several `advance` requests, merged into one for `--json`.
struct AdvanceResult {
    /// The firings of all results, each as the JSON that the daemon sent.
    private var rawFirings: [[UInt8]] = []

    init() {}

    /// Adds the firings of a result, which is given as the JSON that the daemon sent.
    mutating func add(_ result: [UInt8]) throws(CommandError) {
        var text = JSONText()
        do { try text.read(result[...]) } catch { throw .protocolError("a result is not JSON") }
        for (name, value) in text.members(of: JSONText.root) where text.isString("fired", at: name)
        {
            for firing in text.children(of: value) { rawFirings.append(text.raw(at: firing)) }
        }
    }

    /// The merged result as a line of JSON. `nowMs` is the clock's reading after the last request, in milliseconds.
    func line(nowMs: Int) -> String {
        let firings = rawFirings.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        return "{\"fired\":[\(firings)],\"nowMs\":\(nowMs),\"more\":false}"
    }
}
