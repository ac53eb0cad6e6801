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

    public init(_ target: SessionName, _ action: Action, id: String) {
        (self.target, self.action, self.id) = (target, action, id)
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
        /// How many steps led to this one.
        let depth: Int
    }

    var waiting = Deque<Waiting>()
    var isFollowing = false
    /// The depth of the step that is being made; 0 outside of one.
    var depth = 0

    /// The greatest number of steps that follow from each other.
    static let limit = 64
}

extension Sessions {
    /// Adds the steps that follow from a change. `followLinks` makes them.
    func queueLinks(after change: Change, of session: Session) {
        guard let links, recording.outage == nil else { return }
        for step in links.steps(after: change, of: session) {
            linking.waiting.append(
                LinkQueue.Waiting(
                    step: step, origin: session.name, depth: linking.depth + 1))
        }
    }

    /// Makes the steps that follow from the changes of the call that ends here, and those that follow from these. Rows
    /// that are written without a return to the event loop are stored together, so all of this is one transaction.
    func followLinks() {
        guard !linking.waiting.isEmpty, !linking.isFollowing, !isRunning else { return }
        linking.isFollowing = true
        defer { (linking.isFollowing, linking.depth) = (false, 0) }
        while let next = linking.waiting.removeFirst() {
            linking.depth = next.depth
            do throws(RequestError) { try follow(next) } catch {
                links?.refused(next.step, from: next.origin, error)
            }
        }
    }

    private func follow(_ next: LinkQueue.Waiting) throws(RequestError) {
        let source = Source(.session, peer: .device(next.origin.text))
        let context = RequestContext(from: source, id: next.step.id)
        switch next.step.action {
        case .open(let name):
            guard index[next.step.target] == nil else { return }
            let flow = try name.map { name throws(RequestError) in try self.flow(name) } ?? flows[0]
            try checkDepth(next, "open", nil, source)
            _ = try open(next.step.target, flow, context)
        case .send(let event, let arguments):
            let session = try session(next.step.target)
            try checkDepth(next, event, session, source)
            try send(event, arguments, to: session, context)
        }
    }

    /// Refuses a step at the end of a chain that is too long, because it may have no end.
    private func checkDepth(
        _ next: LinkQueue.Waiting, _ event: String, _ session: Session?, _ source: Source
    ) throws(RequestError) {
        guard next.depth > LinkQueue.limit else { return }
        let error = RequestError.limit(which: "linkedSteps", limit: LinkQueue.limit)
        if let session {
            keepRefused(
                EventRecord(event, []), source, error, of: session, after: session.seq)
            publish()
        }
        throw error
    }
}

extension Source.Kind {
    /// A step of another session.
    public static let session = Source.Kind("session")
}
