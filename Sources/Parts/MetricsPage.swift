import Sessions
import Support
import Timers

/// Writes text in the OpenMetrics format: metric families, each with its type, its help and one sample. Each `Part` adds its
/// metrics.
package struct MetricsPage {
    private var text = ""

    package init() {}

    /// Adds a value that can increase and decrease.
    package mutating func gauge(_ name: String, _ help: String, _ value: Int, unit: String? = nil) {
        writeFamily(name, "gauge", help, unit)
        text += "\(name) \(value)\n"
    }

    /// Adds texts that do not change, as labels. The sample, but not the family, has the suffix `_info`. The texts are the
    /// program's own, and need no escapes.
    package mutating func info(
        _ name: String, _ help: String, _ labels: [(name: String, value: String)]
    ) {
        writeFamily(name, "info", help, nil)
        let pairs = labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
        text += "\(name)_info{\(pairs)} 1\n"
    }

    /// Adds a duration, in seconds with three decimals.
    package mutating func gauge(_ name: String, _ help: String, _ value: Duration) {
        writeFamily(name, "gauge", help, "seconds")
        let milliseconds = value.milliseconds
        let decimals = String(1000 + milliseconds.magnitude % 1000).dropFirst()
        text +=
            "\(name) \(milliseconds < 0 ? "-" : "")\(milliseconds.magnitude / 1000).\(decimals)\n"
    }

    /// Adds a value that only increases. The sample, but not the family, has the suffix `_total`.
    package mutating func counter(_ name: String, _ help: String, _ value: Int) {
        writeFamily(name, "counter", help, nil)
        text += "\(name)_total \(value)\n"
    }

    /// Writes the lines that precede the sample of a metric.
    private mutating func writeFamily(
        _ name: String, _ type: String, _ help: String, _ unit: String?
    ) {
        text += "# TYPE \(name) \(type)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(help)\n"
    }

    /// The whole text, with the line that ends it.
    package func end() -> [UInt8] { Array((text + "# EOF\n").utf8) }
}
