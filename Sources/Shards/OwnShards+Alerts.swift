package import Parts

/// The alert that the journal cannot be written.
extension OwnShards: AlertedState {
    package func update(_ alerts: AlertBoard) {
        alerts.set(
            .storage, "journal",
            outage.map { "The journal cannot be written: \($0). Changes are refused." })
    }
}
