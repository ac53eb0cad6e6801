internal import Support
internal import Timers

/// A value of a flow that an operator may set in the configuration, or when a session is opened:
/// `FlowSetting("answer", \.times.answer)`. `F` is the type of the flow.
public struct FlowSetting<F> {
    /// The name by which operators set the value.
    public let name: String
    /// The type's name for clients: `duration`, `integer`, `boolean` or `text`.
    let type: String
    /// Returns the setting's value in a flow, as it is written in a configuration.
    let read: (F) -> String
    /// Changes the setting's value in a flow. Throws, and changes nothing, if the new value does not fit.
    let write: (inout F, Value) throws(ArgumentError) -> Void

    /// Creates the setting of a property.
    public init<V: SettingValue>(_ name: String, _ property: WritableKeyPath<F, V>) {
        self.init(name, type: V.settingType) {
            $0[keyPath: property].setting
        } write: { flow, value throws(ArgumentError) in
            flow[keyPath: property] = try V(setting: value)
        }
    }

    /// Creates the setting of a pendulum's period, which is at least `Duration.shortestPeriod`.
    public init(_ name: String, period property: WritableKeyPath<F, Duration>) {
        self.init(name, type: Duration.settingType) {
            $0[keyPath: property].setting
        } write: { flow, value throws(ArgumentError) in
            let period = try Duration(setting: value)
            guard period >= .shortestPeriod else {
                throw ArgumentError("a period is at least \(Duration.shortestPeriod.text)")
            }
            flow[keyPath: property] = period
        }
    }

    /// Creates a setting whose type is known only at run time.
    package init(
        _ name: String, type: String, read: @escaping (F) -> String,
        write: @escaping (inout F, Value) throws(ArgumentError) -> Void
    ) {
        (self.name, self.type, self.read, self.write) = (name, type, read, write)
    }
}

/// A type that the value of a setting can have.
public protocol SettingValue {
    /// The type's name for clients: `duration`, `integer`, `boolean` or `text`.
    static var settingType: String { get }
    /// Creates a value from what an operator has set: a text such as `45m`, a number or a boolean. Throws if it does not fit
    /// the type.
    init(setting: Value) throws(ArgumentError)
    /// The value as it is written in a configuration.
    var setting: String { get }
}

extension Duration {
    /// The shortest period to which an operator may set a pendulum.
    public static let shortestPeriod = Duration.milliseconds(10)
}

/// A duration of at least a millisecond and at most ten years: `45m`, `1h30m`, `250ms`.
extension Duration: SettingValue {
    public static var settingType: String { "duration" }
    public init(setting value: Value) throws(ArgumentError) {
        guard let text = value.text, let duration = Duration(text), duration > .zero else {
            throw ArgumentError(
                "expected \(DurationText.expectation(insteadOf: value.text ?? ""))")
        }
        self = duration
    }
    public var setting: String { text }
}

extension Int: SettingValue {
    public static var settingType: String { "integer" }
    public init(setting value: Value) throws(ArgumentError) {
        if case .int(let number) = value {
            self = number
            return
        }
        // A text must be the usual form of the integer: `7`, not `007` or `+7`.
        guard let text = value.text, let number = Int(text), text == "\(number)",
            -Value.largest...Value.largest ~= number
        else { throw ArgumentError("expected an integer") }
        self = number
    }
    public var setting: String { "\(self)" }
}

extension Bool: SettingValue {
    public static var settingType: String { "boolean" }
    public init(setting value: Value) throws(ArgumentError) {
        switch value {
        case .bool(let bool): self = bool
        case .string("true"): self = true
        case .string("false"): self = false
        default: throw ArgumentError("expected true or false")
        }
    }
    public var setting: String { "\(self)" }
}

extension String: SettingValue {
    public static var settingType: String { "text" }
    public init(setting value: Value) throws(ArgumentError) {
        guard case .string(let text) = value else { throw ArgumentError("expected a text") }
        self = text
    }
    public var setting: String { self }
}

extension Flow {
    /// Returns the flow with other values of some settings; `members` are the settings' names and new values. Throws `invalid`,
    /// with the name of a setting that does not exist or whose value does not fit.
    public func with(settings members: [Member]) throws(Reason) -> Self {
        var flow = self
        let declared = settings
        for member in members {
            guard let setting = declared.first(where: { member.isNamed($0.name) }) else {
                let names = declared.map(\.name).joined(separator: ", ")
                throw .invalid(
                    member.name,
                    declared.isEmpty ? "the flow has no settings" : "not a setting: \(names)")
            }
            do { try setting.write(&flow, member.value) } catch {
                throw .invalid(member.name, error.why)
            }
        }
        return flow
    }
}
