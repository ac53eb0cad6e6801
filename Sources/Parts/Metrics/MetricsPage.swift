package import Support
import Timers

/// Collects the series of the metric families, and writes them in the OpenMetrics format. Each `Part` adds its own.
///
/// A reader who may not operate every session gets no labels that name people, devices and files: series that differ in such
/// labels only are added up, or represented by their smallest value.
package struct MetricsPage {
    /// The series of a family, in the order in which they were added.
    private struct Series {
        var labels: [[String]] = []
        var values: [SeriesValue] = []
        var indexes: [[String]: Int] = [:]
    }

    /// Whether the reader gets all labels.
    private let isComplete: Bool
    private var series: [String: Series] = [:]

    /// The maximum number of series of a family. Further ones are added up as `other`.
    package static let seriesLimit = 1000

    package init(isComplete: Bool = true) { self.isComplete = isComplete }

    // MARK: adding

    /// Adds a value to the series of a family with these values of its labels.
    package mutating func add(
        _ family: MetricFamily, _ labels: [String], _ value: some MetricValue
    ) { add(family, labels, value.metricValue) }

    /// Adds a value to a family without labels.
    package mutating func add(_ family: MetricFamily, _ value: some MetricValue) {
        add(family, [], value.metricValue)
    }

    private mutating func add(_ family: MetricFamily, _ labels: [String], _ value: SeriesValue) {
        var shown = visibleLabels(of: family, labels)
        var known = series.removeValue(forKey: family.name) ?? Series()
        defer { series[family.name] = known }
        if known.indexes[shown] == nil, known.values.count >= Self.seriesLimit - 1 {
            shown = shown.map { _ in "other" }
        }
        guard let index = known.indexes[shown] else {
            known.indexes[shown] = known.values.count
            known.labels.append(shown)
            known.values.append(value)
            return
        }
        switch (known.values[index], value) {
        case (.number(let old), .number(let new)):
            known.values[index] = .number(
                family.showsSmallest ? min(old, new) : old.addingReportingOverflow(new).partialValue
            )
        case (.histogram(var old), .histogram(let new)):
            old.add(new)
            known.values[index] = .histogram(old)
        default: break
        }
    }

    private func isVisible(_ label: String) -> Bool {
        isComplete || !MetricFamily.privateLabels.contains(label)
    }

    private func visibleLabels(of family: MetricFamily, _ values: [String]) -> [String] {
        zip(family.labels, values).filter { isVisible($0.0) }.map { $0.1 }
    }

    // MARK: writing

    /// The whole text, with the line that ends it. Each family has its type, also without a series.
    package func end() -> [UInt8] {
        var text = ""
        for family in MetricFamily.all {
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            if let unit = family.unit { text += "# UNIT \(family.name) \(unit)\n" }
            text += "# HELP \(family.name) \(Self.escaped(family.help))\n"
            guard let known = series[family.name] else { continue }
            let names = family.labels.filter(isVisible)
            for (labels, value) in zip(known.labels, known.values) {
                let pairs = zip(names, labels).map { "\($0)=\"\(Self.escaped($1))\"" }
                write(family, pairs, value, to: &text)
            }
        }
        return Array((text + "# EOF\n").utf8)
    }

    private func write(
        _ family: MetricFamily, _ pairs: [String], _ value: SeriesValue, to text: inout String
    ) {
        func labels(_ further: String? = nil) -> String {
            let all = pairs + (further.map { [$0] } ?? [])
            return all.isEmpty ? "" : "{\(all.joined(separator: ","))}"
        }
        func number(_ value: Int) -> String { Self.text(value, family.scale) }
        switch value {
        case .number(let value):
            let suffix = [.counter: "_total", .info: "_info"][family.kind] ?? ""
            text += "\(family.name)\(suffix)\(labels()) \(number(value))\n"
        case .histogram(let histogram):
            for (limit, count) in histogram.buckets {
                text += "\(family.name)_bucket\(labels("le=\"\(number(limit))\"")) \(count)\n"
            }
            let count = histogram.count
            text += "\(family.name)_bucket\(labels("le=\"+Inf\"")) \(count)\n"
            text += "\(family.name)_count\(labels()) \(count)\n"
            text += "\(family.name)_sum\(labels()) \(number(histogram.sum))\n"
        }
    }

    /// A number, or nanoseconds as seconds without zeros at the end.
    static func text(_ value: Int, _ scale: MetricFamily.Scale) -> String {
        guard scale == .nanoseconds else { return "\(value)" }
        let (seconds, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = String(String(1_000_000_000 + rest).dropFirst())
        while digits.last == "0", digits.count > 1 { digits.removeLast() }
        return "\(value < 0 ? "-" : "")\(seconds).\(digits)"
    }

    /// A text with the escapes of OpenMetrics.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// The value of a series: of type `Int`, `Duration` or `Histogram`.
package protocol MetricValue {
    var metricValue: SeriesValue { get }
}

package enum SeriesValue {
    case number(Int)
    case histogram(Histogram)
}

extension Int: MetricValue {
    package var metricValue: SeriesValue { .number(self) }
}

extension Duration: MetricValue {
    /// In nanoseconds.
    package var metricValue: SeriesValue { .number(Int(nanoseconds)) }
}

extension Histogram: MetricValue {
    package var metricValue: SeriesValue { .histogram(self) }
}
