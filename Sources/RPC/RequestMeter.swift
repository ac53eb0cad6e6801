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
        /// When the request was received.
        fileprivate let received: Instant
    }

    /// The number of a request that names no method.
    private static let noMethod = UInt8(Method.allCases.count)
    /// The clock of the loop.
    private let clock: TimerQueue
    // The properties that each request uses are not checked for overlapping accesses: they are accessed only here.
    /// For each method, and for no method, the counts of the outcomes.
    @exclusivity(unchecked) private var counts = [Int](
        repeating: 0, count: (Method.allCases.count + 1) * Outcome.allCases.count)
    /// The times of the requests `send` and `status`, and of all others.
    @exclusivity(unchecked) package private(set) var sendTimes = Histogram.times
    @exclusivity(unchecked) package private(set) var statusTimes = Histogram.times
    @exclusivity(unchecked) package private(set) var otherTimes = Histogram.times

    /// `clock` is the clock of the loop, which shows the instant of receipt while a request is executed.
    init(_ clock: TimerQueue) { self.clock = clock }

    /// Notes a request that is being executed.
    func mark(_ method: Method?, _ outcome: Outcome) -> Mark {
        Mark(method: method?.rawValue ?? Self.noMethod, outcome: outcome, received: clock.now)
    }

    /// Counts a request whose reply may be sent now.
    func count(_ mark: Mark) {
        counts[Int(mark.method) &* Outcome.allCases.count &+ mark.outcome.rawValue] &+= 1
        let time = Int((clock.now - mark.received).nanoseconds)
        switch mark.method {
        case Method.send.rawValue: sendTimes.add(time)
        case Method.status.rawValue: statusTimes.add(time)
        default: otherTimes.add(time)
        }
    }

    /// Counts a request that gets no reply, or that is refused before its method is read.
    package func count(_ method: Method?, _ outcome: Outcome) { count(mark(method, outcome)) }

    /// Calls `body` with each count that is not 0. The name of a request without a method is `other`.
    package func forEachCount(_ body: (_ method: String, _ outcome: Outcome, Int) -> Void) {
        for (index, count) in counts.enumerated() where count > 0 {
            let (number, outcome) = index.quotientAndRemainder(
                dividingBy: Outcome.allCases.count)
            let method = number < Method.allCases.count ? Method.allCases[number].name : "other"
            body(method, Outcome.allCases[outcome], count)
        }
    }
}

extension RequestMeter.Outcome {
    package var name: String { "\(self)" }

    /// The outcome of a call; a deferred result has not arrived yet.
    init(_ outcome: CallOutcome) {
        switch outcome {
        case .succeeded, .watching, .deferred: self = .ok
        case .refused(let error, _): self.init(error)
        }
    }

    package init(_ error: CallError) {
        switch error {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams: self = .invalid
        case .refused(let error):
            switch error {
            case .forbidden: self = .forbidden
            case .limit: self = .limited
            case .storage: self = .storage
            case .invalid: self = .invalid
            default: self = .refused
            }
        case .relayed(let error):
            switch error.name {
            case "forbidden": self = .forbidden
            case "limit": self = .limited
            case "storage": self = .storage
            case "invalid", "invalidParams", "invalidRequest", "parseError", "methodNotFound":
                self = .invalid
            default: self = .refused
            }
        }
    }
}
