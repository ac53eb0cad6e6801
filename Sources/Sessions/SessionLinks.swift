public import GameFlow
internal import Support

/// A step that a change of one session asks of another: part of the same transaction.
public struct LinkedStep {
    public enum Action {
        case send(event: String, [Member])
        /// Opens the session unless it is open. Without a name, it plays the first flow.
        case open(flow: String?)
    }

    public let target: SessionName
    public let action: Action
    /// The id of the request, so that the step is made once.
    public let id: String
    /// The source of the step: the session that asks for it, and the length of the chain of steps that ends with this one.
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
    /// The steps that follow from a change, in order. It may not call the sessions.
    func steps(after change: Change, of session: Session) -> [LinkedStep]
    /// The other session did not take the step.
    func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError)
}

/// The linked steps that are not made yet.
struct LinkQueue {
    struct Waiting {
        let step: LinkedStep
        let origin: SessionName
    }

    var waiting = Deque<Waiting>()
    var isFollowing = false
}

extension Sessions {
    /// Adds the steps that follow from a change. `followLinks` makes them.
    func queueLinks(after change: Change, of session: Session) {
        guard let links, recording.outage == nil else { return }
        for step in links.steps(after: change, of: session) {
            linking.waiting.append(LinkQueue.Waiting(step: step, origin: session.name))
        }
    }

    /// Makes the steps that follow from the changes of the call that ends here, and those that follow from these. Rows
    /// that are written without a return to the event loop are stored together, so all of this is one transaction.
    func followLinks() {
        guard !linking.waiting.isEmpty, !linking.isFollowing, !isRunning else { return }
        linking.isFollowing = true
        defer { linking.isFollowing = false }
        while let next = linking.waiting.removeFirst() {
            do throws(RequestError) { try follow(next.step) } catch {
                links?.refused(next.step, from: next.origin, error)
            }
        }
    }

    private func follow(_ step: LinkedStep) throws(RequestError) {
        let context = RequestContext(from: step.source, id: step.id)
        switch step.action {
        case .open(let name):
            guard index[step.target] == nil else { return }
            let flow = try name.map { name throws(RequestError) in try self.flow(name) } ?? flows[0]
            _ = try open(step.target, flow, context)
        case .send(let event, let arguments):
            try send(event, arguments, to: try session(step.target), context)
        }
    }

    /// Refuses a step at the end of a chain that is too long, because it may have no end.
    func checkChain(_ source: Source) throws(RequestError) {
        guard source.linkedSteps > Source.linkedStepsLimit else { return }
        throw .limit(which: "linkedSteps", limit: Source.linkedStepsLimit)
    }
}

extension Source {
    /// The greatest number of steps of sessions that follow from each other, wherever these sessions are.
    public static let linkedStepsLimit = 64
}

extension Source.Kind {
    /// A step of another session.
    public static let session = Source.Kind("session")
}
