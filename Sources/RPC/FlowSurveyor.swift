public import GameFlow

/// Surveys flows for the methods `describe` and `graph`. The server implements it with a thread, because a survey tries each state
/// with many samples.
public protocol FlowSurveyor: AnyObject {
    /// Makes sure that `flow.survey` is computed. Calls `done` on the loop's thread, immediately or later.
    func survey(_ flow: AnyFlow, _ done: @escaping () -> Void)
    /// Makes sure that the rows of a flow file that the survey did not take were looked for, too, as a diagram needs it. Calls
    /// `done` on the loop's thread, immediately or later.
    func search(_ flow: AnyFlow, _ done: @escaping () -> Void)
}
