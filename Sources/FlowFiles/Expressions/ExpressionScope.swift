internal import GameFlow
internal import Support

/// The names that an expression sees, each with its type and the slot of its value.
struct ExpressionScope {
    struct Name {
        let name: String
        let type: DataType
    }

    /// Where a value is found at run time.
    enum Slot: Equatable {
        case argument(Int)
        case datum(Int)
        case setting(Int)
    }

    /// The arguments of the event; nil where there is no event.
    var arguments: [Name]?
    /// The data of the state; nil where there is no state.
    var data: [Name]?
    var settings: [Name]
    /// The timers whose remaining time `left` returns; nil where the state's timers are not set yet.
    var timers: [String]?

    /// Returns the slot and the type of the event's argument of this name, otherwise of the state's datum of this name.
    func find(_ name: String) -> (Slot, DataType)? {
        if let found = argument(name) { return found }
        return datum(name)
    }

    func argument(_ name: String) -> (Slot, DataType)? {
        Self.find(name, arguments).map { (.argument($0), $1) }
    }

    func datum(_ name: String) -> (Slot, DataType)? {
        Self.find(name, data).map { (.datum($0), $1) }
    }

    func setting(_ name: String) -> (Slot, DataType)? {
        Self.find(name, settings).map { (.setting($0), $1) }
    }

    private static func find(_ name: String, _ names: [Name]?) -> (Int, DataType)? {
        guard let index = names?.firstIndex(where: { $0.name == name }) else { return nil }
        return (index, names![index].type)
    }

    /// Returns the sentence for a name that does not exist.
    func mistake(_ name: String) -> String {
        if setting(name) != nil { return "\(name) is a setting; write settings.\(name)" }
        let fields = (arguments ?? []) + (data ?? [])
        for field in fields {
            guard case .oneOf(let names) = field.type.unwrapped, names.contains(name) else {
                continue
            }
            return "there is no name \(name) here; put a text in single quotes: '\(name)'"
        }
        return Self.mistake(
            "name \(name)", name, fields.map(\.name) + settings.map { "settings.\($0.name)" })
    }

    /// Returns the sentence for a name that is not one of `names`. `described` is the wrong name with its kind, as the sentence
    /// says it: `timer timeUp`.
    static func mistake(_ described: String, _ name: String, _ names: [String]) -> String {
        guard !names.isEmpty else { return "there is no \(described) here" }
        return "there is no \(described) here; \(DidYouMean.hint(name, Array(names.prefix(32))))"
    }
}
