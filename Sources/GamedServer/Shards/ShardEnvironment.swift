import EventLoop
import RPC
import Sessions

/// The objects that all shards of a daemon share.
struct ShardEnvironment {
    let loop: LibeventLoop
    /// A reload replaces them for the shards that are restored later.
    var options: Options
    /// The flows that the sessions play.
    let library: FlowLibrary
    /// Draws the diagrams of flows for clients.
    let diagramDrawer: GraphvizDrawer
    /// What the method `hello` tells clients about this daemon.
    let identity: Dispatcher.ServerIdentity
    /// The clients and lanes whose output is written at the end of the turn.
    let schedule: OutputSchedule
    /// The shards whose `endTurn` must be called before the loop sleeps.
    let busyShards: BusyShards
    /// Logs whether the storage of the shards works.
    let storageReport = StorageReport()
}
