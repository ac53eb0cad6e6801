package import Sessions
package import Shell
import Support
import Timers

/// A limit of the server: a row of `ServerLimits.table`. Unless the limit is fixed, an operator can set it with
/// `limit NAME=VALUE`.
package struct Limit: Sendable {
    /// The type of the limit's value, and the property that has the value.
    package enum Kind: Sendable {
        /// A limit that cannot be set.
        case fixed(@Sendable (ServerLimits) -> Int)
        case count(any WritableKeyPath<ServerLimits, Int> & Sendable)
        /// A number per second; 0 means no limit.
        case rate(any WritableKeyPath<ServerLimits, Int> & Sendable)
        case duration(any WritableKeyPath<ServerLimits, Duration> & Sendable)
        /// A duration; 0 means that there is no limit.
        case durationOrNone(any WritableKeyPath<ServerLimits, Duration> & Sendable)
    }

    /// What clients see of the limit: its name, what it limits, and its value.
    package let namedLimit: NamedLimit<ServerLimits>
    private let kind: Kind

    /// `subject` is what the limit limits, such as "sessions open at once"; `consequence` is what happens when the limit is
    /// reached. The name of a limit that is a duration ends in `Ms`.
    package init(_ name: String, _ kind: Kind, _ subject: String, then consequence: String) {
        self.kind = kind
        namedLimit = NamedLimit(name, subject, then: consequence) { limits in
            switch kind {
            case .fixed(let value): value(limits)
            case .count(let property), .rate(let property): limits[keyPath: property]
            case .duration(let property), .durationOrNone(let property):
                Int(limits[keyPath: property].milliseconds)
            }
        }
    }

    /// The name by which an operator sets the limit; nil if it cannot be set. For a duration the name has
    /// no unit, because the value has one.
    package var setting: String? {
        switch kind {
        case .fixed: nil
        case .count, .rate: namedLimit.name
        case .duration, .durationOrNone: String(namedLimit.name.dropLast("Ms".count))
        }
    }

    /// The limit's value in the form that an operator writes.
    package func text(_ limits: ServerLimits) -> String {
        switch kind {
        case .duration(let property), .durationOrNone(let property):
            DurationText.write(limits[keyPath: property])
        case .fixed, .count, .rate: "\(namedLimit.value(limits))"
        }
    }

    /// The sentence for the help and the manual: what the limit limits, and its default.
    package var sentence: String {
        let subject = namedLimit.subject.prefix(1).uppercased() + namedLimit.subject.dropFirst()
        return "\(subject). Default: \(text(ServerLimits()))."
    }

    /// The values that an operator can give to limits of the kinds `count` and `rate`.
    private static let (counts, rates) = (1...1_000_000, 0...10_000_000)

    /// Sets the limit to a value that an operator has written. A thrown error names the expected values, not the limit.
    package func set(_ text: String, in limits: inout ServerLimits) throws(UsageError) {
        switch kind {
        case .fixed: throw UsageError("expected a limit that can be set")
        case .count(let property):
            limits[keyPath: property] = try Self.number(text, Self.counts)
        case .rate(let property):
            limits[keyPath: property] = try Self.number(
                text, Self.rates, unit: " a second; 0 means no limit")
        case .duration(let property):
            guard let time = DurationText.read(text), time > .zero else {
                throw UsageError("expected a duration such as 30s")
            }
            limits[keyPath: property] = time
        case .durationOrNone(let property):
            guard let time = text == "0" ? .zero : DurationText.read(text) else {
                throw UsageError("expected a duration such as 5s; 0 means no limit")
            }
            limits[keyPath: property] = time
        }
    }

    /// Parses a number in `range`. `unit` follows the range in the error.
    private static func number(_ text: String, _ range: ClosedRange<Int>, unit: String = "")
        throws(UsageError) -> Int
    {
        guard let number = Int(text), range ~= number else {
            throw UsageError("expected \(range.lowerBound) to \(range.upperBound)\(unit)")
        }
        return number
    }
}
