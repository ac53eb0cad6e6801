/// A family of metrics of the daemon: a row of `MetricFamily.all`, the table of all families. The parts of the daemon add the series.
package struct MetricFamily: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram, info
    }

    /// The unit in which the parts of the daemon add values.
    package enum Scale: Sendable {
        case one
        /// Nanoseconds, which the text has as seconds.
        case nanoseconds
    }

    package let name: String
    package let kind: Kind
    /// What the family shows, as a sentence.
    package let help: String
    /// The names of the labels. Their values come from the configuration and the flows, never from clients, except `principal`.
    package let labels: [String]
    let scale: Scale
    /// Whether series whose labels are left out are represented by the smallest, and not by their sum.
    let showsSmallest: Bool

    init(
        _ name: String, _ kind: Kind, _ help: String, labels: [String] = [], scale: Scale = .one,
        showsSmallest: Bool = false
    ) {
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
        (self.scale, self.showsSmallest) = (scale, showsSmallest)
    }

    /// The unit, which is the end of the name; nil for a number without a unit.
    var unit: String? {
        ["seconds", "bytes"].first { name.hasSuffix("_\($0)") }
    }

    /// The labels that name people, devices or files. Only a reader that may operate every session gets them.
    package static let privateLabels: Set<String> = [
        "principal", "name", "target", "file", "source",
    ]
}
