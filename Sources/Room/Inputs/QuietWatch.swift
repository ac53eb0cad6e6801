import Inputs
package import Parts
import Support
package import Timers

/// The value of `quiet=`.
package enum QuietTime {
    /// The shortest time. Alerts are looked for once a second.
    package static let shortest = Duration.seconds(1)

    package static func read(
        _ text: String, mistake: (String) -> ConfigurationError
    ) throws(ConfigurationError) -> Duration {
        guard let time = DurationText.read(text), time >= shortest else {
            throw mistake("expected a duration of at least 1s, such as 5m")
        }
        return time
    }
}

/// Begins and ends the alerts about connections and devices that have sent nothing for the time that their lines give. The times are
/// real, and count from the start, or from when a line was added. Instants are on the loop's clock.
package struct QuietWatch {
    /// For each connection with `quiet=`: since when it is watched.
    private var starts: [String: Instant] = [:]
    /// For each `map` line, in their order, when an input has matched it, or since when it is watched.
    private var matches: [Instant] = []
    /// The names of the alerts that have begun.
    private var quietNames: Set<String> = []

    package init() {}

    /// Whether there is nothing to watch.
    private func isIdle(_ connections: RoomConnections, _ maps: [InputMap]) -> Bool {
        quietNames.isEmpty && !connections.all.contains { $0.line.quiet != nil }
            && !maps.contains { $0.quiet != nil }
    }

    /// Watches the lines `maps` in place of `oldMaps`; unchanged lines are watched since the same time.
    package mutating func replace(_ oldMaps: [InputMap], by maps: [InputMap], at now: Instant) {
        let known = zip(oldMaps, matches)
        matches = maps.map { map in known.first { $0.0 == map }?.1 ?? now }
    }

    /// Records that an input matches the line with this index.
    package mutating func matched(_ index: Int, at now: Instant) { matches[index] = now }

    package mutating func update(
        _ alerts: AlertBoard, _ connections: RoomConnections, _ maps: [InputMap], at now: Instant
    ) {
        guard !isIdle(connections, maps) else { return }
        var texts: [(name: String, text: String)] = []
        var newStarts: [String: Instant] = [:]
        for connection in connections.all {
            let line = connection.line
            guard let quiet = line.quiet else { continue }
            let start = starts[line.name] ?? now
            newStarts[line.name] = start
            let heardAt = max(start, connection.inputConnection.status.lastSeen ?? start)
            if now - heardAt >= quiet {
                texts.append((line.name, Self.text("\(line.word) \(line.name)", quiet)))
            }
        }
        starts = newStarts
        for (map, heardAt) in zip(maps, matches) {
            guard let quiet = map.quiet, now - heardAt >= quiet,
                let connection = connections[map.connection]
            else { continue }
            let name = "\(map.connection) \(map.pattern.text)"
            texts.append((name, Self.text("\(connection.line.word) \(name)", quiet)))
        }
        let names = Set(texts.map(\.name))
        for name in quietNames.subtracting(names) { alerts.end(.quiet, name) }
        for (name, text) in texts { alerts.begin(.quiet, name, text) }
        quietNames = names
    }

    private static func text(_ device: String, _ time: Duration) -> String {
        "\(device) has sent nothing for \(DurationText.words(time)). If the device has failed, its events are missing."
    }
}
