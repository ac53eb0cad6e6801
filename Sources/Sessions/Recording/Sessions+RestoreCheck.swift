public import GameFlow

extension Sessions {
    /// A session whose present state and data its flow's `entering` refuses. This is a fault of the flow that
    /// makes the session unrestorable at the next restart.
    public struct Unrestorable: Equatable, Sendable {
        public let session: SessionName
        public let flow: String
        public let place: StateRecord
        public let why: Reason

        /// The sentence for the log.
        public var sentence: String {
            "session \(session.text) would be lost at a restart: flow \(flow) refuses to enter "
                + "\(place.state) with \(Value.object(place.data)): \(why.sentence)"
        }
    }

    /// Checks whether the session could be restored in its present state, if there is a handler for the result.
    func checkRestoring(_ session: Session, after change: Change) {
        guard let unrestorable else { return }
        switch change.step.kind {
        case .defer, .drop, .timer, .close: return
        case .open, .enter, .keep, .goto: break
        }
        guard let place = change.step.to, let why = session.flow.obstacle(toRestoring: place) else {
            return
        }
        unrestorable(
            Unrestorable(session: session.name, flow: session.flow.name, place: place, why: why))
    }
}
