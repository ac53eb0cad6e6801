/// What a flow that consists of data, such as a flow file, says about itself. The analyses need not find it out by trials.
///
/// `AnyFlow.outline` is nil for a flow that is written in Swift.
@usableFromInline package struct FlowOutline {
    /// A row that does not refuse: what a state does for an event or a signal if the row is taken.
    package struct Row: Hashable {
        package let from: String
        /// The name of the event or signal.
        package let on: String
        package let isSignal: Bool
        package let outcome: StateSurvey.Outcome

        package init(from: String, on: String, isSignal: Bool, outcome: StateSurvey.Outcome) {
            (self.from, self.on, self.isSignal, self.outcome) = (from, on, isSignal, outcome)
        }

        /// The row that a step took; nil for a step that took none, such as `goto`.
        package init?(_ step: Step, in flow: AnyFlow) {
            guard step.kind == .enter || step.kind == .keep || step.kind == .defer,
                let from = step.from?.state, let event = step.event?.name
            else { return nil }
            self.init(
                from: from, on: event, isSignal: flow.signals.contains(event),
                outcome: StateSurvey.Outcome(step, in: from))
        }
    }

    /// The rows, each once.
    package let rows: [Row]
    /// The data of each state, by the state's name.
    package let fields: [String: [Field]]
    /// The names of each state's timers.
    package let timers: [String: [String]]
    /// The data of each state that can be null and have a default, by the state's name.
    package let nullableDefaults: [String: [String]]
    /// Whether something can go wrong that depends on the values of data: the flow has invariants, or rows that post events or draw
    /// random values.
    package let hasChecksOfData: Bool

    package init(
        rows: [Row], fields: [String: [Field]], timers: [String: [String]],
        nullableDefaults: [String: [String]], hasChecksOfData: Bool
    ) {
        (self.rows, self.fields, self.timers) = (rows, fields, timers)
        (self.nullableDefaults, self.hasChecksOfData) = (nullableDefaults, hasChecksOfData)
    }
}

/// A flow that has an outline.
package protocol OutlinedFlow: Flow {
    /// The outline; it does not depend on the values of settings.
    var outline: FlowOutline { get }
    /// The data that every state carries.
    var carriedData: [CarriedDatum] { get }
    /// Returns the presentation in another language; nil if the flow does not have its texts in it.
    func presentation(in language: String) -> FlowPresentation?
    /// Computes what the players' screens show in a state; nil if it does not depend on the data of any state. Several threads can
    /// call the function.
    var computeScreen: ((StateRecord) -> ShownScreen)? { get }
    /// Returns the possible mistakes in the flow's file, each with its position. `flow` is this flow without its types.
    func warnings(_ flow: AnyFlow) -> [String]
    var searchModel: SearchModel { get }
    /// What a machine without a seed draws from; nil for a flow that draws nothing.
    var drawScript: DrawScript? { get }
    /// Returns the chance after the draws that led to a state; nil in a search, and for a flow that draws nothing.
    func chance(of state: State) -> Chance?
}
