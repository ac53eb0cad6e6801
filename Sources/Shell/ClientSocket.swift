internal import Glibc

/// The daemon's socket to which gamectl connects.
public struct ClientSocket: Equatable, Sendable {
    public let path: String
    /// Whether an option or `$GAMED_SOCKET` names it.
    public let isNamed: Bool
    /// Where the socket was searched, in order; empty if an option names the socket.
    private let locations: [Location]

    private struct Location: Equatable, Sendable {
        /// The path for error messages, in which an environment variable is not replaced; nil if the path has no variable.
        let pathWithVariable: String?
        /// The path with the variable's value; nil if the variable is not set.
        let path: String?
        let exists: Bool
    }

    /// The socket that an option names.
    public init(named path: String) {
        (self.path, isNamed, locations) = (path, true, [])
    }

    /// Chooses the socket of a gamectl without `--socket`, in this order:
    /// - The path in `$GAMED_SOCKET`, if that variable is set, even if no socket exists there. A command for the daemon of a
    ///   rehearsal therefore never reaches the daemon of the show.
    /// - The first of `$XDG_RUNTIME_DIR/gamed.sock` and `/run/gamed/gamed.sock` that exists.
    /// - The first of these two sockets whose path is known.
    ///
    /// `variable` returns the value of an environment variable, and `exists` says whether a file exists. Tests replace both
    /// functions.
    public init(
        variable: (String) -> String? = Self.environment, exists: (String) -> Bool = Self.exists
    ) {
        let namedPath = variable("GAMED_SOCKET")
        // systemd may name several directories, separated by colons.
        let runtimeDirectory = variable("XDG_RUNTIME_DIR").flatMap {
            $0.split(separator: ":").first
        }
        let paths: [(pathWithVariable: String?, path: String?)] = [
            ("$GAMED_SOCKET", namedPath),
            ("$XDG_RUNTIME_DIR/gamed.sock", runtimeDirectory.map { "\($0)/gamed.sock" }),
            (nil, SocketPath.service),
        ]
        let locations = paths.map { pathWithVariable, path in
            Location(
                pathWithVariable: pathWithVariable, path: path, exists: path.map(exists) ?? false)
        }
        let location = locations.first { $0.exists } ?? locations.first { $0.path != nil }
        (path, isNamed) = (namedPath ?? location?.path ?? SocketPath.service, namedPath != nil)
        self.locations = locations
    }

    /// Whether no option or variable names the socket, and sockets exist at more than one location.
    public var isAmbiguous: Bool { !isNamed && locations.count { $0.exists } > 1 }

    /// Where the socket was searched, as a text for error messages; nil if an option names the socket.
    public var search: String? {
        guard !locations.isEmpty else { return nil }
        let descriptions = locations.map { location in
            let pathWithVariable = location.pathWithVariable
            guard let path = location.path else { return "\(pathWithVariable ?? "") (not set)" }
            let beginning = pathWithVariable.map { "\($0) (\(path)" } ?? "\(path) ("
            return beginning + (pathWithVariable == nil ? "" : ", ")
                + (location.exists ? "exists)" : "does not exist)")
        }
        return "without --socket, $GAMED_SOCKET is used if it is set, "
            + "else the first of the others that exists: " + descriptions.joined(separator: ", ")
    }

    /// The value of an environment variable; nil if it is not set or is empty.
    public static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Whether a file exists. Returns true if this cannot be determined. Wraps stat(2).
    public static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }
}
