import Bluetooth
import GameFlow
import JSONCoding
package import Parts
import RPC
import Sessions
import Support
import Timers

/// Reads the `map` lines about Bluetooth devices. `InputMapDirective` reads the `map` lines about other connections.
///
/// A line has one of two forms. The first form maps the press of a button, which the device reports as a value of a
/// characteristic, to an event. The second form maps the loss and the return of the link to the device to events:
/// - `map device=GLOB service=UUID characteristic=UUID value=HEX[/MASK] event=NAME [session=NAME] [args=JSON] [debounce=D]
///   [quiet=D]`
/// - `map device=GLOB [lost=EVENT] [found=EVENT] [session=NAME] [args=JSON]`
package struct MapDirective {
    /// The syntax of the arguments of `map` in the first form; shown in the help and in the manual.
    package static let form =
        "device=GLOB service=UUID characteristic=UUID value=HEX[/MASK] event=NAME "
        + "[session=NAME] [args=JSON] [debounce=D] [quiet=D]"

    private let words: MapWords

    /// The keys that only the first form has.
    private static let pressKeys = [
        "service", "characteristic", "value", "event", "debounce", "quiet",
    ]
    /// The keys that only the second form has.
    private static let linkKeys = ["lost", "found"]
    private static let keys = ["device", "session", "args"] + pressKeys + linkKeys

    /// Converts a line to the `DeviceMap` that the Bluetooth source uses. Throws the first mistake in the line.
    package static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationError) -> DeviceMap {
        try MapDirective(words: MapWords(line, file, flows, keys: keys)).deviceMap()
    }

    private func deviceMap() throws(ConfigurationError) -> DeviceMap {
        let device = Glob(try text("device"))
        let trigger = try trigger()
        let arguments = try words.object("args")
        for event in trigger.events { try words.check(arguments, of: event) }
        return DeviceMap(
            device: device, trigger: trigger, session: try session(), arguments: arguments,
            debounce: try words.debounce(), quiet: try words.quiet())
    }

    private func trigger() throws(ConfigurationError) -> DeviceMap.Trigger {
        if words["lost"] != nil || words["found"] != nil {
            if let pressKey = Self.pressKeys.lazy.compactMap({ words[$0] }).first {
                throw words.mistake(
                    String(pressKey.key ?? ""), "cannot be combined with lost and found")
            }
            return .link(lost: try event("lost"), found: try event("found"))
        }
        let subscription = Subscription(
            service: try uuid("service"), characteristic: try uuid("characteristic"))
        let value = try value()
        guard let event = try event("event") else { throw missing("event") }
        return .press(subscription, value, event: event)
    }

    // MARK: values

    /// The error for a required key that the line lacks.
    private func missing(_ key: String) -> ConfigurationError {
        words.file.mistake(
            words.line, nil,
            words["lost"] == nil && words["found"] == nil
                ? "\(key)= is missing; expected device=GLOB service=UUID characteristic=UUID "
                    + "value=HEX[/MASK] event=NAME, or device=GLOB lost=EVENT found=EVENT"
                : "\(key)= is missing")
    }

    /// The value of a required key.
    private func text(_ key: String) throws(ConfigurationError) -> String {
        guard let text = words.optionalText(key) else { throw missing(key) }
        return text
    }

    private func value() throws(ConfigurationError) -> ValuePattern {
        let text = try text("value")
        do throws(ValuePatternError) { return try ValuePattern(text) } catch {
            throw words.mistake("value", error.why)
        }
    }

    private func uuid(_ key: String) throws(ConfigurationError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(try text(key)) else {
            throw words.mistake(
                key, "expected a UUID such as FFE0, or one of 8-4-4-4-12 hexadecimal digits")
        }
        return uuid
    }

    /// The event that is the value of the key `event`, `lost` or `found`; nil if the key is not given. Throws if no flow has
    /// the event. The event may be an event of any flow, because the session's flow is known only when the session is open.
    private func event(_ key: String) throws(ConfigurationError) -> String? {
        guard let event = words.optionalText(key) else { return nil }
        let eventNames = words.flows.flows.flatMap(\.events).map(\.name)
        guard words.flows.isPartial || eventNames.contains(event) else {
            let similar = DidYouMean.suggest(event, eventNames)
            let hint = similar.isEmpty ? "" : "; did you mean \(similar[0])?"
            throw words.mistake(key, "no flow has an event \(event)\(hint)")
        }
        return event
    }

    private func session() throws(ConfigurationError) -> SessionName {
        guard let text = words.optionalText("session") else { return .main }
        guard let name = SessionName(text) else {
            throw words.mistake("session", "expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        return name
    }
}

extension DeviceMap.Trigger {
    /// The events that the line names.
    fileprivate var events: [String] {
        switch self {
        case .press(_, _, let event): [event]
        case .link(let lost, let found): [lost, found].compactMap { $0 }
        }
    }
}
