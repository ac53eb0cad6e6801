internal import GameFlow

/// What statistics need of a version of a flow. It is read once for each version, because the flow may have to be built from the
/// text of a flow file.
struct PlayedVersion {
    let finals: Set<String>
    /// Nil for an unknown flow.
    let presentation: FlowPresentation?

    init(_ flow: AnyFlow?) {
        (finals, presentation) = (Set(flow?.finals ?? []), flow?.presentation)
    }
}

/// The titles of a flow and its states in the versions that were played.
struct PlayedTitles {
    /// The newest first.
    private let presentations: [FlowPresentation]

    init(_ presentations: [FlowPresentation]) { self.presentations = presentations }

    /// The title of the flow; nil if it has none.
    var flow: String? { presentations.lazy.compactMap(\.flow.title).first }

    /// The title of a state in the newest version that gives it one; nil without one.
    func state(_ name: String) -> String? {
        presentations.lazy.compactMap { $0.states[name]?.label.title }.first
    }
}
