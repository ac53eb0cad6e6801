import Inputs
package import Parts
package import Timers

/// Begins and ends the alerts about connections and `map` lines for which nothing arrives. The times count from the start, or from
/// when a line was added. Instants are on the loop's clock.
package struct QuietWatch {
    /// For each connection with `quiet=`: since when it is watched.
    private var starts: [String: Instant] = [:]
    private var matches = MatchTimes()
    private var quietAlerts = QuietAlerts()

    package init() {}

    /// Watches the lines `maps` in place of `oldMaps`; unchanged lines are watched since the same time.
    package mutating func replace(_ oldMaps: [InputMap], by maps: [InputMap], at now: Instant) {
        matches.replace(oldMaps, by: maps, at: now)
    }

    /// Records that an input matches the line with this index.
    package mutating func matched(_ index: Int, at now: Instant) { matches.matched(index, at: now) }

    package mutating func update(
        _ alerts: AlertBoard, _ connections: RoomConnections, _ maps: [InputMap], at now: Instant
    ) {
        guard
            !quietAlerts.isEmpty || connections.all.contains(where: { $0.line.quiet != nil })
                || maps.contains(where: { $0.quiet != nil })
        else { return }
        var lines: [QuietAlerts.QuietLine] = []
        var newStarts: [String: Instant] = [:]
        for connection in connections.all {
            let line = connection.line
            guard let quiet = line.quiet else { continue }
            let start = starts[line.name] ?? now
            newStarts[line.name] = start
            let heardAt = max(start, connection.inputConnection.status.lastSeen ?? start)
            guard now - heardAt >= quiet else { continue }
            lines.append(.init(line.name, "\(line.word) \(line.name)", quiet))
        }
        starts = newStarts
        for (index, map) in maps.enumerated() {
            guard let quiet = map.quiet, matches.quietTime(of: index, at: now) >= quiet,
                let connection = connections[map.connection]
            else { continue }
            let name = "\(map.connection) \(map.pattern.text)"
            lines.append(.init(name, "\(connection.line.word) \(name)", quiet))
        }
        quietAlerts.update(alerts, lines)
    }
}
