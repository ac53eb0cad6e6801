import GameFlow
import JSON
import RPC
internal import Support
import Timers

/// How to advance by all of a time, of which the daemon does ten thousand firings at once: what is left
/// is reckoned from where the clock stood at the beginning.
struct Advance {
    /// What is asked first: `toNext`, or nothing at all, which tells where the clock stands.
    let first: Request
    private let byMs: Int
    private var startMs: Int?
    private var lastMs: Int?

    /// Nil if the request is none that can be gone on with; the daemon then says what is wrong with it.
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

    /// What is to be asked next; nil when all is done.
    mutating func next(after page: AdvancePage) throws(Failure) -> Request? {
        guard let startMs else {
            (startMs, lastMs) = (page.nowMs, page.nowMs)
            return byMs > 0 || page.hasMore ? Self.request(byMs) : nil
        }
        guard page.hasMore else { return nil }
        if page.firings.isEmpty, page.nowMs == lastMs {
            throw .fault("advance promises more, and does nothing")
        }
        lastMs = page.nowMs
        return Self.request(max(0, byMs - max(0, page.nowMs - startMs)))
    }

    private static func request(_ ms: Int) -> Request {
        Request(.advance, [Member("by", .string("\(ms)ms"))])
    }
}

/// What one `advance` brought.
struct AdvancePage {
    let firings: [Value]
    let nowMs: Int
    let hasMore: Bool

    init(_ value: Value) throws(Failure) {
        firings = try value.list("fired")
        nowMs = try value.number("nowMs")
        hasMore = try value.truth("more")
    }

    var clock: String { "clock \(ClockText.sinceZero(nowMs))" }
}

/// What several of them brought, as one result for programs.
struct AdvanceResult {
    private var fired: [[UInt8]] = []

    init() {}

    /// Takes in a result's firings as they came.
    mutating func add(_ raw: [UInt8]) throws(Failure) {
        var text = JSONText()
        do { try text.read(raw[...]) } catch { throw .fault("a result is no JSON") }
        for (name, value) in text.members(of: JSONText.root) where text.says("fired", at: name) {
            for firing in text.children(of: value) { fired.append(text.raw(at: firing)) }
        }
    }

    func line(nowMs: Int) -> String {
        let firings = fired.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        return "{\"fired\":[\(firings)],\"nowMs\":\(nowMs),\"more\":false}"
    }
}
