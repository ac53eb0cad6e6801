package import GameFlow
import Inputs
import JSONCoding
package import Sessions
import Support
import Timers

/// A session as a device of Home Assistant, and its entities: a sensor with the title of the state, one for the end of each timer, one
/// for each datum, whether the game runs, and, with `controls=yes`, what sends events and pauses the timers.
package struct HomeAssistantDevice: Equatable {
    package let prefix: PublishedPrefix
    package let session: SessionName
    /// The device's name, its model (the flow's title) and its version (the flow's).
    package let name: String
    package let model: String
    package let version: String
    /// The address of gamed's pages; nil without `--public`.
    package let address: String?
    package let entities: FlowEntities
    /// Whether there is a switch that pauses the timers.
    package let hasPause: Bool

    /// What all sessions of a flow have.
    package struct FlowEntities: Equatable {
        /// The titles of all states, by name.
        let states: [Named]
        let timers: [Named]
        let data: [Named]
        let controls: [Control]
    }

    /// A name of a flow, and its title.
    package struct Named: Equatable {
        package let name: String
        package let title: String

        package init(_ name: String, _ title: String?) {
            (self.name, self.title) = (name, title ?? name)
        }
    }

    /// An event that Home Assistant can send: without an argument, or with one.
    package struct Control: Equatable {
        package let event: Named
        package let argument: Field?
    }

    /// The entities: the topics of their discovery messages, and the messages. Entities whose messages are too long for the broker
    /// are left out.
    package var messages: [(topic: String, payload: String)] {
        var messages = [state, running] + entities.timers.map(timer) + entities.data.map(datum)
        messages += entities.controls.compactMap(control)
        if hasPause { messages.append(pause) }
        return messages.filter { $0.payload.utf8.count <= MQTTLimit.payloadBytes }
    }

    // MARK: entities

    private var identifier: String { HomeAssistant.identifier(prefix, session) }

    /// A discovery message. `kind` and `name` are the end of the id; empty for the sensor of the state, which has the device's name.
    private func message(
        _ component: String, _ kind: String, _ entity: Named?, _ members: [Member]
    ) -> (topic: String, payload: String) {
        let end =
            kind.isEmpty
            ? "" : "_\(kind)" + (entity.map { "_\(HomeAssistant.escaped($0.name))" } ?? "")
        let id = identifier + end
        let title = kind.isEmpty ? Value.null : .string(entity?.title ?? kind)
        let bytes = JSONWriter.bytes {
            $0.object(
                [
                    Member("name", title), Member("unique_id", id),
                    // The beginning of the entity's id in Home Assistant, without the program's name.
                    Member("object_id", String(id.dropFirst("gamed_".count))),
                ] + members + [
                    Member("device", device),
                    Member("origin", .object([Member("name", "gamed")])),
                ])
        }
        return (HomeAssistant.topic(component, id), String(decoding: bytes, as: UTF8.self))
    }

    private var device: Value {
        .object(
            [
                Member("identifiers", .array([.string(identifier)])), Member("name", name),
                Member("manufacturer", "gamed"), Member("model", model),
                Member("sw_version", version),
            ] + (address.map { [Member("configuration_url", $0)] } ?? []))
    }

    /// The conditions under which an entity is available: the daemon is connected, and each of these topics has a message for which
    /// the template is true.
    private func available(_ conditions: (topic: String, template: String)...) -> [Member] {
        let topics =
            [Value.object([Member("topic", prefix.status)])]
            + conditions.map { topic, condition in
                .object([
                    Member("topic", topic),
                    Member("value_template", "{{ 'online' if \(condition) else 'offline' }}"),
                ])
            }
        return [Member("availability", .array(topics)), Member("availability_mode", "all")]
    }

    /// What an entity has that shows a part of the session's detail. `expression` is of Jinja, and `empty` what it is for an empty
    /// message, which ends the session.
    private func detail(_ expression: String, empty: String = "''") -> [Member] {
        [
            Member("state_topic", prefix.detail(of: session)),
            Member(
                "value_template", "{{ \(expression) if value_json is defined else \(empty) }}"),
        ] + available((prefix.detail(of: session), "value"))
    }

    private var state: (topic: String, payload: String) {
        let titles = entities.states.map {
            "\(HomeAssistant.literal($0.name)): \(HomeAssistant.literal($0.title))"
        }
        return message(
            "sensor", "", nil,
            [
                Member("device_class", "enum"),
                Member("options", .array(entities.states.map { .string($0.title) })),
                Member("state_topic", prefix.state(of: session)),
                Member(
                    "value_template",
                    "{{ {\(titles.joined(separator: ", "))}.get(value, value) }}"),
                Member("json_attributes_topic", prefix.detail(of: session)),
                Member("json_attributes_template", "{{ value if value else '{}' }}"),
            ] + available((prefix.state(of: session), "value")))
    }

    private var running: (topic: String, payload: String) {
        message(
            "binary_sensor", "running", nil,
            [Member("device_class", "running")]
                + detail("('OFF' if value_json.final else 'ON')", empty: "'OFF'"))
    }

    /// When a timer ends. While it does not run, the sensor is not available: Home Assistant has no empty time.
    private func timer(_ timer: Named) -> (topic: String, payload: String) {
        let ends =
            "(value_json.timers | selectattr('fires', 'eq', \(HomeAssistant.literal(timer.name)))"
            + " | map(attribute='endsMs', default=0) | list + [0]) | first"
        let topic = prefix.detail(of: session)
        return message(
            "sensor", "timer", timer,
            [
                Member("device_class", "timestamp"), Member("state_topic", topic),
                Member(
                    "value_template",
                    "{{ ((\(ends) if value_json is defined else 0) / 1000) | as_datetime }}"),
            ]
                + available((topic, "value_json is defined and \(ends)")))
    }

    /// The longest text that Home Assistant has as a state has 255 characters.
    private func datum(_ datum: Named) -> (topic: String, payload: String) {
        let name = HomeAssistant.literal(datum.name)
        // A duration is in milliseconds, and its name ends with `Ms`.
        if datum.name.hasSuffix(Field.durationSuffix) {
            let shortName = datum.name.dropLast(Field.durationSuffix.count)
            let title = datum.title == datum.name ? String(shortName) : datum.title
            return message(
                "sensor", "data", Named(datum.name, title),
                [Member("device_class", "duration"), Member("unit_of_measurement", "s")]
                    + detail(
                        "(value_json.data[\(name)] / 1000 if \(name) in value_json.data else none)",
                        empty: "none"))
        }
        let value = "value_json.data.get(\(name), '')"
        return message(
            "sensor", "data", datum,
            detail("(\(value) if \(value) is string else \(value) | tojson)[:255]"))
    }

    // MARK: controls

    private func control(_ control: Control) -> (topic: String, payload: String)? {
        let command =
            [Member("command_topic", prefix.command(control.event.name, to: session))]
            + available((prefix.state(of: session), "value"))
        guard let argument = control.argument else {
            return message("button", "send", control.event, command)
        }
        if argument.type == "boolean" || !argument.values.isEmpty {
            let values = argument.values.isEmpty ? ["true", "false"] : argument.values
            return message(
                "select", "send", control.event,
                [Member("options", .array(values.map { .string($0) }))] + command)
        }
        switch argument.type {
        case "integer":
            let isDuration = argument.shortName != nil
            let limits = argument.limits ?? (isDuration ? Self.durations : Self.integers)
            // Home Assistant converts no durations of numbers, so the unit is that of the argument.
            let unit =
                isDuration
                ? [Member("device_class", "duration"), Member("unit_of_measurement", "ms")] : []
            return message(
                "number", "send", control.event,
                unit + [
                    Member("min", limits.lowerBound), Member("max", limits.upperBound),
                    Member("mode", "box"),
                ] + command)
        case "string":
            let limits = argument.limits ?? 0...Self.longestText
            return message(
                "text", "send", control.event,
                [
                    Member("min", min(max(0, limits.lowerBound), Self.longestText)),
                    Member("max", min(max(1, limits.upperBound), Self.longestText)),
                ] + command)
        default: return nil
        }
    }

    private static let longestText = 255
    /// The values that Home Assistant offers for an integer without limits.
    private static let integers = -1_000_000...1_000_000
    /// The milliseconds that Home Assistant offers for a duration without limits.
    private static let durations: ClosedRange<Int> = {
        let longest = Int(Duration.longest.milliseconds)
        return -longest...longest
    }()

    private var pause: (topic: String, payload: String) {
        let running = "value_json.timers | rejectattr('paused') | list | length"
        return message(
            "switch", "paused", nil,
            [Member("command_topic", prefix.pauseCommand(to: session))]
                + detail(
                    "('ON' if value_json.timers and \(running) == 0 else 'OFF')", empty: "'OFF'"))
    }
}
