import Glibc

/// Finds drop-ins of the systemd unit `gamed.service` that are not installed, although lines of the configuration need them.
/// Without drop-ins, the unit denies gamed access to the network and to all devices. `OptionsCheck` uses it for `--check`.
struct ServiceCheck {
    private let options: Options
    /// The text before each path that is checked: empty in the daemon, the path of a directory in tests.
    private let root: String

    init(_ options: Options, root: String = "") { (self.options, self.root) = (options, root) }

    /// The directories in which the unit can be installed.
    private static let unitDirectories = [
        "/etc/systemd/system", "/usr/local/lib/systemd/system", "/lib/systemd/system",
    ]
    /// The directories in which drop-ins of the unit can be installed.
    private static let dropInDirectories = unitDirectories + ["/run/systemd/system"]

    /// A sentence for each drop-in that is missing; empty if the unit is not installed.
    var notes: [String] {
        guard Self.unitDirectories.contains(where: { exists("\($0)/gamed.service") }) else {
            return []
        }
        return neededDropIns.filter { name in
            !Self.dropInDirectories.contains { exists("\($0)/gamed.service.d/\(name).conf") }
        }.map { name in
            "the systemd unit does not allow what `\(name)` needs: copy drop-ins/\(name).conf to "
                + "/etc/systemd/system/gamed.service.d"
        }
    }

    /// The names of the drop-ins that the lines need. The name of a drop-in is the word for which the drop-in is needed. The
    /// word is the kind of a connection, such as `mqtt`, or it is `http` or `run` from an `on` line.
    private var neededDropIns: [String] {
        var names = ConnectionLine.Kind.allCases.map(\.rawValue).filter { kind in
            options.connections.contains { $0.kind.rawValue == kind }
        }
        for line in options.outputLines {
            // An output to MQTT, OSC or a serial device uses a connection of `options.connections`.
            let name: String? =
                switch line.target {
                case .web: "http"
                case .program: "run"
                case .mqtt, .osc, .serial: nil
                }
            if let name, !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func exists(_ path: String) -> Bool { access("\(root)\(path)", F_OK) == 0 }
}
