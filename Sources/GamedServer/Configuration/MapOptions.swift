import BluetoothPart
import Parts
import Room

/// The `map` lines, which map the values of devices to events. The lines about Bluetooth devices are in `BluetoothOptions`, those
/// about the connections of the room in `RoomOptions`.
struct MapOptions: OptionSection {
    static let table: [Option] = [
        Option(
            "map", value: MapDirective.form,
            "Send an event when a Bluetooth device reports this value.",
            details: """
                To send an event when the link to the device is lost or found, write `lost=EVENT` and `found=EVENT` in place of
                service, characteristic, value, event and debounce. To send an event for an input of a connection of the
                room, write \(inputForms) in place of device, service, characteristic and value. Such a line can have `id=TEMPLATE`, by which a repeated
                input is recognized, and in `args` a number times a factor, such as `$1*100`.
                """,
            reader: .line { options, line, file, flows throws(ConfigurationError) in
                if let kind = InputMapDirective.kind(of: line) {
                    options.room.inputs.append(
                        try InputMapDirective.read(kind, line, in: file, flows))
                } else {
                    options.bluetooth.maps.maps.append(try MapDirective.read(line, in: file, flows))
                }
            },
            reload: {
                $0.bluetooth.maps = $1.bluetooth.maps
                $0.room.inputs = $1.room.inputs
            })
    ]

    /// The conditions of the lines for inputs, for a sentence.
    private static let inputForms = RoomKinds.alternatives(
        RoomKinds.connections.map { "\($0.word)=NAME \($0.pattern.form)" })
}
