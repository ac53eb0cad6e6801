package import GameFlow
package import Sessions

extension FlowCatalog {
    /// Returns a version of a flow, with the default settings. If the text of that version is not known, returns the newest
    /// version; nil if the flow is unknown.
    package func flow(of version: FlowVersion) -> AnyFlow? {
        let choice = FlowChoice(version.flow, sourceVersion: version.sourceVersion, settings: [])
        return (try? self.flow(choice)) ?? newest(version.flow)
    }

    /// Returns the final states of a version of a flow. If the text of that version is not known, returns the final states of
    /// the newest version.
    package func finals(of version: FlowVersion) -> Set<String> {
        Set(flow(of: version)?.finals ?? [])
    }

    /// Returns the names of the events that a version of a flow calls hints. If the text of that version is not known, the
    /// newest version decides.
    package func hintEvents(of version: FlowVersion) -> Set<String> {
        let events = flow(of: version)?.presentation.events ?? [:]
        return Set(events.filter(\.value.offer.isHint).keys)
    }
}
