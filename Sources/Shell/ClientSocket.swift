internal import Glibc

/// Which socket a client connects to.
public struct ClientSocket: Equatable, Sendable {
    public let path: String
    /// Whether it was named, by an option or by `$GAMED_SOCKET`, rather than found.
    public let isNamed: Bool
    /// The places that were looked at; none where an option names the socket.
    private let places: [Place]

    private struct Place: Equatable, Sendable {
        let variable: String?
        /// Nil of a variable that is not set.
        let path: String?
        let exists: Bool
    }

    /// The socket that an option names.
    public init(named path: String) {
        (self.path, isNamed, places) = (path, true, [])
    }

    /// The first that exists of `$GAMED_SOCKET`, `$XDG_RUNTIME_DIR/gamed.sock` and
    /// `/run/gamed/gamed.sock`. One that a variable names is taken whether it exists or not: who named a
    /// rehearsal's socket must not reach the show. Nor is the next one tried where nobody listens.
    public init(
        variable: (String) -> String? = Self.environment, exists: (String) -> Bool = Self.exists
    ) {
        let named = variable("GAMED_SOCKET")
        let runtime = variable("XDG_RUNTIME_DIR").flatMap { $0.split(separator: ":").first }
        let paths: [(String?, String?)] = [
            ("$GAMED_SOCKET", named),
            ("$XDG_RUNTIME_DIR/gamed.sock", runtime.map { "\($0)/gamed.sock" }),
            (nil, SocketPath.service),
        ]
        let places = paths.map { name, path in
            Place(variable: name, path: path, exists: path.map(exists) ?? false)
        }
        let found = places.first { $0.exists } ?? places.first { $0.path != nil }
        (path, isNamed) = (named ?? found?.path ?? SocketPath.service, named != nil)
        self.places = places
    }

    /// Whether it was found, and another one would have been if it had not been there.
    public var isAmbiguous: Bool { !isNamed && places.count { $0.exists } > 1 }

    /// The places where a socket was looked for, for the error message; nil if an option names the socket.
    public var search: String? {
        guard !places.isEmpty else { return nil }
        let said = places.map { place in
            guard let path = place.path else { return "\(place.variable ?? "") (not set)" }
            let name = place.variable.map { "\($0) (\(path)" } ?? "\(path) ("
            return name + (place.variable == nil ? "" : ", ")
                + (place.exists ? "there)" : "not there)")
        }
        return "without --socket, the first that exists is used: " + said.joined(separator: ", ")
    }

    /// A variable of the process, unless it is empty.
    public static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Whether there is a file. One that may not be looked at is there as far as anybody knows. Wraps stat(2).
    public static func exists(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }
}
