import EventLoop
import RPC
import Sessions

/// The parts that send events to the sessions by themselves, or act on their changes: Bluetooth, the inputs and outputs
/// of the room, links between sessions.
struct DaemonSources {
    /// Nil if Bluetooth is off.
    let bluetooth: BluetoothSource?
    let room: RoomSource
    let outputs: RoomOutputs
    let links: RoomLinks

    /// `isFull` says whether inputs have to wait because the storage is behind.
    init(
        _ options: Options, _ sessions: Sessions, on loop: LibeventLoop, instance: String,
        _ isFull: @escaping () -> Bool
    ) throws {
        bluetooth = try options.bluetooth.map {
            try BluetoothSource(options, $0, sessions, on: loop)
        }
        room = RoomSource(options, sessions, on: loop, isFull: isFull)
        outputs = try RoomOutputs(options, sessions, room, on: loop, instance: instance)
        links = RoomLinks(options, sessions, instance: instance)
    }

    /// The parts in the order in which a turn of the loop flushes them.
    func all(_ options: Options, _ sessions: Sessions, _ encoder: Encoder) -> [any EventSource] {
        let publisher = MQTTPublisher(options, sessions, room, encoder)
        return (bluetooth.map { [$0] } ?? []) + [publisher, room, outputs, links]
    }
}
