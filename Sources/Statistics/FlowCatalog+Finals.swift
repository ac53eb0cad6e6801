internal import GameFlow
package import Sessions

extension FlowCatalog {
    /// The final states of a version of a flow. If its text is not known, those of the newest version.
    package func finals(of version: FlowVersion) -> Set<String> {
        let choice = FlowChoice(version.flow, sourceVersion: version.sourceVersion, settings: [])
        let flow = (try? self.flow(choice)) ?? newest(version.flow)
        return Set(flow?.finals ?? [])
    }
}
