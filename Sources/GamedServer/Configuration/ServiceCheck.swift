import Glibc

/// Finds drop-ins of the systemd unit that are not installed, although lines of the configuration need them. The unit alone
/// denies access to the network and to all devices.
struct ServiceCheck {
    private let options: Options
    /// The root of the file system, which tests replace.
    private let root: String

    init(_ options: Options, root: String = "") { (self.options, self.root) = (options, root) }

    /// The directories in which the unit can be installed.
    private static let unitDirectories = [
        "/etc/systemd/system", "/usr/local/lib/systemd/system", "/lib/systemd/system",
    ]
    /// The directories in which drop-ins of the unit can be installed.
    private static let dropInDirectories = unitDirectories + ["/run/systemd/system"]

    /// A sentence for each drop-in that is missing; none without an installed unit.
    var notes: [String] {
        guard Self.unitDirectories.contains(where: { exists("\($0)/gamed.service") }) else {
            return []
        }
        return neededDropIns.filter { kind in
            !Self.dropInDirectories.contains { exists("\($0)/gamed.service.d/\(kind).conf") }
        }.map { kind in
            "the systemd unit does not allow what `\(kind)` needs: copy drop-ins/\(kind).conf to "
                + "/etc/systemd/system/gamed.service.d"
        }
    }

    /// The names of the drop-ins that the lines need, such as `mqtt` or `http`.
    private var neededDropIns: [String] {
        var kinds = ConnectionLine.Kind.allCases.map(\.rawValue).filter { kind in
            options.connections.contains { $0.kind.rawValue == kind }
        }
        for line in options.outputLines {
            let kind: String? =
                switch line.target {
                case .web: "http"
                case .program: "run"
                case .mqtt, .osc, .serial: nil
                }
            if let kind, !kinds.contains(kind) { kinds.append(kind) }
        }
        return kinds
    }

    private func exists(_ path: String) -> Bool { access("\(root)\(path)", F_OK) == 0 }
}
