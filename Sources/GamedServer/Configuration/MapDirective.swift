import Bluetooth
import GameFlow
import JSONCoding
import RPC
import Sessions
import Support
import Timers

/// Reads the `map` lines about Bluetooth devices. `InputMapDirective` reads the `map` lines about other connections.
///
/// A line has one of two forms. The first form maps the press of a button, which the device reports as a value of a
/// characteristic, to an event. The second form maps the loss and the return of the link to the device to events:
/// - `map device=GLOB service=UUID characteristic=UUID value=HEX[/MASK] event=NAME [session=NAME] [args=JSON] [debounce=D]`
/// - `map device=GLOB [lost=EVENT] [found=EVENT] [session=NAME] [args=JSON]`
struct MapDirective {
    /// The syntax of the arguments of `map` in the first form; shown in the help and in the manual.
    static let form =
        "device=GLOB service=UUID characteristic=UUID value=HEX[/MASK] event=NAME "
        + "[session=NAME] [args=JSON] [debounce=D]"

    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The events of all flows.
    private let events: [AnyFlow.Event]
    /// Whether flow files with mistakes were not loaded, so that `events` may lack the events of these files.
    private let mayLackEvents: Bool
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: TextWord] = [:]

    /// The keys that only the first form has.
    private static let pressKeys = ["service", "characteristic", "value", "event", "debounce"]
    /// The keys that only the second form has.
    private static let linkKeys = ["lost", "found"]
    private static let keys = ["device", "session", "args"] + pressKeys + linkKeys

    /// Converts a line to the `DeviceMap` that the Bluetooth source uses. Throws the first mistake in the line.
    static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) -> DeviceMap {
        try MapDirective(line, file, flows).deviceMap()
    }

    /// Splits a line into `words`. Throws if a key is unknown, is given twice, or has no value.
    private init(
        _ line: ConfigurationFile.Line, _ file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) {
        mayLackEvents = flows.isPartial
        (self.line, self.file, events) = (line, file, flows.flows.flatMap(\.events))
        for word in line.words {
            guard let key = word.key.map(String.init), Self.keys.contains(key) else {
                let similarKeys = DidYouMean.suggest(String(word.key ?? word.text[...]), Self.keys)
                let hint =
                    similarKeys.isEmpty
                    ? Self.keys.joined(separator: ", ") : "\(similarKeys[0])="
                let quote = word.key == nil ? "; quote a value that contains spaces" : ""
                throw file.mistake(line, word, "\(word.text): expected \(hint)\(quote)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            words[key] = word
        }
    }

    private func deviceMap() throws(ConfigurationFile.ConfigurationError) -> DeviceMap {
        let device = Glob(try text("device"))
        let trigger = try trigger()
        let arguments = try arguments()
        try check(arguments, of: trigger)
        return DeviceMap(
            device: device, trigger: trigger, session: try session(), arguments: arguments,
            debounce: try debounce())
    }

    private func trigger() throws(ConfigurationFile.ConfigurationError) -> DeviceMap.Trigger {
        if words["lost"] != nil || words["found"] != nil {
            if let pressKey = Self.pressKeys.lazy.compactMap({ words[$0] }).first {
                throw file.mistake(
                    line, pressKey, "\(pressKey.key ?? ""): cannot be combined with lost and found")
            }
            return .link(lost: try event("lost"), found: try event("found"))
        }
        let subscription = Subscription(
            service: try uuid("service"), characteristic: try uuid("characteristic"))
        let value = try value()
        guard let event = try event("event") else { throw missing("event") }
        return .press(subscription, value, event: event)
    }

    /// Throws if the arguments do not fit an event that the trigger names. Several flows may have events of the same name; at
    /// least one of these events must take the arguments.
    private func check(_ arguments: [Member], of trigger: DeviceMap.Trigger)
        throws(ConfigurationFile.ConfigurationError)
    {
        let names: [String]
        switch trigger {
        case .press(_, _, let event): names = [event]
        case .link(let lost, let found): names = [lost, found].compactMap { $0 }
        }
        for event in names {
            let schemas = events.filter { $0.name == event }
            // No loaded flow has the event. `event(_:)` has accepted it, because a flow file with a mistake may have it.
            guard let firstSchema = schemas.first else { continue }
            let fits = schemas.contains { schema in
                arguments.allSatisfy { argument in
                    schema.parameters.contains { $0.name == argument.name }
                }
                    && schema.parameters.allSatisfy { $0.isOptional || arguments[$0.name] != nil }
            }
            if fits { continue }
            let parameters = firstSchema.parameters.map { "\($0.name): \($0.type)" }
            let parameterList =
                parameters.isEmpty ? "nothing" : parameters.joined(separator: ", ")
            throw file.mistake(line, words["args"], "args: \(event) takes \(parameterList)")
        }
    }

    // MARK: values

    /// The error for a required key that the line lacks.
    private func missing(_ key: String) -> ConfigurationFile.ConfigurationError {
        file.mistake(
            line, nil,
            words["lost"] == nil && words["found"] == nil
                ? "\(key)= is missing; expected device=GLOB service=UUID characteristic=UUID "
                    + "value=HEX[/MASK] event=NAME, or device=GLOB lost=EVENT found=EVENT"
                : "\(key)= is missing")
    }

    /// The value of a required key.
    private func text(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String {
        guard let word = words[key] else { throw missing(key) }
        return String(word.value)
    }

    private func value() throws(ConfigurationFile.ConfigurationError) -> ValuePattern {
        let text = try text("value")
        do throws(ValuePatternError) { return try ValuePattern(text) } catch {
            throw file.mistake(line, words["value"], "value: \(error.why)")
        }
    }

    private func uuid(_ key: String) throws(ConfigurationFile.ConfigurationError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(try text(key)) else {
            throw file.mistake(
                line, words[key],
                "\(key): expected a UUID such as FFE0, or one of 8-4-4-4-12 hexadecimal digits")
        }
        return uuid
    }

    /// The event that is the value of the key `event`, `lost` or `found`; nil if the key is not given. Throws if no flow has
    /// the event. The event may be an event of any flow, because the session's flow is known only when the session is open.
    private func event(_ key: String) throws(ConfigurationFile.ConfigurationError) -> String? {
        guard let word = words[key] else { return nil }
        let event = String(word.value)
        let eventNames = events.map(\.name)
        guard mayLackEvents || eventNames.contains(event) else {
            let similar = DidYouMean.suggest(event, eventNames)
            let hint = similar.isEmpty ? "" : "; did you mean \(similar[0])?"
            throw file.mistake(line, word, "\(key): no flow has an event \(event)\(hint)")
        }
        return event
    }

    private func session() throws(ConfigurationFile.ConfigurationError) -> SessionName {
        guard let word = words["session"] else { return .main }
        guard let name = SessionName(String(word.value)) else {
            throw file.mistake(line, word, "session: expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return name
    }

    private func arguments() throws(ConfigurationFile.ConfigurationError) -> [Member] {
        guard let word = words["args"] else { return [] }
        return try file.object(word, of: line, example: #"'{"player":"ann"}'"#)
    }

    private func debounce() throws(ConfigurationFile.ConfigurationError) -> Duration {
        guard let word = words["debounce"] else { return .zero }
        guard let interval = DurationText.read(String(word.value)) else {
            throw file.mistake(line, word, "debounce: expected a duration such as 50ms")
        }
        return interval
    }
}
