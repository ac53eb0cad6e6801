public import GameFlow

/// What is written down of a step, and of the order that led to it.
///
/// A class: the same step is in the records of many sessions, and a copy would count the references to all that is in it.
public final class RecordedStep: Equatable, Sendable {
    public let step: Step
    public let order: Change.Order?

    public init(_ step: Step, order: Change.Order? = nil) {
        (self.step, self.order) = (step, order)
    }

    convenience init(_ change: Change) { self.init(change.step, order: change.order) }

    /// The same as the last change, of which it does not matter any more how late its timer was.
    var asLast: RecordedStep {
        guard step.missed > 0 else { return self }
        return RecordedStep(
            Step(
                step.kind, step.event, from: step.source, step.from, step.to,
                effects: step.effects, isBeat: step.isBeat, why: step.why), order: order)
    }

    /// Whether the same was done; what is not written down of a step does not count.
    public static func == (a: RecordedStep, b: RecordedStep) -> Bool {
        if a === b { return true }
        let (a, b, isSameOrder) = (a.step, b.step, a.order == b.order)
        return isSameOrder && a.kind == b.kind && a.event == b.event
            && RecordedSource(a.source) == RecordedSource(b.source) && a.from == b.from
            && a.to == b.to && a.effects == b.effects && a.missed == b.missed
    }
}

/// A source as it is written down. Two are equal if the same is written of both.
public struct RecordedSource: Equatable, Sendable {
    public let source: Source

    public init(_ source: Source) { self.source = source }

    public static func == (a: RecordedSource, b: RecordedSource) -> Bool {
        let (a, b) = (a.source, b.source)
        return a === b || (a.kind == b.kind && a.peer == b.peer && a.principal == b.principal)
    }
}
