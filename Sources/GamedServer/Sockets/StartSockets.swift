import Glibc
import Net
import Parts

/// The sockets with which the daemon starts: its own UNIX socket, which no other daemon may have, and what the service manager
/// has passed. `Listeners` opens the others.
final class StartSockets {
    /// The socket of `--socket`; nil if the service manager has passed it, and after `takeOwn`.
    private var own: UnixSocket?
    let passed: ServiceSockets
    /// The passed UNIX sockets for lines.
    private var passedUnixSockets: [PassedSocket] = []
    /// The paths of the UNIX sockets for lines, for the log.
    let paths: String

    /// Opens the socket of `--socket`, unless one was passed that replaces it: a UNIX socket at its path, or any UNIX socket if
    /// the option has its default. Throws `UnixSocket.SocketError`.
    init(_ options: Options, _ passed: ServiceSockets) throws {
        self.passed = passed
        let path = options.network.socket
        let isReplaced = options.network.isStandardSocket && passed.has(.unix)
        if let received = passed.take(.unix, boundTo: .unix(path)) {
            passedUnixSockets.append(received.socket)
        } else if !isReplaced {
            own = try UnixSocket(path, makesDirectory: options.network.isStandardSocket)
        }
        passedUnixSockets += passed.takeRest(.unix)
        let passedPaths = passedUnixSockets.map { "\(Self.path($0)) (from the service manager)" }
        paths = ((own == nil ? [] : [path]) + passedPaths).joined(separator: " and ")
    }

    private static func path(_ socket: PassedSocket) -> String {
        if case .unix(let path) = socket.address { path } else { "" }
    }

    /// Passes each UNIX socket for lines to `body`, which then owns it.
    func takeUnixSockets(_ body: (consuming UnixSocket) throws -> Void) rethrows {
        if let socket = own.take() { try body(socket) }
        for socket in passedUnixSockets {
            try body(UnixSocket(socket, path: Self.path(socket)))
        }
        passedUnixSockets = []
    }

}
