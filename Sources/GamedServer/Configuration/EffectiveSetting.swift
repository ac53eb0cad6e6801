import GameFlow
import Sessions

/// A setting with its value and where the value comes from. A setting that can be given several times has one of these for each
/// value.
struct EffectiveSetting: Equatable {
    /// Where a value comes from.
    enum Origin: Equatable {
        case line(path: String, number: Int)
        /// An option of the command line.
        case option
        /// An environment variable.
        case environment(String)
        /// The unit of a service, which is not this process.
        case unit(String)
        case standard

        /// The text that users see.
        var text: String {
            switch self {
            case .line(let path, let number): "\(path):\(number)"
            case .option: "option"
            case .environment(let variable): "environment \(variable)"
            case .unit(let name): "unit \(name)"
            case .standard: "default"
            }
        }
    }

    let name: String
    /// Empty if the setting is not given and has no default.
    let value: String
    let origin: Origin
    /// Whether the value takes effect at the next start only.
    var isPending = false

    /// The setting as JSON: `{"name","value","from","pending"?}`
    var json: Value {
        .object(
            [
                Member("name", name), Member("value", value), Member("from", origin.text),
            ] + (isPending ? [Member("pending", .bool(true))] : []))
    }
}
