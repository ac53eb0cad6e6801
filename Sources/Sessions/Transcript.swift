internal import GameFlow
internal import Timers

/// What machines did during one call, in order. A call is a request or the firing of a timer, together with the posted and
/// deferred events that follow.
struct Transcript {
    enum Occurrence {
        /// The machine of the session made a change.
        case changed(Session, Change)
        /// A beat of the session, in the form of a `Change` without a number of its own. `after` is the session's newest change
        /// before the beat. The list has the session's timers if the beats have a watcher; otherwise it is empty.
        indirect case beat(Session, Change, after: Change?, [LiveTimer])
        /// The refusal of a posted event or of a timer's signal. The error is the error that a sender would have received.
        case refused(Session, RefusedEvent)
        /// A timer's signal was handled or refused.
        indirect case fired(Session, signal: String)
    }

    private(set) var occurrences: [Occurrence] = []
    /// The number of changes among the occurrences.
    private(set) var changeCount = 0
    /// The details to store with the changes of the call, such as an operator's reason.
    private var details: Change.Details?

    /// Begins a call. The transcript of the previous call has been taken.
    mutating func begin(_ details: Change.Details?) { self.details = details }

    mutating func append(_ occurrence: Occurrence) {
        if case .changed = occurrence { changeCount += 1 }
        occurrences.append(occurrence)
    }

    /// Returns the details to store with the change that a step makes.
    func details(of step: borrowing Step) -> Change.Details? {
        // A machine drops a deferred event for a reason.
        if let why = step.why { return Change.Details(Change.StatedReason(why.name)) }
        guard let details else { return nil }
        if details.isOfFirstStep { return occurrences.isEmpty ? details : nil }
        return step.kind.has(.takesDetails) ? details : nil
    }

    /// Whether a machine of this session has been refused a posted event because the call made too many steps.
    func hasLimitRefusal(of session: Session) -> Bool {
        occurrences.reversed().contains {
            guard case .refused(let other, let refused) = $0, case .live(.limit) = refused.error
            else { return false }
            return other === session
        }
    }

    /// Removes and returns the change of a call that did nothing else; nil for any other call. Most calls make one change, which
    /// is moved out, because a copy would cost reference counting.
    mutating func takeOnlyChange() -> (session: Session, change: Change)? {
        guard occurrences.count == 1, changeCount == 1,
            case .changed(let session, let change)? = occurrences.popLast()
        else { return nil }
        changeCount = 0
        return (session, change)
    }

    /// Removes and returns the occurrences.
    mutating func take() -> [Occurrence] {
        changeCount = 0
        return exchange(&occurrences, with: [])
    }

    /// Lets the next call use the memory of a list that `take` has returned.
    mutating func reuse(_ list: consuming [Occurrence]) {
        guard occurrences.isEmpty else { return }
        list.removeAll(keepingCapacity: true)
        occurrences = list
    }
}
