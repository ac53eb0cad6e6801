import EventLoop
import Net
import Parts

/// Opens the addresses of `--listen`, `--http` and `--metrics`, now or when the machine has them. A socket that the service manager
/// has passed takes the place of the address to which it is bound. A passed socket at an address that no option names is used,
/// too.
final class SocketOpener {
    private let passed: ServiceSockets
    private let network: NetworkOptions
    private let loop: LibeventLoop
    /// The sockets at addresses that were not available at the start. Each is opened when its address is available.
    private var delayedSockets: [DelayedSocket] = []
    /// The addresses of passed sockets that no option names.
    private(set) var unnamedAddresses: [Address] = []

    /// `network` has the rules about addresses that other machines can reach.
    init(_ passed: ServiceSockets, _ network: NetworkOptions, on loop: LibeventLoop) {
        (self.passed, self.network, self.loop) = (passed, network, loop)
    }

    /// Opens the addresses, and uses the passed sockets of this kind. `permissions` are those of UNIX sockets. Each socket is passed to
    /// `unixOpened` or `networkOpened`, the latter perhaps later.
    func open(
        _ addresses: [Address], _ kind: ServiceSockets.Kind,
        permissions: UnixSocket.Permissions = UnixSocket.Permissions(),
        unixOpened: (consuming UnixSocket) throws -> Void,
        networkOpened: @escaping (consuming NetworkSocket) throws -> Void
    ) throws {
        func use(_ socket: PassedSocket) throws {
            if case .unix(let path) = socket.address {
                return try unixOpened(UnixSocket(socket, path: path))
            }
            try networkOpened(NetworkSocket(socket))
        }
        for address in addresses {
            if let received = passed.take(kind, boundTo: address) {
                if received.isStored, case .unix(let path) = address {
                    try UnixSocket.set(permissions, at: path)
                }
                try use(received.socket)
                continue
            }
            switch address {
            case .unix(let path):
                var socket = try UnixSocket(path, permissions: permissions)
                if passed.store(socket.descriptor, kind, at: path) { socket.keepFile() }
                try unixOpened(socket)
            case .network(let host, let port): try open(host, port, kind, networkOpened)
            }
        }
        for socket in passed.takeRest(kind) {
            if let mistake = network.openAddresses(among: [socket.address], option: kind.option)
                .first
            {
                throw StartupError(
                    why: "the service manager passes \(socket.address.text): \(mistake.why)")
            }
            unnamedAddresses.append(socket.address)
            Log.write(
                .info, .start,
                "\(socket.address.text) comes from the service manager; no line names it")
            try use(socket)
        }
    }

    /// Ends the attempts to open further addresses.
    func stop() { delayedSockets = [] }

    /// Listens at a network address, now, or later if the address is not available yet.
    private func open(
        _ host: String, _ port: UInt16, _ kind: ServiceSockets.Kind,
        _ opened: @escaping (consuming NetworkSocket) throws -> Void
    ) throws {
        let isKept = Address.network(host: host, port: port).isForOneSocket
        let passed = passed
        func use(_ socket: consuming NetworkSocket) throws {
            // A socket with a port that the system has chosen belongs to no address of the next start.
            if isKept { _ = passed.store(socket.descriptor, kind, at: socket.address) }
            try opened(socket)
        }
        do { try use(NetworkSocket(host: host, port: port)) } catch let failure
            as NetworkSocket.SocketError
        {
            guard failure.isTemporary else {
                throw StartupError(why: "--\(kind.option): cannot listen at \(failure.why)")
            }
            delayedSockets.append(
                DelayedSocket(
                    host: host, port: port, failure, on: loop,
                    attemptFailed: { Self.logDelay(of: kind.option, $0, attempts: $1) },
                    opened: { socket in
                        do { try use(socket) } catch {
                            Log.write(
                                .error, .start,
                                "--\(kind.option): cannot listen at \(host):\(port): \(error)")
                        }
                    }))
        }
    }

    /// Logs that a socket cannot be opened yet: at the 1st, 2nd, 4th, 8th … attempt.
    private static func logDelay(
        of option: String, _ failure: NetworkSocket.SocketError, attempts: Int
    ) {
        guard LogThrottle.isLogged(attempts) else { return }
        let times = attempts == 1 ? "" : "; tried \(attempts) times"
        Log.write(
            .warning, .start,
            "--\(option): cannot listen yet at \(failure.why); gamed tries again\(times)")
    }
}
