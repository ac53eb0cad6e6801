internal import Sessions
package import Support
internal import Timers

/// Counts the requests of the clients, and measures how long their replies take, for the metrics of the daemon. A reply counts
/// when it may be sent. Use it on the loop's thread only.
public final class RequestMeter {
    /// How a request has ended.
    package enum Outcome: Int, CaseIterable {
        case ok, refused, forbidden, limited, storage, invalid
    }

    /// What is kept of a request until its reply may be sent.
    struct Mark {
        /// The number of the method; `RequestMeter.noMethod` if the request names none.
        fileprivate let method: UInt8
        var outcome: Outcome
        /// When the request was received, in nanoseconds.
        fileprivate let received: Int64
    }

    /// The number of a request that names no method: greater than those of all methods. A literal, because each count reads it.
    static let noMethod: UInt8 = 63
    /// Each method has the slots of this many bits: more than there are outcomes.
    private static let slotBits = 3
    /// The clock of the loop.
    private let clock: TimerQueue
    // Each request uses these properties: the counts are in memory of their own, and accesses to the histograms are not checked for
    // overlaps, because only this class accesses them.
    /// The counts of the outcomes of each method, and of no method.
    private let counts: UnsafeMutablePointer<Int>
    private static let countSlots = (Int(noMethod) + 1) << slotBits
    /// The times of the requests `send` and `status`, and of all others.
    @exclusivity(unchecked) package private(set) var sendTimes = Histogram.times
    @exclusivity(unchecked) package private(set) var statusTimes = Histogram.times
    @exclusivity(unchecked) package private(set) var otherTimes = Histogram.times

    /// `clock` is the clock of the loop, which shows the instant of receipt while a request is executed.
    init(_ clock: TimerQueue) {
        self.clock = clock
        counts = .allocate(capacity: Self.countSlots)
        counts.initialize(repeating: 0, count: Self.countSlots)
    }

    deinit { counts.deallocate() }

    /// Notes a request whose reply must wait.
    func mark(_ method: Method?, _ outcome: Outcome) -> Mark {
        Mark(
            method: method?.rawValue ?? Self.noMethod, outcome: outcome,
            received: clock.now.nanoseconds)
    }

    /// Counts a request whose reply waited and may be sent now.
    func count(_ mark: Mark) {
        add(mark.method, mark.outcome)
        let time = Int(clock.now.nanoseconds &- mark.received)
        switch mark.method {
        case Method.send.rawValue: sendTimes.add(time)
        case Method.status.rawValue: statusTimes.add(time)
        default: otherTimes.add(time)
        }
    }

    /// Counts a request whose reply may be sent in the turn of its receipt, or that gets none.
    package func count(_ method: Method?, _ outcome: Outcome) {
        let number = method?.rawValue ?? Self.noMethod
        add(number, outcome)
        switch number {
        case Method.send.rawValue: sendTimes.addZero()
        case Method.status.rawValue: statusTimes.addZero()
        default: otherTimes.addZero()
        }
    }

    @inline(__always) private func add(_ method: UInt8, _ outcome: Outcome) {
        counts[Int(method) << Self.slotBits | outcome.rawValue] &+= 1
    }

    /// Calls `body` with each count that is not 0. The name of a request without a method is `other`.
    package func forEachCount(_ body: (_ method: String, _ outcome: Outcome, Int) -> Void) {
        let methods = Method.allCases.map { ($0.rawValue, $0.name) } + [(Self.noMethod, "other")]
        for (number, name) in methods {
            for outcome in Outcome.allCases {
                let count = counts[Int(number) << Self.slotBits | outcome.rawValue]
                if count > 0 { body(name, outcome, count) }
            }
        }
    }
}

extension RequestMeter.Outcome {
    package var name: String { "\(self)" }

    /// The outcome of a call; a deferred result has not arrived yet.
    init(_ outcome: CallOutcome) {
        if case .refused(let error, _) = outcome { self.init(error) } else { self = .ok }
    }

    /// The numbers of the errors decide, because a comparison with the cases would copy what they contain.
    package init(_ error: CallError) {
        switch error.code {
        case 2: self = error.isOfFlow ? .refused : .invalid
        case 4: self = .forbidden
        case 11: self = .limited
        case 12: self = .storage
        // The errors of JSON-RPC.
        case ..<0: self = .invalid
        // A relayed error of the text dialect has no number.
        case 0: self = error.isOfFlow ? .refused : Self(name: error.name)
        default: self = .refused
        }
    }

    private init(name: String) {
        switch name {
        case "forbidden": self = .forbidden
        case "limit": self = .limited
        case "storage": self = .storage
        case "invalid", "invalidParams", "invalidRequest", "parseError", "methodNotFound":
            self = .invalid
        default: self = .refused
        }
    }
}
