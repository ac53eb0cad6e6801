internal import GameFlow
internal import Support

/// Converts a flow's refusal to an error with the data that a client needs.
extension Sessions {
    func explain(_ refusal: Reason, _ event: String, _ session: Session, _ source: Source)
        -> RequestError
    {
        let state = session.machine.place.state
        switch refusal.code {
        case .noTransition:
            return .noTransition(
                event: event, state: state, accepts: session.machine.accepts,
                last: session.last.map { LastChange($0) })
        case .invalid:
            return .invalid(.event(event), argument: refusal.subject, why: refusal.why)
        case .finished: return .finished(state: state)
        case .forbidden: return .forbidden(.event(event), source: source.kind, needs: .timer)
        case .unknownEvent:
            let names = session.flow.events.map(\.name)
            return .unknownEvent(event, didYouMean: DidYouMean.suggest(event, names))
        case .deferQueueFull: return .deferQueueFull(limit: AnyMachine.deferLimit)
        case .tooManyPosts: return .limit(which: "posts", limit: EventQueue.postLimit)
        case .hookRefused: return .hookRefused(hook: refusal.subject, why: refusal.why)
        case .unknownState:
            // An event does not contain a state's name. Only a selector that wrongly throws this error gets
            // here.
            return .invalid(.event(event), argument: "state", why: "unknown")
        }
    }

    /// Converts the refusal of a state that was requested by name.
    func explain(_ refusal: Reason, state: String, _ flow: AnyFlow) -> RequestError {
        switch refusal.code {
        case .unknownState:
            return .unknownState(state, didYouMean: DidYouMean.suggest(state, flow.stateNames))
        case .invalid:
            return .invalid(.state(state), argument: refusal.subject, why: refusal.why)
        case .noTransition, .finished, .forbidden, .unknownEvent, .deferQueueFull,
            .hookRefused, .tooManyPosts:
            // Only an `entering` that wrongly throws one of these errors gets here.
            return .invalid(.state(state), argument: "state", why: refusal.name)
        }
    }
}
