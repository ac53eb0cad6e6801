import EventLoop
import GameFlow
import Glibc
import JSONCoding
import Net
import PostgresStore
import RPC
import SQLiteStore
import Sessions
import Shell
import Support
import Timers

/// The daemon's settings, from its command line and its configuration.
///
/// To add a setting, add its property here and its row to `table`. The following are derived from the table: parsing, the
/// configuration, `--help`, hints, shell completions and the manual.
struct Options: Equatable {
    /// The path of the UNIX socket.
    var socket = SocketPath.defaultPath
    /// Whether the socket has its default path, whose directory the daemon creates.
    var isStandardSocket = true
    /// The name of the flow of session `main`. If no option names a flow, `read` sets this property to `standardFlow`.
    var flow = Options.game
    /// Whether session `main` is opened at the start.
    var opensMain = true
    /// Whether time advances only by a client's `advance`.
    var isVirtual = false
    /// The directory of the journal; nil if there is no journal, or if the journal is in `database`.
    var stateDirectory: String? {
        get { database == nil ? directory : nil }
        set { directory = newValue }
    }
    /// The value of `stateDirectory` if there is no database. By default the directory that systemd gives in $STATE_DIRECTORY.
    private var directory = ServiceDirectory.state
    /// Whether `--state-dir` or `--store` names the state directory.
    var namesDirectory = false
    /// The URL of the PostgreSQL database that contains the journal; nil without one.
    var database: String?
    /// The file with the password for the database.
    var storePasswordFile: String?
    /// Whether to create the database's tables and then exit.
    var preparesDatabase = false
    /// The name of this node. Logs and the words `node=NAME` of the configuration use this name.
    var node = Options.hostName
    /// For how long replies and timers are held if the database cannot be reached.
    var holdDuration = Duration.seconds(30)
    /// The address to which other nodes and redirected clients connect. It must be one of the addresses in `listen`.
    var advertise: Address?
    /// The file with the secret that all nodes share.
    var nodeSecretFile: String?
    /// The file with the certificate of the authority that signs the certificates of nodes.
    var nodeAuthority: String?
    /// The file of the certificate that this node shows to other nodes. Nil if the node shows the certificate in the file
    /// `certificate`.
    var nodeCertificate: String?
    /// The file of the private key of `nodeCertificate`.
    var nodeKey: String?
    /// Whether to use a database that may lose acknowledged changes.
    var acceptsWeakStore = false
    /// For how long rows that no session needs are kept in the journal; nil means forever.
    var retentionPeriod: Duration? = .seconds(30 * 86_400)
    /// Whether refused events are written to the journal.
    var auditsRefusals = false
    /// Whether to start although rows are missing from the journal.
    var acceptsLoss = false
    /// The addresses at which the daemon accepts lines over TCP; each line is a request.
    var listen: [Address] = []
    /// The addresses at which the daemon accepts HTTP.
    var http: [Address] = []
    /// The maximum number of addresses in `listen`; `http` has the same maximum.
    static let addressLimit = 16
    /// The maximum number of origins in `origins`.
    static let originLimit = 64
    /// The names that are accepted in the `Host` of an HTTP request, in addition to the daemon's own addresses.
    var hosts: [String] = []
    /// The origin with which the links of invitations begin; nil if no option names it.
    var publicAddress: HTTPOrigin?
    /// The path below which a proxy serves the pages: empty, or such as `/rooms`.
    var publicPath = ""
    /// The proxies whose words about clients are believed.
    var proxies = TrustedProxies()
    /// The origins of other pages that may send requests, in lower case.
    var origins: [String] = []
    /// The permissions of the UNIX sockets of `http`.
    var webSocketPermissions = UnixSocket.Permissions()
    /// The file of the TLS certificate; nil without TLS.
    var certificate: String?
    /// The file of the private key of `certificate`.
    var key: String?
    /// The file with the certificate of the authority that signs client certificates.
    var clientAuthority: String?
    /// Whether addresses that other machines can reach may be used without TLS.
    var isInsecure = false
    /// The path of the token file that the option `--tokens` names; nil without the option.
    var tokens: String?
    /// The path of the token file; nil if tokens are kept in the database, or only in memory.
    var tokenFile: String? { tokens ?? stateDirectory.map { "\($0)/tokens" } }
    /// The Bluetooth controller; nil without Bluetooth.
    var bluetooth: ControllerLocation?
    /// The directory with the pictures and sounds for the players' pages.
    var media: String?
    /// The file to which every Bluetooth packet is written; nil without one.
    var btsnoop: String?
    /// The `map` lines that map Bluetooth devices to events.
    var maps = DeviceMaps()
    /// The connections to the devices of the room.
    var connections: [ConnectionLine] = []
    /// The `map` lines that map the inputs of `connections` to events.
    var inputMaps: [InputMap] = []
    /// All `on` lines.
    var onLines = OnLines()
    /// The names of nodes, by the name of a connection. A connection has an entry if its line contains `node=NAME`.
    var connectionNodes: [String: String] = [:]
    /// The `on` lines that send something to a device or a program.
    var outputLines: [OutputLine] { onLines.outputs }
    /// The `on` lines that open another session or send an event to another session.
    var links: [LinkLine] { onLines.links }
    /// Whether outputs are sent. Nil means that outputs are sent with the real clock, and are not sent with the virtual clock.
    var sendsOutputs: Bool?
    var limits = ServerLimits()
    /// The directory of flow files; nil without one.
    var flowsDirectory: String?
    /// The files that were read from `flowsDirectory`.
    var flowFiles: FlowDirectory?
    /// The values of flows' settings, from `set` lines.
    var settings: [FlowSettings] = []
    /// The sessions that are opened at the start, besides `main`.
    var sessions: [StartSession] = []
    /// The access rules.
    var rules: [Rule] = []
    /// The path of the configuration that was read; nil without one.
    var configuration: String?
    /// The files with certificates, keys and passwords, which the daemon only reads.
    var namedFiles: [String] = []
    /// The words of the lines of the configuration, by the name of the setting, in order. A reload compares them.
    var givenLines: [String: [[String]]] = [:]
    /// The names of the options in the command line whose lines in the configuration have no effect.
    var overriddenNames: Set<String> = []
    /// Warnings about relative paths of the configuration that are used as version 0.1 used them.
    private(set) var pathNotes: [ConfigurationFile.ConfigurationError] = []
    /// A note that rows are kept for so short a time that operators may miss them; nil otherwise.
    var retentionNote: String? {
        guard let retentionPeriod, retentionPeriod < Self.shortRetention,
            stateDirectory != nil || database != nil
        else { return nil }
        return
            "--keep \(DurationText.write(retentionPeriod)): history, replay and statistics lose every game that ended "
            + "longer ago; old rows go each hour"
    }
    /// The time below which `retentionNote` warns of `--keep`.
    private static let shortRetention = Duration.seconds(86_400)
    /// A note that the lines of the configuration are for other nodes only; nil if they are not.
    var nodeNote: String?

