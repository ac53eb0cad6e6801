import Support
package import Timers

/// The value of `quiet=`: after this time without an input, an alert begins.
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

extension MapWords {
    /// The value of `quiet=`; nil if the line does not have it.
    package func quiet() throws(ConfigurationError) -> Duration? {
        guard let text = optionalText("quiet") else { return nil }
        return try QuietTime.read(text) { mistake("quiet", $0) }
    }
}

/// The alerts about devices that have sent nothing for the time that their lines give.
package struct QuietAlerts {
    /// A line for which nothing has arrived for its time.
    package struct QuietLine {
        let name: String
        let device: String
        let time: Duration

        /// `name` is the name of the alert, `device` the device or connection for people, and `time` the time that the line gives.
        package init(_ name: String, _ device: String, _ time: Duration) {
            (self.name, self.device, self.time) = (name, device, time)
        }
    }

    /// The names of the alerts that have begun.
    private var names: Set<String> = []

    package init() {}

    /// Whether no alert has begun.
    package var isEmpty: Bool { names.isEmpty }

    /// Begins the alerts of these lines, and ends those of all others.
    package mutating func update(_ alerts: AlertBoard, _ lines: [QuietLine]) {
        let newNames = Set(lines.map(\.name))
        for name in names.subtracting(newNames) { alerts.end(.quiet, name) }
        for line in lines {
            alerts.begin(
                .quiet, line.name,
                "\(line.device) has sent nothing for \(DurationText.words(line.time)). If the device has failed, its events are missing."
            )
        }
        names = newNames
    }
}

/// When an input has matched each line of a list. Instants are on the loop's clock, because the times are real.
package struct MatchTimes {
    private var times: [Instant] = []

    package init() {}

    /// Counts from now on for the lines `new` in place of `old`; for unchanged lines, from the same time as before.
    package mutating func replace<Line: Equatable>(
        _ old: [Line], by new: [Line], at now: Instant
    ) {
        let known = zip(old, times)
        times = new.map { line in known.first { $0.0 == line }?.1 ?? now }
    }

    /// Records that an input matches the line with this index.
    package mutating func matched(_ index: Int, at now: Instant) { times[index] = now }

    /// For how long no input has matched the line with this index.
    package func quietTime(of index: Int, at now: Instant) -> Duration { now - times[index] }
}
