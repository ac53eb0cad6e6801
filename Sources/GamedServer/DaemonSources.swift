import EventLoop
import RPC
import Sessions

/// The parts of the daemon that send events to the sessions or act on the changes of sessions: Bluetooth, the inputs and
/// outputs of the room, links between sessions.
final class DaemonSources {
    /// Nil if Bluetooth is off.
    let bluetooth: BluetoothSource?
    let room: RoomSource
    let outputs: RoomOutputs
    /// Marks sessions that stay in a state longer than usual; nil with shards: each shard has its own monitor.
    let stuckMonitor: StuckMonitor?
    let links: RoomLinks
    /// Publishes the states of sessions to brokers; nil until `makeEventSources` is called.
    private(set) var publisher: MQTTPublisher?
    private let router: ShardRouter?
    private let loop: LibeventLoop

    /// `requests` sends events to sessions in shards, perhaps on other nodes; it is nil if `sessions` has all sessions.
    init(
        _ options: Options, _ sessions: Sessions, _ sender: any DeviceEventSender,
        _ requests: NodeRequests?, on loop: LibeventLoop, instance: String
    ) throws {
        (router, self.loop) = (requests?.router, loop)
        bluetooth = try options.bluetooth.map {
            try BluetoothSource(options, $0, sessions, sender, on: loop)
        }
        room = RoomSource(options, sender, on: loop) { [unowned sessions] in sessions.now }
        outputs = try RoomOutputs(options, room, on: loop, instance: instance, requests)
        stuckMonitor = requests == nil ? StuckMonitor(sessions, on: loop) : nil
        stuckMonitor?.becameStuck = { [unowned outputs] in outputs.becameStuck($0) }
        links = RoomLinks(options, instance: instance) { [weak requests] in
            requests?.shardIfDifferent($0, $1)
        }
        if requests == nil {
            outputs.add(OutputJournal(sessions))
            links.attach(sessions)
        }
    }

    /// Creates the publisher. Returns all parts in the order in which a turn of the loop flushes them.
    func makeEventSources(
        _ options: Options, _ sessions: Sessions, _ encoder: Encoder
    ) -> [any EventSource] {
        let publisher = MQTTPublisher(options, sessions, room, encoder, router, on: loop)
        self.publisher = publisher
        return (bluetooth.map { [$0] } ?? []) + [publisher, room]
            + (stuckMonitor.map { [$0] } ?? []) + [outputs, links]
    }

    /// The devices and connections of Bluetooth and of the room, for the method that lists them.
    var sourceRegistry: any SourceRegistry {
        SourceList((bluetooth.map { [$0] } ?? []) + [room])
    }

    /// Called when changes that are not durable were rolled back. The outputs and the stuck monitor then drop these changes.
    func rolledBack() {
        outputs.rolledBack()
        stuckMonitor?.rolledBack()
    }
}
