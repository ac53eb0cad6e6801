import EventLoop
package import Parts
import Shell

/// The settings of the Bluetooth controller.
package struct BluetoothOptions: OptionSection {
    /// The Bluetooth controller; nil without Bluetooth.
    package var controller: ControllerLocation?
    /// The `map` lines about Bluetooth devices.
    package var maps = DeviceMaps()
    /// The file to which every Bluetooth packet is written; nil without one.
    package var btsnoop: String?

    package init() {}

    package static let table: [Option] = [
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

    package func contradictions(in options: Options) -> [Contradiction] {
        guard btsnoop != nil, controller == nil else { return [] }
        return [Contradiction("btsnoop", and: ["bluetooth"], "--btsnoop requires --bluetooth")]
    }
}

extension Options {
    package var bluetooth: BluetoothOptions {
        get { self[BluetoothOptions.self] }
        _modify { yield &self[BluetoothOptions.self] }
    }
}

extension OptionValue {
    /// Whether the path of a controller's UNIX socket is short enough; true for other locations.
    package static func socketPathFits(_ location: ControllerLocation) -> Bool {
        guard case .unix(let path) = location else { return true }
        return SocketAddress(path: path) != nil
    }
}
