package import GameFlow

/// A checked flow file: names are resolved to indices, and expressions are compiled.
package struct FlowFileDefinition {
    package var name = ""
    /// Where the file gives the name.
    var namePosition = FilePosition.start
    package var title: String?
    package var note: String?
    /// The languages of the texts. Sessions have the first one by default. Empty if each text is in one language.
    package var languages: [String] = []
    /// The index of the initial state.
    package var start = 0
    package var settings: [SettingDefinition] = []
    package var events: [EventDefinition] = []
    /// The names of the effects that rows may request.
    package var effects: [String] = []
    /// The names of the timers of all states, each once. The index of a name is the number of the signal that timers of this
    /// name send.
    package var timerNames: [String] = []
    /// The data of the flow. Each state has them after its own data.
    package var data: [FieldDefinition] = []
    var tables: [TableDefinition] = []
    /// The files of the tables, each once, in the order in which the tables name them.
    var tableFiles: [FlowSource.TableFile] = []
    package var states: [StateDefinition] = []
    var invariants: [InvariantDefinition] = []
    /// The first place where a row requests the effect `show`; nil if none does. The players' screen does not show it: an output
    /// has to send it.
    var showEffect: FilePosition?
    /// The pictures, sounds and videos that the flow can show or play.
    package var files: [FlowPresentation.File] = []
    /// Whether what the screens show in some state depends on its data.
    var computesScreens = false
    /// Whether a row draws random values.
    var draws = false
    /// Whether an expression compares a set or tally with another one. Then the order of their entries matters.
    var comparesCollections = false

    /// The settings, as the scope of an expression has them.
    var settingVariables: [ExpressionScope.Variable] {
        settings.map(\.field.variable)
    }
}

/// A value that an operator may set for a session. Its default gives its type.
package struct SettingDefinition {
    /// The setting's name, type, limits and texts.
    let field: FieldDefinition
    package let defaultValue: Value

    package var name: String { field.name }
    package var type: DataType { field.type }
}

/// An event that clients, devices and other sessions can send, unlike the signal of a timer.
package struct EventDefinition {
    package let name: String
    package var arguments: [FieldDefinition] = []
    package var title: String?
    package var note: String?
    package var isHiddenFromPlayers = false
    /// The kinds of sources that may send the event, such as `unix` or `session`; empty if all kinds may.
    package var sources: [String] = []
    /// For how long events of this name wait for each other; nil if they do not wait.
    package var collectingTime: Duration?
    /// Texts that the web pages offer as values when a person enters an argument of the event.
    package var suggestions: [String] = []
    /// How the screens offer the event.
    package var offer = FlowPresentation.Offer()
}

/// A condition on the data of states. The condition must be true in each state that has all data named in the condition.
struct InvariantDefinition {
    /// The condition, compiled for each state in which it must be true, and what is wrong if it is false. `state` is the state's
    /// index.
    let conditions: [(state: Int, expression: CompiledExpression, why: CompiledExpression)]
    /// The text of the condition, for a `why` that cannot be computed.
    let text: String

    /// What is wrong if the condition is false, as far as it does not depend on data.
    var sentence: String { conditions.first?.why.constant?.text ?? text }
}
