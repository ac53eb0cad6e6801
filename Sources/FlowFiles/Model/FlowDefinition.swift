package import GameFlow

/// A checked flow file: names are resolved to indices, and expressions are compiled.
package struct FlowDefinition {
    package var name = ""
    package var title: String?
    package var note: String?
    /// The index of the initial state.
    package var start = 0
    package var settings: [SettingDefinition] = []
    package var events: [EventDefinition] = []
    package var effects: [String] = []
    /// The names of the timers of all states, each once. The index of a name is the number of the signal that timers of this
    /// name send.
    package var timerNames: [String] = []
    package var states: [StateDefinition] = []
    var invariants: [InvariantDefinition] = []

    /// The names and types of the settings, for the scope of an expression.
    var settingNames: [ExpressionScope.Name] {
        settings.map { .init(name: $0.name, type: $0.type) }
    }
}

/// A value that an operator may set for a session. Its default gives its type.
package struct SettingDefinition {
    package let name: String
    package let type: DataType
    package let defaultValue: Value
}

/// An event from outside.
package struct EventDefinition {
    package let name: String
    package var arguments: [FieldDefinition] = []
    package var title: String?
    package var note: String?
    package var isHiddenFromPlayers = false
    /// The kinds of sources that may send it, such as `unix` or `session`; empty if all may.
    package var sources: [String] = []
    /// Texts that a form offers as values of the event's argument.
    package var suggestions: [String] = []
}

/// A condition that must hold in every state that has all the data that the condition names.
struct InvariantDefinition {
    /// The condition, compiled for each of these states. `state` is the state's index.
    let conditions: [(state: Int, expression: CompiledExpression)]
    let why: String
}
