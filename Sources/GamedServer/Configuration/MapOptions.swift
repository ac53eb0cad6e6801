/// The `map` lines, which map the values of devices to events.
struct MapOptions: OptionSection {
    /// The lines for Bluetooth devices.
    var devices = DeviceMaps()
    /// The lines for the inputs of the connections of the room.
    var inputs: [InputMap] = []

    static let table: [Option] = [
        Option(
            "map", value: MapDirective.form,
            "Send an event when a Bluetooth device reports this value.",
            details: """
                To send an event when the link to the device is lost or found, write `lost=EVENT` and `found=EVENT` in place of
                service, characteristic, value, event and debounce. To send an event for an input of a connection of the
                room, write \(inputForms) in place of device, service, characteristic and value.
                """,
            reader: .line { options, line, file, flows throws(ConfigurationError) in
                if let kind = InputMapDirective.kind(of: line) {
                    options.maps.inputs.append(
                        try InputMapDirective.read(kind, line, in: file, flows))
                } else {
                    options.maps.devices.maps.append(try MapDirective.read(line, in: file, flows))
                }
            },
            reload: {
                $0.maps.devices = $1.maps.devices
                $0.maps.inputs = $1.maps.inputs
            })
    ]

    /// The conditions of the lines for inputs, for a sentence.
    private static let inputForms = RoomKinds.alternatives(
        RoomKinds.connections.map { "\($0.word)=NAME \($0.pattern.form)" })
}

extension Options {
    var maps: MapOptions {
        get { self[MapOptions.self] }
        _modify { yield &self[MapOptions.self] }
    }
}
