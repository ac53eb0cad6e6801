package import GameFlow
import Inputs
import JSONCoding
package import Parts
import RPC
import Sessions
import Support

/// Finds `on` lines and `map` lines for MQTT that can cause each other without an end: the message of an `on` line, or of
/// `publish=`, is the input of a `map` line, whose event makes an `on` line send a message, and so on. The option `--check` reports
/// them.
package struct MessageLoops {
    /// A line that publishes messages.
    private struct Sender {
        let position: ConfigurationFile.Line
        let connection: String
        /// The levels of the topics; a level with a placeholder can be any text.
        let topic: [Substring]
        let content: Content
        let session: Glob

        enum Content {
            /// The states of sessions, after each change: `publish=`.
            case states
            /// The messages of an `on` line. The payload is nil if it is not always the same.
            case messages(OutputLine.Trigger, payload: String?)
        }
    }

    /// A message of a sender that a `map` line turns into an event.
    private struct Hop {
        let sender: Sender
        let position: ConfigurationFile.Line
        let map: InputMap
    }

    /// For each loop, its lines in the order of the file.
    package private(set) var loops: [[ConfigurationFile.Line]] = []
    /// A sentence for each loop, at its first line, and one if not all lines were searched.
    package private(set) var notes: [ConfigurationError] = []

    /// The maximum number of pairs of lines that are searched.
    package static let limit = 500

    package init(_ file: ConfigurationFile, _ connections: [ConnectionLine], _ flows: [AnyFlow]) {
        let senders = Self.senders(file, connections)
        guard !senders.isEmpty else { return }
        var hops: [Hop] = []
        // The `map` line of the first hop beyond `limit`.
        var firstUnsearched: ConfigurationFile.Line?
        for position in file.lines where position.name.text == "map" {
            guard let kind = InputMapDirective.kind(of: position), kind is MQTTBroker.Type,
                let map = try? InputMapDirective.read(kind, position, in: file, KnownFlows(flows)),
                let pattern = map.pattern as? MQTTPattern
            else { continue }
            for sender in senders where sender.connection == map.connection {
                guard Self.mayMatch(MQTTTopic.levels(of: pattern.filter), sender.topic),
                    Self.mayMatch(pattern.payload, sender.content)
                else { continue }
                guard hops.count < Self.limit else {
                    firstUnsearched = firstUnsearched ?? position
                    break
                }
                hops.append(Hop(sender: sender, position: position, map: map))
            }
        }
        guard !hops.isEmpty else { return }
        let consequences = EventConsequences(flows)
        loops = DirectedCycles.groups(of: hops.count) { first, second in
            Self.canCause(hops[first].map, hops[second].sender, consequences)
        }.map { group in
            var lines: [ConfigurationFile.Line] = []
            for hop in group.map({ hops[$0] }) {
                for line in [hop.sender.position, hop.position]
                where !lines.contains(where: { $0.number == line.number }) { lines.append(line) }
            }
            return lines.sorted { $0.number < $1.number }
        }
        notes = loops.map { lines in
            let numbers = lines.map { "\($0.number)" }.joined(separator: ", ")
            return file.mistake(
                lines[0], nil,
                "the lines \(numbers) can cause each other without an end, because gamed receives its own messages; "
                    + "a chain ends after \(Source.linkedStepsLimit) steps")
        }
        if let firstUnsearched {
            notes.append(
                file.mistake(
                    firstUnsearched, nil,
                    "loops of messages through this line and some of the lines after it were not searched: more than "
                        + "\(Self.limit) pairs of lines send and receive the same topics"))
        }
    }

    private static func senders(_ file: ConfigurationFile, _ connections: [ConnectionLine])
        -> [Sender]
    {
        file.lines.flatMap { line -> [Sender] in
            if line.name.text == "on",
                let output = try? OnDirective.read(line, in: file, others: []),
                let message = output.target as? MQTTOutput
            {
                // A level with a placeholder is written as `+` here.
                let topic = message.topic.text({ _ in .string("+") }, convert: { $0 }) ?? ""
                return [
                    Sender(
                        position: line, connection: message.connection,
                        topic: MQTTTopic.levels(of: topic).map { $0.contains("+") ? "+" : $0 },
                        content: .messages(output.trigger, payload: message.payload.constant),
                        session: output.session)
                ]
            }
            guard line.name.text == "mqtt", let name = line.words.first?.text,
                let prefix = connections.first(where: { $0.name == name })?.broker?
                    .prefix
            else { return [] }
            return PublishedPrefix(text: prefix).sessionFilters.map { filter in
                Sender(
                    position: line, connection: name, topic: MQTTTopic.levels(of: filter),
                    content: .states, session: Glob("*"))
            }
        }
    }

    /// Whether a filter may select one of the topics. In both, `+` stands for any level.
    private static func mayMatch(_ filter: [Substring], _ topic: [Substring]) -> Bool {
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count,
                level == "+" || topic[index] == "+" || level.hasSameBytes(as: topic[index])
            else { return false }
        }
        return filter.count == topic.count
    }

    /// Whether a condition may match the payload of a message.
    private static func mayMatch(_ condition: MQTTPattern.Payload, _ content: Sender.Content)
        -> Bool
    {
        guard case .messages(_, let payload?) = content else { return true }
        return switch condition {
        case .any, .object: payload != ""
        case .text(let text): payload == text
        }
    }

    /// Whether the event of a `map` line can make the sender publish a message.
    private static func canCause(
        _ map: InputMap, _ sender: Sender, _ consequences: EventConsequences
    ) -> Bool {
        // A name with a placeholder may be the name of any session.
        if let name = map.session.text({ _ in nil }), !sender.session.matches(name) { return false }
        guard case .messages(let trigger, _) = sender.content else { return true }
        return consequences.canCause(trigger, by: map.event)
    }
}
