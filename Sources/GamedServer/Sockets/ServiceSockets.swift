import Glibc
import Net
import Support

/// The listening sockets that the service manager has passed to this process: sockets of its units, and sockets that the daemon
/// opened in an earlier run and that the service manager has kept since. An embedded daemon has none: they belong to the program.
final class ServiceSockets {
    /// What a socket is for. The raw value is the name that the unit gives it with `FileDescriptorName=`.
    enum Kind: String, CaseIterable {
        case unix, lines, http, metrics

        /// The name of the option with the addresses of this kind.
        var option: String {
            switch self {
            case .unix: "socket"
            case .lines: "listen"
            case .http: "http"
            case .metrics: "metrics"
            }
        }
    }

    /// A mistake in the unit that passes the sockets, for an administrator.
    struct UnitError: DescribedError {
        let why: String
    }

    /// A socket that the service manager has passed.
    struct Received {
        let kind: Kind
        let socket: PassedSocket
        /// The name with which the service manager has passed it.
        let name: String

        /// Whether the daemon has opened the socket in an earlier run. Its file, if it has one, then belongs to the daemon.
        var isStored: Bool { name.hasPrefix(ServiceSockets.storedPrefix) }
    }

    private var entries: [Received] = []
    /// The service manager that keeps sockets.
    private let manager: ServiceManager

    private static let storedPrefix = "stored-"

    /// Takes over the sockets that the manager has passed. Throws if one of them has an unknown name, or is
    /// not a listening socket.
    init(_ manager: ServiceManager) throws(UnitError) {
        self.manager = manager
        let passed = manager.takePassedDescriptors()
        // Sockets of units come first: a stored socket at the same address is not needed beside them.
        let isStored = { (name: String) in name.hasPrefix(Self.storedPrefix) }
        for (name, descriptor) in passed.filter({ !isStored($0.name) })
            + passed.filter({ isStored($0.name) })
        {
            try add(name, descriptor)
        }
    }

    private func add(_ name: String, _ descriptor: Int32) throws(UnitError) {
        let isStored = name.hasPrefix(Self.storedPrefix)
        let kindName =
            isStored
            ? name.dropFirst(Self.storedPrefix.count).prefix { $0 != "-" } : Substring(name)
        guard let kind = Kind(rawValue: String(kindName)) else {
            let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw UnitError(
                why: "the service manager passes a socket with the name \(name); "
                    + "FileDescriptorName= must be one of \(names)")
        }
        let socket: PassedSocket
        do throws(PassedSocket.SocketError) { socket = try PassedSocket(descriptor) } catch {
            throw UnitError(why: "what the service manager passes as \(name) \(error.why)")
        }
        guard socket.address.isNetwork ? kind != .unix : kind != .lines else {
            throw UnitError(
                why: "the service manager passes \(socket.address.text) as \(name): "
                    + "a socket for \(kind.rawValue) is \(kind == .unix ? "a UNIX" : "a network") socket"
            )
        }
        let entry = Received(kind: kind, socket: socket, name: name)
        let isKnown = entries.contains { $0.kind == kind && $0.socket.address == socket.address }
        if isKnown { discard(entry) } else { entries.append(entry) }
    }

    /// Closes a socket that is not used, and lets the service manager forget it.
    private func discard(_ entry: Received) {
        close(entry.socket.descriptor)
        if entry.isStored { manager.removeStored(named: entry.name) }
    }

    /// Whether a socket of this kind was passed and not taken.
    func has(_ kind: Kind) -> Bool { entries.contains { $0.kind == kind } }

    /// Returns the socket that is bound to an address, if one was passed for this kind. The caller then owns it. Discards a stored
    /// socket whose file is gone, because nobody can connect to it.
    func take(_ kind: Kind, boundTo address: Address) -> Received? {
        guard
            let index = entries.firstIndex(where: {
                $0.kind == kind && $0.socket.isBound(to: address)
            })
        else { return nil }
        let entry = entries.remove(at: index)
        if entry.isStored, case .unix(let path) = address, !UnixSocket.hasFile(path) {
            discard(entry)
            return nil
        }
        return entry
    }

    /// Returns the sockets of units that no option has named. The caller then owns them. Closes stored sockets that no option
    /// names any more, and removes their files.
    func takeRest(_ kind: Kind) -> [PassedSocket] {
        let rest = entries.filter { $0.kind == kind }
        entries.removeAll { $0.kind == kind }
        for entry in rest where entry.isStored {
            if case .unix(let path) = entry.socket.address { UnixSocket.removeFile(path) }
            discard(entry)
        }
        return rest.filter { !$0.isStored }.map(\.socket)
    }

    /// Lets the service manager keep a socket that the daemon has opened, for its next start. Returns whether there is a service
    /// manager. The name contains the address, because the service manager can only forget all sockets of a name.
    func store(_ descriptor: Int32, _ kind: Kind, at address: String) -> Bool {
        let name = "\(Self.storedPrefix)\(kind.rawValue)-\(address)"
        // A name is printable ASCII without a colon.
        let printable = name.unicodeScalars.map { scalar in
            (" "..."~").contains(scalar) && scalar != ":" ? Character(scalar) : "_"
        }
        return manager.store(descriptor, named: String(printable))
    }
}
