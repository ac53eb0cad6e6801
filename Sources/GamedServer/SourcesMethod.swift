import BluetoothPart
import GameFlow
import JSONCoding
import RPC
import Room
import Sessions

/// The method `sources`, which shows the connections to devices, and the devices.
struct SourcesMethod: PartMethod {
    let method = Method.sources
    /// Nil if Bluetooth is off.
    private let bluetooth: BluetoothSource?
    private let room: RoomSource

    init(_ bluetooth: BluetoothSource?, _ room: RoomSource) {
        (self.bluetooth, self.room) = (bluetooth, room)
    }

    /// Writes the connections with their devices: the Bluetooth devices first, then those of the room. If the parameter `name` is
    /// given, writes only those with this name. The counts of events reveal changes of sessions, so the result waits until the
    /// newest row of the journal is durable.
    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let name = params.text(.name)
        let descriptions = (bluetooth?.sources(named: name) ?? []) + room.sources(named: name)
        if name != nil, descriptions.isEmpty {
            throw .invalidParams("name: no source has that name")
        }
        writer.object([Member("sources", .array(descriptions))])
        return .succeeded(row: dispatcher.sessions.newestRow)
    }
}
