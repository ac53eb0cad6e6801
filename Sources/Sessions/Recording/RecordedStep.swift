public import GameFlow

/// The recorded part of a step, and the details of the command that caused it.
///
/// This is a class, because the records of many sessions share one step. A reference to the object is cheaper than a copy of a
/// struct: the copy would retain each part of the step.
public final class RecordedStep: Equatable, Sendable {
    public let step: Step
    package let details: Change.Details?
    /// What the step did to the message on the session's screens.
    public let message: Change.MessageUpdate?

    package init(
        _ step: Step, details: Change.Details? = nil, message: Change.MessageUpdate? = nil
    ) {
        (self.step, self.details, self.message) = (step, details, message)
    }

    convenience init(_ change: Change) {
        self.init(change.step, details: change.details, message: change.message)
    }

    /// The step without what it did to the message.
    var withoutMessage: RecordedStep {
        message == nil ? self : RecordedStep(step, details: details)
    }

    /// What a record repeats of the session's newest change: its kind, event and source, and the state after it.
    var repeated: RecordedStep {
        RecordedStep(Step(step.kind, step.event, from: step.source, nil, step.to))
    }

    /// Compares the recorded parts of two steps.
    public static func == (a: RecordedStep, b: RecordedStep) -> Bool {
        if a === b { return true }
        guard a.message == b.message else { return false }
        let (a, b, hasSameDetails) = (a.step, b.step, a.details == b.details)
        return hasSameDetails && a.kind == b.kind && a.event == b.event
            && RecordedSource(a.source) == RecordedSource(b.source) && a.from == b.from
            && a.to == b.to && a.effects == b.effects && a.missed == b.missed
    }
}

/// The recorded form of a source. Two sources in this form are equal if their records are equal.
public struct RecordedSource: Equatable, Sendable {
    public let source: Source

    public init(_ source: Source) { self.source = source }

    public static func == (a: RecordedSource, b: RecordedSource) -> Bool {
        a.source == b.source
    }
}