    /// The default of `flow`, if the daemon has a flow of this name.
    private static let game = "game"

    /// The default of `flow`: `game` if it is among the flows, else the first flow.
    static func standardFlow(_ flows: [AnyFlow]) -> String {
        let hasGame = flows.contains { $0.name == game }
        return hasGame ? game : flows.first?.name ?? game
    }

    /// Every setting, in the order of the help.
    static let table: [Option] = Option.connections + Option.outputs + rows

    /// All settings except the lines that `RoomOptions.swift` defines: `on`, `outputs` and the connections of the room.
    private static let rows: [Option] = [
        Option(
            "allow", value: AllowDirective.form,
            "Grant a role to all callers that match the principal.",
            reader: .line { options, line, file, _ throws(ConfigurationFile.ConfigurationError) in
                options.rules.append(try AllowDirective.read(line, in: file))
            }, reload: { $0.rules = $1.rules }),
        Option(
            "map", value: MapDirective.form,
            "Send an event when a Bluetooth device reports this value.",
            details: """
                To send an event when the link to the device is lost or found, write `lost=EVENT` and `found=EVENT` in place of
                service, characteristic, value, event and debounce. To send an event for an input of a connection of the
                room, write `mqtt=NAME topic=FILTER [payload=TEXT] [json=JSON]`, `osc=NAME address=PATTERN [min=NUMBER]`,
                `serial=NAME line=PATTERN` or `evdev=NAME key=KEY` in place of device, service, characteristic and value.
                """,
            reader: .line {
                options, line, file, flows throws(ConfigurationFile.ConfigurationError) in
                if let kind = InputMapDirective.kind(of: line) {
                    options.inputMaps.append(
                        try InputMapDirective.read(kind, line, in: file, flows))
                } else {
                    options.maps.maps.append(try MapDirective.read(line, in: file, flows))
                }
            },
            reload: {
                $0.maps = $1.maps
                $0.inputMaps = $1.inputMaps
            }),
        Option(
            "set", value: SetDirective.form,
            "Set values of a flow for the sessions that are opened from now on.",
            reader: .line {
                options, line, file, flows throws(ConfigurationFile.ConfigurationError) in
                options.settings.append(try SetDirective.read(line, in: file, flows))
            }, reload: { $0.settings = $1.settings }),
        Option(
            "session", value: SessionDirective.form,
            "Open this session at the start, and at SIGHUP if the line is new, unless it is open already.",
            details: "`clock` names the timer that the players' page shows in large digits.",
            reader: .line {
                options, line, file, flows throws(ConfigurationFile.ConfigurationError) in
                let session = try SessionDirective.read(line, in: file, flows)
                guard !options.sessions.contains(where: { $0.name == session.name }) else {
                    throw file.mistake(
                        line, line.words.first, "session \(session.name.text) is given twice")
                }
                options.sessions.append(session)
            }, reload: { $0.sessions = $1.sessions }),
        Option(
            "socket", value: "PATH", "Listen at this UNIX socket, whose mode is 0660.",
            details: """
                By default it is `gamed.sock` in $RUNTIME_DIRECTORY, else in $XDG_RUNTIME_DIR, else in /run/gamed.
                If a running daemon listens at the path, gamed names that process and exits. A socket that a killed daemon left
                behind is replaced.
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                guard SocketAddress(path: value) != nil else {
                    throw UsageError("expected a path of 1 to 107 bytes")
                }
                (options.socket, options.isStandardSocket) = (value, false)
            }),
        Option(
            "flow", value: "NAME", defaultValue: game, "Open session `main` with this flow.",
            reader: .value { options, value, flows throws(UsageError) in
                options.flow = try OptionValue.flow(value, flows)
            }),
        Option(
            "flows", value: "DIR", "Load the flow files (`*.yaml`) of this directory.",
            details: """
                A file with a mistake is not loaded; the log and `gamectl flow list` show the mistake. At SIGHUP, the
                daemon reads all files again; if a file then has a mistake, the daemon changes no flow.
                """,
            // Only checks the value: `readFlowFiles` has already read the directory.
            reader: .location(after: [""]) { _, value, _ throws(UsageError) in
                _ = try OptionValue.path(value)
            },
            reload: {
                ($0.flowsDirectory, $0.flowFiles) = ($1.flowsDirectory, $1.flowFiles)
            }),
        Option(
            "no-main", "Open no session at the start.",
            reader: .flag { $0.opensMain = false }),
        Option(
            "clock", value: "real|virtual", defaultValue: "real",
            "Use the real clock, or a virtual one that moves only at a client's `advance`.",
            reader: .choice { $0.isVirtual = $1 == "virtual" }),
        Option(
            "state-dir", value: "DIR",
            defaultValue: "the first directory in $STATE_DIRECTORY, else no journal",
            "Store sessions in this directory; acknowledged changes survive kill -9 and a power cut.",
            details: """
                gamed creates the directory, but not its parent directories; see [Stored data].
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                options.stateDirectory = try OptionValue.path(value)
                options.namesDirectory = true
            }),
        Option(
            "store", value: "URL|DIR",
            "Store sessions in this PostgreSQL database, or in this directory.",
            details: """
                A URL has the form `postgresql://gamed@db1/rooms`, without a password. `DIR` is the same as
                `--state-dir DIR`. Several daemons can share one database: each owns a part of the sessions and accepts
                requests for all of them; see many-machines.md. With a URL, gamed does not use $STATE_DIRECTORY.
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                guard PostgresLocation.isURL(value) else {
                    options.stateDirectory = try OptionValue.path(value)
                    options.namesDirectory = true
                    return
                }
                do throws(PostgresLocation.LocationError) { _ = try PostgresLocation(value) } catch
                {
                    throw UsageError(error.why)
                }
                options.database = value
            }),
        Option(
            "store-password-file", value: "FILE",
            "Read the database's password from the first line of this file.",
            details: """
                Only the owner may be able to read the file. Without this option, the password comes from `$PGPASSFILE`
                or `~/.pgpass`.
                """,
            reader: .file(\.storePasswordFile)),
        Option(
            "prepare", "Create or upgrade the database's tables, and exit.",
            details: """
                The exit status is 0. If the database role lacks the rights, gamed prints the SQL and exits with status 1.
                """,
            reader: .flag { $0.preparesDatabase = true }),
        Option(
            "node", value: "NAME", defaultValue: "the host's name",
            "Use this name for the node in the logs of other nodes.",
            reader: .value { options, value, _ throws(UsageError) in
                guard NodeName.isName(value) else { throw UsageError(NodeName.expected) }
                options.node = value
            }),
        Option(
            "advertise", value: "HOST:PORT",
            "Tell other nodes of the database, and redirected clients, to connect here.",
            details: """
                HOST:PORT is one of the `--listen` addresses, with a numeric host. Without this option, this node
                must be the only node of the database.
                """,
            reader: .value { options, value, _ throws(UsageError) in
                guard case .network(let host, let port)? = Address(value), port > 0 else {
                    throw UsageError("expected HOST:PORT, such as 10.0.0.11:7000")
                }
                options.advertise = .network(host: host, port: port)
            }),
        Option(
            "node-secret-file", value: "FILE",
            "Authenticate nodes to each other by the secret in this file.",
            details: """
                The secret is the first line, of at least 32 bytes, such as `openssl rand -hex 32` prints; it is the same on all
                nodes. Use a secret only for nodes on one machine: `--advertise` must be a loopback address. Only the owner
                may be able to read the file.
                """,
            reader: .file(\.nodeSecretFile)),
        Option(
            "node-ca", value: "FILE",
            "Authenticate nodes to each other by certificates that this authority (PEM) has signed.",
            details: """
                The authority must sign certificates for nodes only, because a program with such a certificate may do
                everything in all sessions. Connections between nodes are encrypted, so `--advertise` may be an address that
                other machines can reach. Requires `--tls-cert`, because nodes connect to the same address as clients.
                """,
            reader: .file(\.nodeAuthority)),
        Option(
            "node-cert", value: "FILE",
            "Present this certificate (PEM), which `--node-ca` has signed, to other nodes.",
            details: """
                Requires `--node-key`. The certificate must be valid for TLS servers and for TLS clients; gamed ignores the
                names in it. Without this option, gamed presents the certificate of `--tls-cert` to other nodes.
                """,
            reader: .file(\.nodeCertificate)),
        Option(
            "node-key", value: "FILE",
            "Read the private key (PEM) of `--node-cert` from this file.",
            reader: .file(\.nodeKey)),
        Option(
            "hold", value: "D", defaultValue: "30s",
            "Hold replies and timers for this long while the database cannot be reached.",
            details:
                "After that time, gamed answers requests with the error `storage` until it reaches the database again.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let duration = DurationText.read(value) else {
                    throw UsageError("expected a duration such as 30s")
                }
                options.holdDuration = duration
            }),
        Option(
            "accept-weak-store", "Use a database that may lose acknowledged changes.",
            details: """
                Without this option, gamed requires that fsync and full_page_writes are `on`, and that synchronous_commit is
                `on` or `remote_apply`; if the URL names several servers, gamed also requires a synchronous standby. A daemon that
                runs goes on with such a database, and warns in the log and with the metric gamed_store_weak.
                """,
            reader: .flag { $0.acceptsWeakStore = true },
            reload: { $0.acceptsWeakStore = $1.acceptsWeakStore }),
        Option(
            "keep", value: "D", defaultValue: "30d",
            "Keep rows that no session needs for this long, or `forever`.",
            details: """
                D is a duration such as `12h` or `30d`. Requires `--state-dir` or `--store`. Rows that a session needs are
                never removed. Old rows are removed one second after the start and then each hour. If the clock is ahead of
                the end of the last run by more than D and by more than a day, no row is removed until `gamectl journal
                prune --yes` is run.
                """,
            reader: .value { options, value, _ throws(UsageError) in
                options.retentionPeriod = try OptionValue.durationOrForever(value)
            }),
        Option(
            "audit", value: "refusals", "Record refused events in the journal.",
            details: """
                Requires `--state-dir` or `--store`. gamed writes at most 1 KiB of each event's arguments, and at most 16 KiB
                per second for each sender.
                """,
            reader: .choice { options, _ in options.auditsRefusals = true }),
        Option(
            "accept-loss", "Start although the journal has lost rows.",
            details: "Without this option gamed exits with an error, so that the loss is noticed.",
            reader: .flag { $0.acceptsLoss = true }),
        Option(
            "listen", value: "HOST:PORT",
            "Accept lines over TCP at this address; repeatable.",
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                guard let address = Address(value), case .network = address else {
                    throw UsageError("expected HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001")
                }
                try OptionValue.add(address, value, to: &options.listen)
            }, clear: { $0.listen = [] }),
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
                try OptionValue.add(address, value, to: &options.http)
            }, clear: { $0.http = [] }),
        Option(
            "http-host", value: "NAME",
            "Accept this host name from browsers, such as a proxy's; repeatable.",
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                guard !value.isEmpty, !value.contains("/") else {
                    throw UsageError("expected a name, such as hall.example")
                }
                options.hosts.append(value.lowercased())
            }),
        Option(
            "media", value: "DIR",
            "Show the pictures and sounds of this directory on the players' pages.",
            details: """
                gamed serves the files at `/media/FILE` to clients that may observe a session. A flow names a file with `show`.
                The file `theme.css` changes the look of the players' page. gamed reads the files again at SIGHUP.
                """,
            reader: .path(\.media)),
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
                options.publicAddress = origin
                options.publicPath = String(path.reversed().drop { $0 == "/" }.reversed())
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
                guard options.proxies.add(value) else {
                    throw UsageError(
                        "expected a numeric address such as 127.0.0.1, or unix; at most \(TrustedProxies.limit)"
                    )
                }
            }, clear: { $0.proxies = TrustedProxies() }),
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
                guard options.origins.count < Options.originLimit else {
                    throw UsageError("at most \(Options.originLimit) origins")
                }
                options.origins.append(origin)
            }, clear: { $0.origins = [] }),
        Option(
            "http-group", value: "GROUP",
            "Give the UNIX sockets of `--http` to this group, so that a proxy can connect.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let group = gid_t(value) ?? getgrnam(value)?.pointee.gr_gid else {
                    throw UsageError("no such group")
                }
                options.webSocketPermissions.group = group
            }),
        Option(
            "http-mode", value: "MODE", defaultValue: "0660",
            "Give the UNIX sockets of `--http` this mode.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let mode = mode_t(value, radix: 8), 0o600...0o777 ~= mode else {
                    throw UsageError("expected an octal number from 0600 to 0777")
                }
                options.webSocketPermissions.mode = mode
            }),
        Option(
            "tls-cert", value: "FILE",
            "Use TLS for `--listen` and `--http`, with this certificate (PEM).",
            details: "Requires `--tls-key`.",
            reader: .file(\.certificate)),
        Option(
            "tls-key", value: "FILE", "Read the certificate's private key (PEM) from this file.",
            reader: .file(\.key)),
        Option(
            "tls-client-ca", value: "FILE",
            "Request client certificates, and accept those signed by this authority.",
            reader: .file(\.clientAuthority)),
        Option(
            "insecure",
            "Allow connections without TLS at an address that other machines can reach.",
            reader: .flag { $0.isInsecure = true }),
        Option(
            "tokens", value: "FILE",
            defaultValue:
                "`tokens` in the state directory, or the database, else tokens are lost when the daemon ends",
            "Store the hashes of tokens in this file.",
            details: """
                With a database, gamed stores tokens in the database, for all nodes. The tokens in this file are then valid on
                this node only, and the daemon does not change the file.
                """,
            reader: .path(\.tokens)),
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
                options.bluetooth = location
            }),
        Option(
            "btsnoop", value: "FILE", "Write every Bluetooth packet to this file, for tshark(1).",
            details: "Requires `--bluetooth`. Each start overwrites the file.",
            reader: .path(\.btsnoop)),
        Option(
            "limit", value: "NAME=VALUE",
            "Set one of the limits below; repeatable.",
            details: "See [Limits].",
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                try OptionValue.limit(value, in: &options.limits)
            }, reload: { $0.limits = $1.limits }),
        Option(
            "config", value: "FILE", defaultValue: ConfigurationFile.standardPath,
            "Read this configuration.",
            details: "The default is read only if it exists; see [Configuration].",
            reader: .commandLineOnly),
        Option(
            "check",
            "Check everything that the options name, and exit: status 0, or 2 if something is wrong.",
            details: """
                This reads the configuration, rules, maps, tokens, certificates, the file of simulated devices and the state
                directory. Examples of errors are an event that no flow has, a session name that no session can have, and
                a state directory or token file that gamed cannot write. If a named session is not opened at the start, gamed
                prints a note. gamed does not open the addresses.
                """, reader: .commandLineOnly),
        Option("help", "Print the options and examples.", reader: .commandLineOnly),
        Option("version", "Print the version.", reader: .commandLineOnly),
    ]

    /// The parsed URL of `database`, with the password; nil without a database. Throws a `StartupError`, whose sentence the
    /// daemon logs before it exits, if the URL or the password file cannot be used.
    var databaseLocation: PostgresLocation? {
        get throws {
            try database.map { url in
                do throws(PostgresLocation.LocationError) {
                    return try PostgresLocation(url, passwordFile: storePasswordFile)
                } catch { throw StartupError(why: "the store: \(error.why)") }
            }
        }
    }

    /// Settings contradict each other.
    struct CombinationError: Error {
        /// The name of the option that the sentence is about.
        let option: String
        /// The value of the option, if it can have several; nil for another option.
        let value: String?
        let why: String

        init(_ option: String, value: String? = nil, _ why: String) {
            (self.option, self.value, self.why) = (option, value, why)
        }
    }

    /// Throws if settings contradict each other.
    func checkCombinations() throws(CombinationError) {
        try checkStore(defaults: Options())
        if btsnoop != nil, bluetooth == nil {
            throw CombinationError("btsnoop", "--btsnoop requires --bluetooth")
        }
        if !webSocketPermissions.areStandard, !http.contains(where: { !$0.isNetwork }) {
            let name = webSocketPermissions.group == nil ? "http-mode" : "http-group"
            throw CombinationError(name, "--\(name) requires --http unix:PATH")
        }
        guard (certificate == nil) == (key == nil) else {
            throw CombinationError(
                certificate == nil ? "tls-key" : "tls-cert",
                "--tls-cert and --tls-key require each other")
        }
        if clientAuthority != nil, certificate == nil {
            throw CombinationError("tls-client-ca", "--tls-client-ca requires --tls-cert")
        }
        if let sharedAddress = listen.first(where: { $0.isForOneSocket && http.contains($0) }) {
            throw CombinationError(
                "http", value: sharedAddress.text,
                "--listen and --http have the same address, \(sharedAddress.text)")
        }
        let addresses = listen.map { ("listen", $0) } + http.map { ("http", $0) }
        for (name, address) in addresses {
            guard !address.isLocal, certificate == nil, !isInsecure else { continue }
            throw CombinationError(
                name, value: address.text,
                "--\(name) on an address that other machines can reach requires --tls-cert and --tls-key; "
                    + "--insecure allows it without TLS, and the traffic can be read on the way")
        }
    }

    /// Throws if the settings of the journal contradict each other. `defaults` are options without any given setting: a setting
    /// with the same value as in `defaults` counts as not given.
    private func checkStore(defaults: Options) throws(CombinationError) {
        if database != nil {
            if namesDirectory {
                throw CombinationError("store", "--store with a URL excludes --state-dir")
            }
            if isVirtual {
                throw CombinationError("store", "--store with a URL excludes --clock virtual")
            }
            try checkNode()
            try checkOutputNodes()
            return
        }
        if storePasswordFile != nil {
            throw CombinationError(
                "store-password-file", "--store-password-file requires --store with a URL")
        }
        if preparesDatabase {
            throw CombinationError("prepare", "--prepare requires --store with a URL")
        }
        if node != defaults.node {
            throw CombinationError("node", "--node requires --store with a URL")
        }
        if advertise != nil {
            throw CombinationError("advertise", "--advertise requires --store with a URL")
        }
        if nodeSecretFile != nil {
            throw CombinationError(
                "node-secret-file", "--node-secret-file requires --store with a URL")
        }
        if nodeAuthority != nil {
            throw CombinationError("node-ca", "--node-ca requires --store with a URL")
        }
        if nodeCertificate != nil || nodeKey != nil {
            throw CombinationError("node-cert", "--node-cert and --node-key require --node-ca")
        }
        if holdDuration != defaults.holdDuration {
            throw CombinationError("hold", "--hold requires --store with a URL")
        }
        if acceptsWeakStore {
            throw CombinationError(
                "accept-weak-store", "--accept-weak-store requires --store with a URL")
        }
        guard stateDirectory == nil else { return }
        if retentionPeriod != defaults.retentionPeriod {
            throw CombinationError("keep", "--keep requires --state-dir or --store")
        }
        if auditsRefusals {
            throw CombinationError("audit", "--audit requires --state-dir or --store")
        }
        if acceptsLoss {
            throw CombinationError("accept-loss", "--accept-loss requires --state-dir or --store")
        }
    }

    /// Throws if an `on` line names a node although its output is an HTTP request. Any node can send an HTTP request, so the
    /// node that owns the session sends it.
    private func checkOutputNodes() throws(CombinationError) {
        for line in outputLines where line.node != nil {
            guard case .web = line.target else { continue }
            throw CombinationError(
                "store",
                "--store with a URL: a line `on … http=` must not have node=: "
                    + "the node that owns the session sends the request"
            )
        }
    }

    /// Throws if other nodes could not connect to this node, or could not trust it.
    private func checkNode() throws(CombinationError) {
        guard (nodeCertificate == nil) == (nodeKey == nil) else {
            throw CombinationError(
                nodeCertificate == nil ? "node-key" : "node-cert",
                "--node-cert and --node-key require each other")
        }
        if nodeCertificate != nil, nodeAuthority == nil {
            throw CombinationError("node-cert", "--node-cert and --node-key require --node-ca")
        }
        if let nodeAuthority, nodeAuthority == clientAuthority {
            throw CombinationError(
                "node-ca",
                "--node-ca and --tls-client-ca must differ: otherwise each client with a certificate is a node"
            )
        }
        if nodeAuthority != nil, nodeSecretFile != nil {
            throw CombinationError("node-ca", "--node-ca and --node-secret-file exclude each other")
        }
        guard let advertise else {
            if nodeSecretFile != nil {
                throw CombinationError(
                    "node-secret-file", "--node-secret-file requires --advertise")
            }
            if nodeAuthority != nil {
                throw CombinationError("node-ca", "--node-ca requires --advertise")
            }
            return
        }
        guard listen.contains(advertise) else {
            throw CombinationError(
                "advertise", "--advertise \(advertise.text) is not one of the --listen addresses")
        }
        if nodeAuthority != nil {
            guard certificate != nil else {
                throw CombinationError(
                    "node-ca",
                    "--node-ca requires --tls-cert and --tls-key: nodes connect to the same address as clients"
                )
            }
            return
        }
        try checkNodeSecret(advertise)
    }

    /// Throws in these cases:
    /// - Neither `--node-ca` nor the node secret is given.
    /// - The secret could be read on the network.
    /// - The secret is combined with TLS.
    private func checkNodeSecret(_ advertise: Address) throws(CombinationError) {
        guard nodeSecretFile != nil else {
            throw CombinationError(
                "advertise", "--advertise requires --node-ca or --node-secret-file")
        }
        guard advertise.isLocal else {
            throw CombinationError(
                "node-secret-file",
                "--node-secret-file is for nodes on one machine: --advertise must be a loopback address; "
                    + "nodes on several machines need --node-ca"
            )
        }
        guard certificate == nil else {
            throw CombinationError(
                "node-secret-file",
                "--node-secret-file does not go with --tls-cert: use --node-ca and certificates")
        }
    }

    /// The files with which this node proves its identity to other nodes, and checks the identity of other nodes. Nil without
    /// `--node-ca`.
    var nodeCertificates: NodeCertificates.Files? {
        guard let authority = nodeAuthority, let certificate = nodeCertificate ?? certificate,
            let key = nodeKey ?? key
        else { return nil }
        return NodeCertificates.Files(
            authority: authority, certificate: certificate, key: key)
    }

    /// The host's name; `node` if it cannot be read. Wraps gethostname(2).
    private static let hostName: String = {
        // Linux limits the name to 64 bytes (HOST_NAME_MAX); one more ends the text.
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, name.count - 1) == 0 else { return "node" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()

    /// Copies from `fresh`, the options that were read again at SIGHUP, the settings that can change without a restart.
    mutating func reload(_ fresh: Options) {
        for option in Self.table {
            guard let reload = option.reload else { continue }
            reload(&self, fresh)
            givenLines[option.name] = fresh.givenLines[option.name]
        }
    }
}

extension Options {
    /// The action that the command line requests.
    enum Command: Equatable {
        case run(Options)
        /// `--check`: the options and the configuration have no mistakes; the files that they name are not checked yet.
        case check(Options)
        case help, version
    }

    /// The reason why the daemon does not start: a mistake in the command line (`usage`), or mistakes in the configuration.
    enum OptionsError: DescribedError, Equatable {
        case usage(String)
        case configuration([ConfigurationFile.ConfigurationError])

        /// One line for each mistake.
        var why: String {
            switch self {
            case .usage(let why): why
            case .configuration(let mistakes): mistakes.map(\.sentence).joined(separator: "\n")
            }
        }
    }

    /// Parses a command line without the program's name, and the configuration that the command line names. If a setting can
    /// have only one value, a value in the command line replaces the value in the configuration. `flows` are the flows of the
    /// program; the options add the flow files. At the start of the daemon, `isStart` is true. `flowFiles` are the
    /// flow files, if they have been read already; see `flowsDirectory(_:)`.
    static func read(
        _ arguments: [String], flows: [AnyFlow], isStart: Bool = false,
        flowFiles: FlowDirectory? = nil
    ) throws(OptionsError) -> Command {
        var options = Options()
        options.flow = standardFlow(flows)
        let table = table.filter(\.isOption)
        let commandLine: LongOptions
        do throws(UsageError) {
            commandLine = try LongOptions(arguments, table.map(\.form))
            if commandLine.has("help") { return .help }
            if commandLine.has("version") { return .version }
            if let word = commandLine.words.first {
                throw UsageError("\(word): gamed takes only options")
            }
        } catch { throw .usage(error.why) }
        options.readFlowFiles(commandLine, flows, flowFiles)
        let knownFlows = KnownFlows(
            flows + (options.flowFiles?.files.map(\.flow) ?? []),
            isPartial: options.flowFiles?.mistakes.isEmpty == false,
            isCompletedByJournal: isStart && !commandLine.has("check")
                && options.flowFiles != nil && journalExists(commandLine))
        let mistakes = options.readConfiguration(
            commandLine.value("config"), node: commandLine.value("node"),
            store: commandLine.value("store"), knownFlows)
        guard mistakes.isEmpty else { throw .configuration(mistakes) }
        do throws(UsageError) {
            for option in table where commandLine.has(option.name) {
                option.clear?(&options)
                if option.clear != nil || !option.isRepeatable {
                    options.overriddenNames.insert(option.name)
                }
            }
            for (name, value) in commandLine.givenOptions {
                guard let option = table.first(where: { $0.name == name }) else { continue }
                do throws(UsageError) { try option.read(value, into: &options, knownFlows) } catch {
                    // A URL may contain a password, which the error must not show.
                    let shownValue =
                        PostgresLocation.isURL(value ?? "") ? "" : value.map { " \($0)" } ?? ""
                    throw UsageError("--\(name)\(shownValue): \(error.why)")
                }
            }
        } catch { throw .usage(error.why) }
        do throws(CombinationError) { try options.checkCombinations() } catch {
            throw options.located(error, commandLine)
        }
        if commandLine.has("check") { return .check(options) }
        if let missing = options.namedFiles.first(where: ServiceCredential.isMissing) {
            throw .usage(
                "\(missing): this process has no credentials; the service manager passes them with "
                    + "LoadCredential=NAME:FILE")
        }
        return .run(options)
    }

    /// A contradiction, with the position of the line that it is about. It has no position if the command line gives the option.
    private func located(_ error: CombinationError, _ commandLine: LongOptions) -> OptionsError {
        guard !commandLine.has(error.option), let path = configuration,
            let file = try? ConfigurationFile(path),
            let line = file.line(error.option, value: error.value)
        else { return .usage(error.why) }
        return .configuration([file.mistake(line, line.words.first, error.why)])
    }

    /// Reads the flow files before everything else, because other settings name flows and their events.
    private mutating func readFlowFiles(
        _ commandLine: LongOptions, _ flows: [AnyFlow], _ readFiles: FlowDirectory?
    ) {
        flowsDirectory = Self.flowsDirectory(commandLine)
        flowFiles = flowsDirectory.map { path in
            if let readFiles, readFiles.path == path { return readFiles }
            return FlowDirectory(path, builtIn: flows)
        }
    }

    private static func flowsDirectory(_ commandLine: LongOptions) -> String? {
        commandLine.value("flows") ?? path(in: commandLine.value("config"), lines: ["flows"])
    }

    /// The directory of flow files that a command line, or the configuration that it names, gives; nil if neither gives one.
    static func flowsDirectory(_ arguments: [String]) -> String? {
        let forms = table.filter(\.isOption).map(\.form)
        return (try? LongOptions(arguments, forms)).flatMap { flowsDirectory($0) }
    }

    /// Whether there is a journal from which sessions will be restored: a database, or a file in the state directory.
    private static func journalExists(_ commandLine: LongOptions) -> Bool {
        let location =
            commandLine.value("store") ?? commandLine.value("state-dir")
            ?? path(in: commandLine.value("config"), lines: ["store", "state-dir"])
            ?? Options().stateDirectory
        guard let location else { return false }
        return PostgresLocation.isURL(location)
            || access("\(location)/\(JournalFile.name)", F_OK) == 0
    }

    /// The directory or URL that a line with one of these names gives in the configuration at `path`; nil without such a line. A
    /// mistake in the configuration is not reported here, but when `readConfiguration` reads the file again.
    private static func path(in path: String?, lines names: [String]) -> String? {
        guard let file = try? ConfigurationFile.read(path) else { return nil }
        guard
            let name = file.lines.last(where: { names.contains($0.name.text) })?.words.first?.text,
            !name.isEmpty
        else { return nil }
        return file.resolvedPath(name)
    }

    /// Adds the warning about a path of the configuration if it is only in the working directory. `name` is the setting.
    mutating func notePath(
        _ name: String, _ path: String, at word: TextWord, of line: ConfigurationFile.Line,
        in file: ConfigurationFile
    ) {
        guard let note = file.noteAboutPath(name, path, at: word, of: line),
            !pathNotes.contains(note)
        else { return }
        pathNotes.append(note)
    }

    /// Reads the configuration for the node `name`. If `name` is nil, the configuration names the node. If the configuration
    /// names no node, the node has the name of the host. Returns the mistakes in the order of the lines. If nodes share a
    /// database, the `on` lines of all nodes are read, because any node can own any session.
    private mutating func readConfiguration(
        _ path: String?, node name: String?, store: String?, _ flows: KnownFlows
    ) -> [ConfigurationFile.ConfigurationError] {
        let file: ConfigurationFile
        do throws(ConfigurationFile.ConfigurationError) {
            guard let existingFile = try ConfigurationFile.read(path) else { return [] }
            file = existingFile
        } catch { return [error] }
        configuration = file.path
        node = name ?? file.nodeName ?? node
        let (namedNodes, nodeMistakes) = file.nodes
        var mistakes = file.mistakes + nodeMistakes
        let isShared = PostgresLocation.isURL(store ?? file.storeName ?? "")
        let nodeFile = isShared ? file.withoutOnLines : file
        mistakes += readLines(of: nodeFile.asRead(by: node), flows)
        for namedNode in namedNodes where namedNode != node {
            // The lines of other nodes are only checked, as those nodes would read them.
            var otherOptions = Options()
            let otherMistakes = otherOptions.readLines(of: nodeFile.asRead(by: namedNode), flows)
            mistakes += otherMistakes.filter { !mistakes.contains($0) }
        }
        if isShared { mistakes += readLines(of: file.sharedOnLines, flows) }
        connectionNodes = file.connectionNodes
        nodeNote = file.noteThatNoLineIsFor(node)?.sentence
        let ownLines = nodeFile.asRead(by: node).lines
        for line in ownLines + (isShared ? file.sharedOnLines.lines : []) {
            givenLines[line.name.text, default: []].append(line.words.map(\.text))
        }
        return mistakes.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    /// Reads all lines of a file into these options. Returns the mistakes.
    private mutating func readLines(of file: ConfigurationFile, _ flows: KnownFlows)
        -> [ConfigurationFile.ConfigurationError]
    {
        var mistakes: [ConfigurationFile.ConfigurationError] = []
        for line in file.lines {
            do throws(ConfigurationFile.ConfigurationError) {
                try read(line, of: file, flows)
            } catch { mistakes.append(error) }
        }
        return mistakes
    }

    /// Reads a line into these options.
    private mutating func read(
        _ line: ConfigurationFile.Line, of file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) {
        let name = line.name.text
        let lineOptions = Self.table.filter(\.isLine)
        guard let option = lineOptions.first(where: { $0.name == name }) else {
            let similar = DidYouMean.suggest(name, lineOptions.map(\.name))
            let hint =
                name.contains("=")
                ? "; put a space between the name and its value"
                : similar.isEmpty ? "" : "; did you mean \(similar[0])?"
            throw file.mistake(line, nil, "\(name): unknown\(hint)")
        }
        try option.read(line, of: file, into: &self, flows)
        // The words of the lines of the room that name files with secrets and certificates.
        for word in line.words {
            guard case .line = option.reader, let (key, value) = ConnectionDirective.pair(word),
                ["ca", "password-file", "secret-file"].contains(key)
            else { continue }
            notePath(key, value, at: word, of: line, in: file)
            namedFiles.append(ServiceCredential.path(file.resolvedPath(value)))
        }
    }
}

extension Options {
    /// The text that `gamed --help` prints.
    static func help(flows: [AnyFlow]) -> String {
        let limits = Limit.settable.map { ($0.setting ?? "", $0.sentence) }
        let forms = table.filter(\.isOption).map { option in
            var form = option.form
            if form.name == "flow" { form.defaultValue = standardFlow(flows) }
            return form
        }
        let lines = table.filter { !$0.isOption }.map { line in
            ("\(line.name) \(line.form.value ?? "")", "\(line.form.sentence) \(line.form.details)")
        }
        return """
            gamed: the referee of live games and app flows. It receives events at sockets and fires timers.

            Examples:
              gamed                                   run the game; clients find it at
                                                      \(SocketPath.defaultPath)
              gamed --socket /tmp/g.sock              listen somewhere else
              gamed --config room.conf                serve a web page; `gamectl token add desk` makes its token:
                                                      http 127.0.0.1:8080
                                                      allow token:desk operate
              gamed --bluetooth sim:hall.radio        simulate buzzers; `gamectl bluetooth` shows them
              gamed --clock virtual                   move time only by `gamectl advance 90s`
              echo status | nc -N -U /tmp/g.sock      send a request; gamectl does the same

            Options:
            \(HelpText.options(forms))

            Flows: \(flows.map(\.name).joined(separator: ", ")).

            Limits of --limit:
            \(HelpText.rows(limits))

            Lines of the configuration are these options without the dashes, and:
            \(HelpText.rows(lines))

            Signals: SIGTERM and SIGINT end the daemon cleanly; a second one ends it at once. At SIGHUP, the daemon reads
            again: rules, limits, tokens, certificates, flow files, and all lines of the configuration except options.
            Exit status: 0 ended cleanly, 1 could not run, 2 usage.
            """
    }
}
