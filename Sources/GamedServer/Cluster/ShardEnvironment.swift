import EventLoop
import GameFlow
import Journal
import PostgresStore
import RPC
import Sessions
import Statistics
import Timers

/// The objects that all shards of a node share.
struct ShardEnvironment {
    let loop: LibeventLoop
    let options: Options
    /// The flows that the sessions play.
    let library: FlowLibrary
    /// Draws the diagrams of flows for clients.
    let diagramDrawer: GraphvizDrawer
    /// What the method `hello` tells clients about this daemon.
    let identity: Dispatcher.ServerIdentity
    /// Sends outputs to devices and programs.
    let outputs: RoomOutputs
    /// A time for each `on` line about another session: the line is not applied to changes before this time.
    let lineTimes: LineTimes
    /// Applies the `on` lines that open other sessions or send events to other sessions.
    let links: RoomLinks
    /// Publishes the states of sessions to MQTT brokers; nil if no broker is configured.
    let publisher: MQTTPublisher?
    /// The sessions of the configuration. Each is opened by the node that owns its shard.
    var startSessions: StartSessions
    /// How long visits to states lasted, in the sessions of all shards that this node owns or owned.
    let visitTimes: VisitTimes
    /// The reads of whole journals by the shards' `StuckMonitor`s.
    let journalReads = JournalReadQueue()
    /// The shards whose `ShardHost.endTurn` must be called before the loop sleeps.
    let busyShards = BusyShards()
    /// The time by which the database's clock is ahead of the loop's clock.
    let clockOffset: () -> Duration
    /// Whether this node's lease of the shard can be trusted at this moment.
    let isTrusted: (Int) -> Bool
    /// The format of new rows, which every node of the store can read.
    let rowFormat: () -> RowFormat
    /// The number of shards of the store.
    let shardCount: Int
    /// Logs that the storage of a shard failed, or that it works again.
    let reportStorage: (_ works: Bool, _ sentence: String) -> Void

    init(
        _ options: Options, _ library: FlowLibrary, _ diagramDrawer: GraphvizDrawer,
        _ identity: Dispatcher.ServerIdentity, _ leases: ShardLeases, _ outputs: RoomOutputs,
        _ lineTimes: LineTimes, _ links: RoomLinks, _ publisher: MQTTPublisher?,
        on loop: LibeventLoop
    ) {
        self.lineTimes = lineTimes
        (self.outputs, self.links, self.publisher) = (outputs, links, publisher)
        (self.options, self.library, self.diagramDrawer, self.identity) = (
            options, library, diagramDrawer, identity
        )
        (self.loop, shardCount, startSessions) = (loop, leases.shardCount, StartSessions(options))
        let catalog = library.catalog
        visitTimes = VisitTimes { catalog.finals(of: $0) }
        clockOffset = { [unowned leases] in leases.clockOffset ?? .zero }
        isTrusted = { [unowned leases] in leases.isTrusted($0) }
        rowFormat = { [unowned leases] in StoreCodec.format(of: leases.codec) }
        let report = StorageReport()
        reportStorage = { report.write($1, isWorking: $0) }
    }

    func shard(of session: SessionName) -> Int { ShardMap.shard(of: session, shards: shardCount) }
}
