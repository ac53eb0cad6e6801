import Shell

/// The settings of the Bluetooth controller.
struct BluetoothOptions: OptionSection {
    /// The Bluetooth controller; nil without Bluetooth.
    var controller: ControllerLocation?
    /// The file to which every Bluetooth packet is written; nil without one.
    var btsnoop: String?

    static let table: [Option] = [
        Option(
            "bluetooth", value: "sim:FILE|hci:unix:PATH|hci:tcp:HOST:PORT",
            "Use the Bluetooth devices of a scenario file, or of a controller at a socket.",
            details: """
                A controller at a socket is an adapter behind `bumble-hci-bridge`. If it does not answer, gamed tries again.
                """,
            reader: .location(after: ["sim:", "hci:unix:"]) {
                options, value, _ throws(UsageError) in
                guard let location = ControllerLocation(value),
                    OptionValue.socketPathFits(location)
                else {
                    throw UsageError(
                        "expected sim:FILE, hci:unix:PATH or hci:tcp:HOST:PORT, whose host is a number or localhost"
                    )
                }
                options.bluetooth.controller = location
            }),
        Option(
            "btsnoop", value: "FILE", "Write every Bluetooth packet to this file, for tshark(1).",
            details: "Requires `--bluetooth`. Each start overwrites the file.",
            reader: .path(\.bluetooth.btsnoop)),
    ]

    func check(in options: Options) throws(CombinationError) {
        if btsnoop != nil, controller == nil {
            throw CombinationError("btsnoop", "--btsnoop requires --bluetooth")
        }
    }
}

extension Options {
    var bluetooth: BluetoothOptions {
        get { self[BluetoothOptions.self] }
        _modify { yield &self[BluetoothOptions.self] }
    }
}
