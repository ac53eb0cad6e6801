public import GameFlow

extension Sessions {
    /// A state and data that a flow's `entering` refuses, and in which a session is: a mistake of the
    /// flow's author that loses the session at the next restart.
    public struct Unrestorable: Equatable, Sendable {
        public let session: SessionName
        public let flow: String
        public let place: StateRecord
        public let why: Reason

        /// For a log.
        public var sentence: String {
            "session \(session.text) would be lost at a restart: flow \(flow) refuses to enter "
                + "\(place.state) with \(Value.object(place.data)): \(why.sentence)"
        }
    }

    /// Asks the flow whether the session could be restored as it is now, if anybody wants to know.
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
