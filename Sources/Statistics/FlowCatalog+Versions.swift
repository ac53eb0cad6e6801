package import GameFlow
package import Sessions

extension FlowCatalog {
    /// A version of a flow, with its own settings. If its text is not known, the newest version; nil if the flow is unknown.
    package func flow(of version: FlowVersion) -> AnyFlow? {
        let choice = FlowChoice(version.flow, sourceVersion: version.sourceVersion, settings: [])
        return (try? self.flow(choice)) ?? newest(version.flow)
    }

    /// The final states of a version of a flow. If its text is not known, those of the newest version.
    package func finals(of version: FlowVersion) -> Set<String> {
        Set(flow(of: version)?.finals ?? [])
    }
}
