package import EventLoop
package import Parts
package import RPC
package import Sessions

/// The objects that all shards of a daemon share.
package struct ShardEnvironment {
    package let loop: LibeventLoop
    /// A reload replaces them for the shards that are restored later.
    package var options: Options
    /// The flows that the sessions play.
    package let library: FlowLibrary
    /// Draws the diagrams of flows for clients.
    package let diagramDrawer: GraphvizDrawer
    /// What the method `hello` tells clients about this daemon.
    package let identity: Dispatcher.ServerIdentity
    /// The clients and lanes whose output is written at the end of the turn.
    package let schedule: OutputSchedule
    /// The shards whose `endTurn` must be called before the loop sleeps.
    package let busyShards: BusyShards
    /// The counts for the metrics.
    package let counts: SessionCounts
    /// Logs whether the storage of the shards works.
    let storageReport = StorageReport()

    package init(
        loop: LibeventLoop, options: Options, library: FlowLibrary, diagramDrawer: GraphvizDrawer,
        identity: Dispatcher.ServerIdentity, schedule: OutputSchedule, busyShards: BusyShards,
        counts: SessionCounts = SessionCounts()
    ) {
        self.counts = counts
        (
            self.loop, self.options, self.library, self.diagramDrawer, self.identity, self.schedule,
            self.busyShards
        ) = (loop, options, library, diagramDrawer, identity, schedule, busyShards)
    }
}
