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
    /// Marks sessions that stay in a state longer than usual.
    let stuck: StuckMonitor
    let links: RoomLinks

    /// `requests` are those of a node whose sessions are in shards; nil if `sessions` has all of them.
    init(
        _ options: Options, _ sessions: Sessions, _ sender: any DeviceEventSender,
        _ requests: NodeRequests?, on loop: LibeventLoop, instance: String
    ) throws {
        bluetooth = try options.bluetooth.map {
            try BluetoothSource(options, $0, sessions, sender, on: loop)
        }
        room = RoomSource(options, sender, on: loop) { [unowned sessions] in sessions.now }
        outputs = try RoomOutputs(options, room, on: loop, instance: instance, requests)
        stuck = StuckMonitor(sessions, on: loop)
        stuck.becameStuck = { [unowned outputs] in outputs.becameStuck($0) }
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
        let publisher = MQTTPublisher(options, sessions, room, encoder)
        return (bluetooth.map { [$0] } ?? []) + [publisher, room, stuck, outputs, links]
    }

    /// All devices and connections.
    var registry: any SourceRegistry {
        SourceList((bluetooth.map { [$0] } ?? []) + [room])
    }

    /// The changes that are not durable were rolled back.
    func rolledBack() {
        outputs.rolledBack()
        stuck.rolledBack()
    }
}
