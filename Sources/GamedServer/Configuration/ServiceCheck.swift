import BluetoothPart
import Connections
import Glibc
import Net
import Parts
import Room
import Shards
import Shell

/// Finds what the configuration needs and the systemd unit of the service does not allow. Without drop-ins, the unit denies
/// gamed access to the network and to all devices, and its user cannot read files of root. `OptionsCheck` uses it for
/// `--check`.
struct ServiceCheck {
    private let options: Options
    private let unit: ServiceUnit
    /// The service that reads the configuration; gamed itself if it is the file of no service.
    private let service: ServiceName
    /// Whether this process is root's, which can read files that the service cannot read.
    private let isRoot: Bool

    /// Nil if the unit is not installed. `root` is the text before each path of a unit: empty in the daemon, the path of a directory
    /// in tests.
    init?(_ options: Options, root: String = "", isRoot: Bool = geteuid() == 0) {
        service = options.service ?? .main
        guard let unit = ServiceUnit(service, root: root) else { return nil }
        (self.options, self.unit, self.isRoot) = (options, unit, isRoot)
    }

    /// A sentence for each thing that the unit does not allow.
    var notes: [String] {
        needs.filter { !$0.isAllowed(unit) }.map { need in
            "the systemd unit does not allow what `\(need.word)` needs: copy "
                + "drop-ins/\(need.dropIn).conf to /etc/systemd/system/\(service.text).service.d"
        } + closedAddresses + unreadableFiles + missingCredentials
    }

    /// The network addresses that the daemon opens itself, with the names of their options. Socket units open the others.
    private var ownAddresses: [(option: String, address: Address)] {
        let all = [
            ("http", "http", options.web.addresses), ("listen", "lines", options.network.listen),
            ("metrics", "metrics", options.metrics.addresses),
        ]
        return all.flatMap { option, use, addresses in
            addresses.filter { $0.isNetwork && !unit.isPassed($0.text, use) }.map { (option, $0) }
        }
    }

    /// What the options need of the unit.
    private var needs: [ServiceNeed] {
        var needs: [ServiceNeed] = []
        if let first = ownAddresses.first {
            needs.append(.network(first.option, dropIn: "web"))
        }
        if let database = options.store.database, PostgresHosts(database).needNetwork {
            needs.append(.network("store", dropIn: "postgresql"))
        }
        if case .tcp? = options.bluetooth.controller {
            needs.append(.network("bluetooth", dropIn: "bluetooth"))
        }
        for kind in RoomKinds.connections
        where options.room.connections.contains(where: { $0.word == kind.word }) {
            needs.append(kind.serviceNeed)
        }
        needs += options.room.outputLines.flatMap { type(of: $0.target).serviceNeeds }
        var words: Set<String> = []
        return needs.filter { words.insert($0.word).inserted }
    }

    /// A note if other machines are to connect, and the unit lets no packet of theirs through. They get no answer then.
    private var closedAddresses: [String] {
        guard unit.hasNetwork, unit.allowsAddresses(beyondLoopback: false),
            !unit.allowsAddresses(beyondLoopback: true)
        else { return [] }
        return ownAddresses.first { !$0.address.isLocal }.map { _, address in
            [
                "the systemd unit lets only this machine connect to \(address.text): "
                    + "add the addresses of the network to IPAddressAllow="
            ]
        } ?? []
    }

    /// A note for each file that this process can read, but not the user of the service.
    private var unreadableFiles: [String] {
        guard isRoot, unit.hasOwnUser, !unit.hasNamedGroup else { return [] }
        return options.namedFiles.filter { path in
            var status = stat()
            return !ServiceCredential.isMissing(path) && stat(path, &status) == 0
                && status.st_mode & S_IROTH == 0 && status.st_uid == 0
        }.map {
            "the user of the systemd unit cannot read \($0): pass it with LoadCredential=NAME:\($0), and "
                + "write credential:NAME in the configuration"
        }
    }

    /// A note for each credential that this process does not have. The unit may pass it to the service.
    private var missingCredentials: [String] {
        options.namedFiles.filter(ServiceCredential.isMissing).compactMap { text in
            guard let name = ServiceCredential.name(in: text), !unit.hasCredential(name) else {
                return nil
            }
            return "the systemd unit has no LoadCredential=\(name):FILE for \(text)"
        }
    }
}

/// The hosts in the URL of a database.
private struct PostgresHosts {
    private let hosts: [Substring]

    /// The hosts are the parts of `HOST[:PORT],…` between the user and the path. A path as a host is percent-encoded, or is
    /// the parameter `host`.
    init(_ url: String) {
        guard let scheme = url.firstRange(of: "://") else {
            hosts = []
            return
        }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let names = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
        hosts = (names ?? authority).split(separator: ",")
    }

    /// Whether one of the hosts is reached over the network, and not at a UNIX socket.
    var needNetwork: Bool { hosts.contains { !$0.lowercased().hasPrefix("%2f") } }
}
