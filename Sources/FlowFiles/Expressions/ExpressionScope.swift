internal import GameFlow
internal import Support
internal import Timers

/// The names that an expression of a flow file can use. The `FlowFileChecker` makes a scope for each place where expressions
/// stand. The `ExpressionCompiler` looks up names in the scope.
struct ExpressionScope {
    /// An argument, a datum or a setting, whose value an expression can read.
    struct Variable {
        let name: String
        let type: DataType
        /// Whether it is a datum of the flow, which every state carries.
        var isOfFlow = false
    }

    /// A timer of the state, whose times an expression can read.
    struct Timer {
        let name: String
        var kind = TimerKind.countdown
        /// Whether what the timer has left may be negative.
        var hasOvertime = false
    }

    /// Where a value is found at run time: its index in the array of the arguments, the data or the settings of an
    /// `EvaluationContext`.
    enum Slot: Equatable {
        case argument(Int)
        case datum(Int)
        case setting(Int)
    }

    /// The arguments of the event; nil where there is no event.
    var arguments: [Variable]?
    /// The data of the state; nil where there is no state.
    var data: [Variable]?
    var settings: [Variable]
    /// The timers whose times the functions `left` and `spent` of the language return; nil where the state's timers are not set
    /// yet.
    var timers: [Timer]?
    /// Whether the expression may draw random values.
    var allowsDraws = false

    /// Returns the slot and the type of the argument with this name. If there is no such argument, looks for a datum with this
    /// name. Nil if there is no such datum either.
    func find(_ name: String) -> (slot: Slot, type: DataType)? {
        if let found = argument(name) { return found }
        return datum(name)
    }

    func argument(_ name: String) -> (slot: Slot, type: DataType)? {
        Self.find(name, arguments).map { (.argument($0), $1) }
    }

    func datum(_ name: String) -> (slot: Slot, type: DataType)? {
        Self.find(name, data).map { (.datum($0), $1) }
    }

    func setting(_ name: String) -> (slot: Slot, type: DataType)? {
        Self.find(name, settings).map { (.setting($0), $1) }
    }

    private static func find(_ name: String, _ variables: [Variable]?)
        -> (index: Int, type: DataType)?
    {
        guard let variables, let index = variables.firstIndex(where: { $0.name == name }) else {
            return nil
        }
        return (index, variables[index].type)
    }

    /// Returns the sentence of the finding for a name that could be the event's argument or the flow's datum; nil for any other
    /// name. An author may forget that another part of the file has declared the datum for all states.
    func ambiguity(_ name: String) -> String? {
        guard argument(name) != nil,
            data?.contains(where: { $0.name == name && $0.isOfFlow }) == true
        else { return nil }
        return
            "\(name) is a datum of the flow and an argument of the event; write event.\(name) or state.\(name)"
    }

    /// Returns the sentence of the finding for a name that `find` does not find.
    func mistake(_ name: String) -> String {
        if setting(name) != nil { return "\(name) is a setting; write settings.\(name)" }
        let fields = (arguments ?? []) + (data ?? [])
        // A name that is among the texts of a `one of` is probably such a text without its quotes.
        for field in fields {
            guard case .oneOf(let names) = field.type.unwrapped, names.contains(name) else {
                continue
            }
            return "there is no name \(name) here; put a text in single quotes: '\(name)'"
        }
        return Self.mistake(
            "name \(name)", name, fields.map(\.name) + settings.map { "settings.\($0.name)" })
    }

    /// The maximum number of names that a sentence can list or suggest, so that the sentence stays short.
    private static let maximumNames = 32

    /// Returns the sentence for the name `name`, which is not one of `names`. `described` is the kind and the name, such as
    /// `timer timeUp`, for the sentence.
    static func mistake(_ described: String, _ name: String, _ names: [String]) -> String {
        guard !names.isEmpty else { return "there is no \(described) here" }
        let hint = DidYouMean.hint(name, Array(names.prefix(maximumNames)))
        return "there is no \(described) here; \(hint)"
    }
}
