internal import GameFlow

/// A checked flow file: names are resolved to indices, and expressions are compiled.
struct FlowDefinition {
    var name = ""
    var title: String?
    var note: String?
    /// The version of the file format.
    var format = 1
    /// The index of the initial state.
    var start = 0
    var settings: [SettingDefinition] = []
    var events: [EventDefinition] = []
    var effects: [String] = []
    /// The names of the timers of all states; a timer's index is the number of its signal.
    var timerNames: [String] = []
    var states: [StateDefinition] = []
    var invariants: [InvariantDefinition] = []

    /// The names and types of the settings, for the scope of an expression.
    var settingNames: [ExpressionScope.Name] {
        settings.map { .init(name: $0.name, type: $0.type) }
    }
}

/// A value that a host may set, and its default, which gives its type.
struct SettingDefinition {
    let name: String
    let type: DataType
    let defaultValue: Value
}

/// An event from outside.
struct EventDefinition {
    let name: String
    var arguments: [FieldDefinition] = []
    var title: String?
    var note: String?
    var isHiddenFromPlayers = false
    /// The sources that may send it; empty if all may.
    var sources: [String] = []
    /// Texts that a form offers.
    var suggestions: [String] = []
}

/// A condition that holds in every state that has the data it names.
struct InvariantDefinition {
    /// The condition for each of these states, by the state's index.
    let conditions: [(state: Int, expression: CompiledExpression)]
    let why: String
}
