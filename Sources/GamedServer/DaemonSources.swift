import EventLoop
import RPC
import Sessions

/// The parts that send events to the sessions by themselves, or act on their changes: Bluetooth, the inputs and outputs
/// of the room, links between sessions.
final class DaemonSources {
    /// Nil if Bluetooth is off.
    let bluetooth: BluetoothSource?
    let room: RoomSource
    let outputs: RoomOutputs
    /// Marks sessions that stay in a state longer than usual; nil if the sessions are in shards, which have their own.
    let stuck: StuckMonitor?
    let links: RoomLinks
    /// Publishes the states of sessions to brokers; nil before `all`.
    private(set) var publisher: MQTTPublisher?
    private let router: ShardRouter?
    private let loop: LibeventLoop

    /// `requests` are those of a node whose sessions are in shards; nil if `sessions` has all of them.
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
        stuck = requests == nil ? StuckMonitor(sessions, on: loop) : nil
        stuck?.becameStuck = { [unowned outputs] in outputs.becameStuck($0) }
        links = RoomLinks(options, instance: instance) { [weak requests] in
            requests?.remoteShard($0, $1)
        }
        if requests == nil {
            outputs.add(OutputJournal(sessions))
            links.attach(sessions)
        }
    }

    /// The parts in the order in which a turn of the loop flushes them.
    func all(_ options: Options, _ sessions: Sessions, _ encoder: Encoder) -> [any EventSource] {
        let publisher = MQTTPublisher(options, sessions, room, encoder, router, on: loop)
        self.publisher = publisher
        return (bluetooth.map { [$0] } ?? []) + [publisher, room] + (stuck.map { [$0] } ?? [])
            + [outputs, links]
    }

    /// All devices and connections.
    var registry: any SourceRegistry {
        SourceList((bluetooth.map { [$0] } ?? []) + [room])
    }

    /// The changes that are not durable were rolled back.
    func rolledBack() {
        outputs.rolledBack()
        stuck?.rolledBack()
    }
}
