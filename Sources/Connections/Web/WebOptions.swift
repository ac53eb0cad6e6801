import Glibc
package import HTTP
package import Net
package import Parts
package import Room
import Shell

/// The settings of HTTP and of the web pages.
package struct WebOptions: OptionSection {
    /// The addresses at which the daemon accepts HTTP.
    package var addresses: [Address] = []
    /// The names that are accepted in the `Host` of an HTTP request, in addition to the daemon's own addresses.
    package var hosts: [String] = []
    /// The origin with which the links of invitations begin; nil if no option names it.
    package var publicAddress: HTTPOrigin?
    /// The path below which a proxy serves the pages: empty, or such as `/rooms`.
    package var publicPath = ""
    /// The proxies whose words about clients are believed.
    package var proxies = TrustedProxies()
    /// The origins of other pages that may send requests, in lower case.
    package var origins: [String] = []
    /// The maximum number of origins in `origins`.
    static let originLimit = 64
    /// The permissions of the UNIX sockets of `addresses`.
    package var socketPermissions = UnixSocket.Permissions()
    /// The directory with the pictures, sounds and videos for the players' pages.
    package var media: String?

    package init() {}

    package static let table: [Option] = [
        Option(
            "http", value: "HOST:PORT|unix:PATH",
            "Serve the web pages, events and metrics at this address; repeatable.",
            details: """
                gamed opens and logs each address of `--listen` and `--http`, at most 16 of each. `0.0.0.0` is every IPv4
                address of the machine, and `[::]` is every IPv6 address. gamed tries again, at intervals of at most 10 seconds,
                if the machine does not have the address yet or the name is not known yet. If another program uses the address
                at the start, gamed exits with an error. The addresses on the command line replace those of the configuration.
                """,
            isRepeatable: true,
            reader: .location(after: ["unix:"]) { options, value, _ throws(UsageError) in
                guard let address = Address(value), OptionValue.socketPathFits(address) else {
                    throw UsageError("expected HOST:PORT or unix:PATH, such as 127.0.0.1:8080")
                }
                try OptionValue.add(address, value, to: &options.web.addresses)
            }, clear: { $0.web.addresses = [] }),
        Option(
            "http-host", value: "NAME",
            "Accept this host name from browsers, such as a proxy's; repeatable.",
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                guard !value.isEmpty, !value.contains("/") else {
                    throw UsageError("expected a name, such as hall.example")
                }
                options.web.hosts.append(value.lowercased())
            }),
        Option(
            "media", value: "DIR",
            "Show the pictures, sounds and videos of this directory on the players' pages.",
            details: """
                gamed serves the files at `/media/FILE` to clients that may observe a session. A flow names a file with `show`.
                The file `theme.css` changes the look of the players' page. gamed reads the files again at SIGHUP.
                """,
            reader: .path(\.web.media)),
        Option(
            "public", value: "URL",
            defaultValue: "the first `--http` address that is not loopback",
            "Begin the links of invitations with this address, such as a proxy's.",
            details: """
                The URL has a scheme, a host, a port, and the path below which a proxy serves gamed, such as
                `https://show.example` or `https://show.example/rooms`. gamed also accepts its host from browsers, as with
                `--http-host`. If the scheme is `https`, cookies for this host are sent over TLS only.
                """,
            reader: .value { options, value, _ throws(UsageError) in
                guard let (origin, path) = HTTPOrigin.split(value), !path.contains("?") else {
                    throw UsageError(
                        "expected a scheme, a host, a port and a path at most, such as https://show.example"
                    )
                }
                options.web.publicAddress = origin
                options.web.publicPath = String(path.reversed().drop { $0 == "/" }.reversed())
            }),
        Option(
            "http-proxy", value: "ADDRESS|unix",
            "Believe the proxy at this address who its clients are; repeatable.",
            details: """
                A request that comes from this numeric address has the client's address from the last entry of
                `X-Forwarded-For` that is no such proxy, and the scheme from `X-Forwarded-Proto`. They count for the limits of
                requests, connections and joining, for the log, the history, the check of `Origin`, and the cookie. `unix`
                means all clients of the UNIX sockets of `--http`. From anywhere else these headers are ignored.
                """,
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                guard options.web.proxies.add(value) else {
                    throw UsageError(
                        "expected a numeric address such as 127.0.0.1, or unix; at most \(TrustedProxies.limit)"
                    )
                }
            }, clear: { $0.web.proxies = TrustedProxies() }),
        Option(
            "http-origin", value: "ORIGIN",
            "Let pages of this origin read events and send requests; repeatable.",
            details: """
                ORIGIN is such as `https://show.example`. The pages need a token, in the header `Authorization`, or for
                `/v1/events` also as `token=` in the query, if it was made with `token add --url`. Cookies do not count.
                `null` is the origin of files and of sandboxed frames; gamed warns of it.
                """,
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                let origin = value.lowercased()
                let isOrigin = HTTPOrigin.split(origin).map { $0.origin.text == origin } ?? false
                guard isOrigin || origin == "null" else {
                    throw UsageError("expected an origin such as https://show.example, or null")
                }
                guard options.web.origins.count < WebOptions.originLimit else {
                    throw UsageError("at most \(WebOptions.originLimit) origins")
                }
                options.web.origins.append(origin)
            }, clear: { $0.web.origins = [] }),
        Option(
            "http-group", value: "GROUP",
            "Give the UNIX sockets of `--http` to this group, so that a proxy can connect.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let group = gid_t(value) ?? getgrnam(value)?.pointee.gr_gid else {
                    throw UsageError("no such group")
                }
                options.web.socketPermissions.group = group
            }),
        Option(
            "http-mode", value: "MODE", defaultValue: "0660",
            "Give the UNIX sockets of `--http` this mode.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let mode = mode_t(value, radix: 8), 0o600...0o777 ~= mode else {
                    throw UsageError("expected an octal number from 0600 to 0777")
                }
                options.web.socketPermissions.mode = mode
            }),
    ]

    package func contradictions(in options: Options) -> [Contradiction] {
        var found = options.network.listen.filter { $0.isForOneSocket && addresses.contains($0) }
            .map {
                Contradiction(
                    "http", value: $0.text, and: ["listen"],
                    "--listen and --http have the same address, \($0.text)")
            }
        found += options.network.openAddresses(among: addresses, option: "http")
        if !socketPermissions.areStandard, addresses.allSatisfy(\.isNetwork) {
            let name = socketPermissions.group == nil ? "http-mode" : "http-group"
            found.append(Contradiction(name, and: ["http"], "--\(name) requires --http unix:PATH"))
        }
        return found
    }
}

extension Options {
    package var web: WebOptions {
        get { self[WebOptions.self] }
        _modify { yield &self[WebOptions.self] }
    }
}
