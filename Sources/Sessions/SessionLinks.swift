public import GameFlow
internal import Support

/// A step that a change of one session requests from another session. The change and the step are part of one transaction.
public struct LinkedStep {
    public enum Action {
        /// Sends an event with arguments.
        case send(event: String, [Member])
        /// Opens the session unless it is open. If `flow` is nil, the session plays the first flow of the catalog.
        case open(flow: String?)
    }

    public let target: SessionName
    public let action: Action
    /// The request id of the step. If the same change requests the step a second time, the id is the same, and the target does
    /// not make the step again.
    public let id: String
    /// The source of the step. It names the session that requests the step. It also contains the length of the chain of linked
    /// steps that ends with this step.
    public let source: Source

    /// Creates a step that follows from `change`. `count` is the number of steps that follow from the change; they share the
    /// number of steps that the change may cause.
    public init(
        _ target: SessionName, _ action: Action, after change: Change, id: String, count: Int = 1
    ) {
        (self.target, self.action, self.id) = (target, action, id)
        // In a source of the kind `session`, the name of the session takes the place of a device's name. The length stops one
        // above the limit, where `checkLinkedStepLimit` refuses the step.
        source = Source(
            .session, peer: .device(change.session.text),
            linkedSteps: min(change.step.source.linkedSteps, Source.linkedStepsLimit) + 1,
            linkedShare: max(0, change.step.source.linkedShare - 1) / max(1, count))
    }

    /// The source with which the step is sent to a session of another owner. If no share is left, the other owner refuses the
    /// step, as it refuses a step of a chain that is too long.
    public var remoteSource: Source {
        source.linkedShare > 0
            ? source
            : Source(
                .session, peer: source.peer, linkedSteps: Source.linkedStepsLimit + 1,
                linkedShare: 0)
    }
}

/// Decides which steps follow from changes. Called on the sessions' thread.
public protocol SessionLinks: AnyObject {
    /// The steps that follow from a change, in order. This function must not call the sessions.
    func steps(after change: Change, of session: Session) -> [LinkedStep]
    /// Reports that the target of `step` refused the step. `session` is the session that requested the step.
    func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError)
}

/// The linked steps that are not made yet.
struct LinkQueue {
    struct WaitingStep {
        let step: LinkedStep
        /// The session that requested the step.
        let origin: SessionName
    }

    var waiting = Deque<WaitingStep>()
    /// Whether `makeStepsOfLinkedSessions` is running. That function makes calls, and these calls must not start it again.
    var isMakingSteps = false
    /// The number of steps that the present request or firing has caused in all sessions, with the events that steps posted.
    /// Counted once the first linked step waits.
    var stepCount = 0
    /// The maximum of `stepCount`: less than `EventQueue.postLimit` if another owner's session caused the request.
    var stepLimit = EventQueue.postLimit
    /// The sessions that were refused a step because `stepCount` had reached the limit. A session gets one such refusal.
    var refusedSessions: Set<SessionName> = []
}

extension Sessions {
    /// Queues the steps that follow from a change, until `makeStepsOfLinkedSessions` makes them. `callSteps` is the number of steps
    /// of the call that made the change.
    func queueLinkedSteps(after change: Change, of session: Session, callSteps: Int) {
        guard let links, recording.outage == nil else { return }
        for step in links.steps(after: change, of: session) {
            if linkQueue.waiting.isEmpty, !linkQueue.isMakingSteps {
                linkQueue.stepCount = callSteps
                linkQueue.stepLimit = max(
                    1, min(EventQueue.postLimit, change.step.source.linkedShare))
            }
            linkQueue.waiting.append(LinkQueue.WaitingStep(step: step, origin: session.name))
        }
    }

    /// Makes the queued steps, then the steps that follow from the changes of these steps, and so on. Each request and each
    /// firing of a timer calls this function at its end. All rows that are written before the next return to the event loop are
    /// stored in one transaction. The request or the firing is therefore in one transaction with these steps.
    ///
    /// A request or a firing, with all steps that follow from it, makes at most `EventQueue.postLimit` steps. Without this limit,
    /// steps that each cause two further steps would be 2^64 steps within the greatest length of a chain.
    func makeStepsOfLinkedSessions() {
        guard !linkQueue.waiting.isEmpty, !linkQueue.isMakingSteps, !isRunning else { return }
        linkQueue.isMakingSteps = true
        defer {
            queue.postBudget = EventQueue.postLimit
            linkQueue.refusedSessions = []
            linkQueue.isMakingSteps = false
        }
        while let next = linkQueue.waiting.removeFirst() {
            guard linkQueue.stepCount < linkQueue.stepLimit else {
                refuseBeyondLimit(next)
                continue
            }
            linkQueue.stepCount += 1
            queue.postBudget = linkQueue.stepLimit - linkQueue.stepCount
            do throws(RequestError) { try make(next.step, from: next.step.source) } catch {
                links?.refused(next.step, from: next.origin, error)
            }
        }
    }

    /// Refuses a step because too many steps were made, unless its target has been refused one already.
    private func refuseBeyondLimit(_ waiting: LinkQueue.WaitingStep) {
        let step = waiting.step
        guard linkQueue.refusedSessions.insert(step.target).inserted else { return }
        let error = RequestError.limit(which: "linkedSteps", limit: EventQueue.postLimit)
        if case .send(let event, let arguments) = step.action,
            let session = openSession(step.target)
        {
            refuse(EventRecord(event, arguments), from: step.source, error, of: session)
        }
        links?.refused(step, from: waiting.origin, error)
    }

    /// Whether the session has not been refused a posted event yet because the request or the firing has caused too many steps.
    func isFirstBeyondStepLimit(_ session: Session) -> Bool {
        if linkQueue.isMakingSteps {
            return linkQueue.refusedSessions.insert(session.name).inserted
        }
        return !transcript.hasLimitRefusal(of: session)
    }

    /// Makes a step, unless it was made before. `source` is the step's source, or its `remoteSource` if a session of another
    /// shard requests the step.
    package func make(_ step: LinkedStep, from source: Source) throws(RequestError) {
        let context = RequestContext(from: source, id: step.id)
        switch step.action {
        case .open(let flowName):
            guard openSession(step.target) == nil, try answer(to: context, of: step.target) == nil
            else {
                return
            }
            let flow =
                try flowName.map { name throws(RequestError) in try self.flow(name) } ?? flows[0]
            _ = try open(step.target, flow, context)
        case .send(let event, let arguments):
            try send(event, arguments, to: try session(step.target), context)
        }
    }

    /// Throws if the chain of linked steps that led to the request is too long: it may be endless.
    func checkLinkedStepLimit(_ source: Source) throws(RequestError) {
        guard source.linkedSteps > Source.linkedStepsLimit else { return }
        throw .limit(which: "linkedSteps", limit: Source.linkedStepsLimit)
    }
}

extension Source {
    /// The greatest length of a chain of linked steps, in which each step follows from the step before. The limit also applies
    /// to a chain through several nodes.
    public static let linkedStepsLimit = 64
}

extension Source.Kind {
    /// The kind of source of a linked step: another session.
    public static let session = Source.Kind("session")
}
