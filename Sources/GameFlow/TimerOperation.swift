public import Timers

/// An operator's command to a timer of a session's state.
public struct TimerOperation: Equatable, Sendable {
    /// The kinds of operations on a timer. To add a kind, add its case here and its implementation in `apply`. Also add its
    /// number in journals (`Sources/Sessions/Changes/OperateTimer.swift`). Scenarios, requests and the documentation
    /// are derived from the cases.
    public enum Action: String, Sendable, CaseIterable {
        case pause, resume
        /// Adds to the remaining time and to the total duration.
        case extend
        /// Starts the timer again with its full duration.
        case restart
        /// Subtracts from the remaining time and leaves at least a millisecond. A countdown with overtime has no such limit.
        case shorten
        /// Sets the remaining time; for a stopwatch, the time that it has spent.
        case set

        /// Whether the action needs a duration.
        public var needsDuration: Bool { self == .extend || self == .shorten || self == .set }
        /// Whether the action can apply to all timers of a state at once.
        public var mayApplyToAll: Bool { self == .pause || self == .resume }
    }

    /// The text that a request gives in place of a timer's name to operate all timers of a state.
    public static let all = "*"

    /// The reason for which an operation is not possible.
    public enum OperationError: Error {
        /// The state has no such live timer, only those with these names.
        case noTimer([String])
        /// Only `pause` and `resume` apply to all timers at once.
        case notToAll
        /// The timer has no end that could be extended, shortened or set. A mark cannot be operated at all.
        case noEnd(TimerKind)
        /// A timer cannot run longer than `Duration.longest`.
        case tooLong

        /// What clients and scenarios are told.
        public var sentence: String {
            switch self {
            case .noTimer(let names):
                let existing = names.isEmpty ? "none" : names.joined(separator: ", ")
                return "no such timer in this state; its timers: \(existing)"
            case .notToAll: return "only pause and resume apply to all timers at once"
            case .noEnd(let kind): return Self.noEndSentence(kind)
            case .tooLong: return "the time would be too long"
            }
        }

        private static func noEndSentence(_ kind: TimerKind) -> String {
            switch kind {
            case .when: "a mark stands and runs with its countdown"
            case .until: "a timer that fires at a time of day has no end to move"
            case .countdown, .pendulum, .stopwatch: "a \(kind.rawValue) has no end to move"
            }
        }
    }

    /// The signal that the timer sends, which is also the timer's name.
    public let fires: String
    public let action: Action
    /// For `extend` and `shorten`, the time that is added or subtracted. For `set`, the new remaining time. Nil for actions
    /// without a duration.
    public let by: Duration?

    public init(_ fires: String, _ action: Action, by: Duration? = nil) {
        (self.fires, self.action, self.by) = (fires, action, by)
    }

    /// Applies the operation to a timer; returns whether it changed anything.
    fileprivate func apply(to timer: LiveTimer, on queue: TimerQueue) throws(OperationError) -> Bool
    {
        let info = timer.info
        if info.kind == .when { throw .noEnd(.when) }
        switch action {
        case .pause:
            if info.isPaused { return false }
            queue.pause(timer.id, [])
        case .resume:
            if !info.isPaused { return false }
            queue.resume(timer.id)
        case .restart: queue.restart(timer.id)
        case .extend:
            guard info.kind == .countdown else { throw .noEnd(info.kind) }
            if by ?? .zero <= .zero { return false }
            guard queue.extend(timer.id, by: by ?? .zero) else { throw .tooLong }
        case .shorten:
            guard info.kind == .countdown else { throw .noEnd(info.kind) }
            // Otherwise the timer would get a new place in the order, and no change would say so.
            if info.remaining(shortenedBy: by ?? .zero) == info.remaining { return false }
            queue.shorten(timer.id, by: by ?? .zero)
        case .set:
            guard info.kind == .countdown || info.kind == .stopwatch else {
                throw .noEnd(info.kind)
            }
            let time = by ?? .zero
            if time > .longest { throw .tooLong }
            guard info.kind == .stopwatch else {
                if time == info.remaining { return false }
                queue.setRemaining(timer.id, to: time)
                return true
            }
            if max(time, .zero) == info.spent { return false }
            queue.setSpent(timer.id, to: time)
        }
        return true
    }
}

extension AnyMachine {
    /// Applies an operation to the timer of the present state that it names, or to all its timers. Returns whether it changed
    /// anything.
    public final func operate(_ operation: TimerOperation) throws(TimerOperation.OperationError)
        -> Bool
    {
        if operation.fires != TimerOperation.all {
            guard let timer = timer(operation.fires) else {
                throw .noTimer(liveTimers.map(\.fires))
            }
            return try operation.apply(to: timer, on: timerQueue)
        }
        switch operation.action {
        case .pause: return holdTimers()
        case .resume: return resumeTimers()
        case .extend, .restart, .shorten, .set: throw .notToAll
        }
    }

    /// Pauses all timers that run, and marks them as held.
    private func holdTimers() -> Bool {
        let running = operableTimers.filter { !$0.info.isPaused }
        for timer in running { timerQueue.pause(timer.id, .held) }
        return !running.isEmpty
    }

    /// Resumes the timers that are held, also those of the moments. If none is held, resumes the timers that an operator paused
    /// by name. What the flow paused, and what begins paused, waits for the flow or for an operator who names it.
    private func resumeTimers() -> Bool {
        let paused = operableTimers.filter { $0.info.isPaused }
        var resumed = paused.filter { $0.info.traits.contains(.held) }
        if moments.contains(where: \.isHeld) {
            setMoments(moments.map(\.resumed))
        } else if resumed.isEmpty {
            resumed = paused.filter { $0.info.traits.isDisjoint(with: .pausing) }
            if resumed.isEmpty { return false }
        }
        for timer in resumed { timerQueue.resume(timer.id) }
        return true
    }

    /// The timers that operations on all timers concern: a mark follows its countdown.
    private var operableTimers: [LiveTimer] { liveTimers.filter { $0.info.mark == nil } }
}
