public import GameFlow
internal import Support

/// A step that a change of one session requests from another session. The change and the step are part of one transaction.
public struct LinkedStep {
    public enum Action {
        case send(event: String, [Member])
        /// Opens the session unless it is open. If `flow` is nil, the session plays the first flow of the catalog.
        case open(flow: String?)
    }

    public let target: SessionName
    public let action: Action
    /// The request id of the step. Because of this id, a repeated request does not make the step again.
    public let id: String
    /// The source of the step: the session that requests it, and the length of the chain of linked steps that ends
    /// with this step.
    public let source: Source

    /// A step that follows from `change`.
    public init(_ target: SessionName, _ action: Action, after change: Change, id: String) {
        (self.target, self.action, self.id) = (target, action, id)
        source = Source(
            .session, peer: .device(change.session.text),
            linkedSteps: min(change.step.source.linkedSteps, Source.linkedStepsLimit) + 1)
    }
}

/// Decides which steps follow from changes. Called on the sessions' thread.
public protocol SessionLinks: AnyObject {
    /// The steps that follow from a change, in order. This function must not call the sessions.
    func steps(after change: Change, of session: Session) -> [LinkedStep]
    /// Reports that the step's target refused it. `session` is the session that requested the step.
    func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError)
}

/// The linked steps that are not made yet.
struct LinkQueue {
    struct Waiting {
        let step: LinkedStep
        /// The session that requested the step.
        let origin: SessionName
    }

    var waiting = Deque<Waiting>()
    var isMakingSteps = false
}

extension Sessions {
    /// Adds the steps that follow from a change. `makeStepsOfLinkedSessions` makes them.
    func queueLinkedSteps(after change: Change, of session: Session) {
        guard let links, recording.outage == nil else { return }
        for step in links.steps(after: change, of: session) {
            linkQueue.waiting.append(LinkQueue.Waiting(step: step, origin: session.name))
        }
    }

    /// Called at the end of a call. Makes the steps that follow from the call's changes, then the steps that follow from the
    /// changes of these steps, and so on. Rows that are written before the next return to the event loop are stored together,
    /// so the call and these steps are one transaction.
    func makeStepsOfLinkedSessions() {
        guard !linkQueue.waiting.isEmpty, !linkQueue.isMakingSteps, !isRunning else { return }
        linkQueue.isMakingSteps = true
        defer { linkQueue.isMakingSteps = false }
        while let next = linkQueue.waiting.removeFirst() {
            do throws(RequestError) { try make(next.step) } catch {
                links?.refused(next.step, from: next.origin, error)
            }
        }
    }

    private func make(_ step: LinkedStep) throws(RequestError) {
        let context = RequestContext(from: step.source, id: step.id)
        switch step.action {
        case .open(let flowName):
            guard index[step.target] == nil else { return }
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
    /// The greatest number of linked steps in a chain, in which each follows from the one before, on one or more
    /// nodes.
    public static let linkedStepsLimit = 64
}

extension Source.Kind {
    /// A step of another session.
    public static let session = Source.Kind("session")
}
