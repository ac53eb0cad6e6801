public import GameFlow

/// Surveys flows for the methods `describe` and `graph`. The server implements it with a thread, because a survey tries each state
/// with many samples.
public protocol FlowSurveyor: AnyObject {
    /// Makes sure that `flow.survey` is computed. Calls `done` on the loop's thread, immediately or later.
    func survey(_ flow: AnyFlow, _ done: @escaping () -> Void)
}
