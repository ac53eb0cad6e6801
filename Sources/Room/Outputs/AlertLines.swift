package import Parts
import RPC
import Sessions
import Support
package import Timers

/// Selects the `on alert` lines that send an output when an alert begins: each sends one in ten seconds at most, because many alerts
/// can begin at once, such as those of all connections when a switch fails.
package struct AlertLines {
    /// The shortest time between two outputs of one line.
    package static let interval = Duration.seconds(10)

    /// When each line has sent its last output, by the line's fingerprint. Instants are on the clock of the loop.
    private var lastTimes: [UInt64: Instant] = [:]

    package init() {}

    /// The lines among `lines` that are about this alert. `tooSoon` are those of them that must not send now.
    package mutating func select(_ alert: Alert, from lines: [OutputLine], at now: Instant) -> (
        due: [OutputLine], tooSoon: [OutputLine]
    ) {
        var (due, tooSoon): ([OutputLine], [OutputLine]) = ([], [])
        for line in lines where line.isAbout(alert) {
            if let last = lastTimes[line.fingerprint], now - last < Self.interval {
                tooSoon.append(line)
            } else {
                lastTimes[line.fingerprint] = now
                due.append(line)
            }
        }
        return (due, tooSoon)
    }

    /// Forgets the lines that are not among `lines`.
    package mutating func keepOnly(_ lines: [OutputLine]) {
        let fingerprints = Set(lines.map(\.fingerprint))
        lastTimes = lastTimes.filter { fingerprints.contains($0.key) }
    }
}

extension OutputLine {
    /// Whether the line is an `on alert` line.
    package var isAboutAlerts: Bool { if case .alert = trigger { true } else { false } }

    /// Whether the line is an `on alert` line for this alert. An alert without a session matches only lines for all sessions.
    fileprivate func isAbout(_ alert: Alert) -> Bool {
        guard case .alert(let kind) = trigger, kind.matches(alert.kind.rawValue) else {
            return false
        }
        return session.pattern == "*" || alert.session.map { session.matches($0.text) } ?? false
    }
}
