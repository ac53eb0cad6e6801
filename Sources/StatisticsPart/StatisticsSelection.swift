package import Timers

/// The games that statistics are about.
package struct StatisticsSelection: Equatable, Sendable {
    /// Only games of this flow; nil for all.
    package let flow: String?
    /// Only games that were opened at this instant of the daemon's clock or later; nil for all.
    package let since: Instant?
    /// The name of a label: games with such a label are left out. Nil leaves out none.
    package let without: String?

    package init(flow: String? = nil, since: Instant? = nil, without: String? = nil) {
        (self.flow, self.since, self.without) = (flow, since, without)
    }
}
