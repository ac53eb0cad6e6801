import Access
import BluetoothPart
import Cluster
import Connections
import Durability
import EventLoop
import GameFlow
import Net
import Parts
import RPC
import Room
import Sessions
import Shards
import Shell
import Support
import Timers

/// All listening sockets of the daemon, for lines and HTTP. `RunningDaemon` owns this object, and calls `readAgain` at SIGHUP.
/// `readAgain` reads the whole configuration again, and applies it to all parts of the daemon.
final class Listeners {
    let context: ServerContext
    private let lineServer: LineServer
    private var webServers: [WebServer] = []
    private let pageAddress: PageAddress
    private(set) var isStopping = false
    private let opener: SocketOpener
    /// Identifies the daemon's data for clients. The numbers of changes that clients have stored are valid while the instance
    /// stays the same.
    private let instance: String
    /// TLS at the addresses of `--listen`, where other nodes connect too, and at those of `--http`; nil without TLS.
    private let tls: (lines: TLSContext, web: TLSContext)?
    private var options: Options
    /// The flows of the daemon. Flows from flow files are read again at SIGHUP.
    private let library: FlowLibrary
    /// Reads the next flow files after a SIGHUP; nil if no files are being read.
    private var flowFilesReading: DeferredTask?
    /// Called with the outcome of the reload that is in progress.
    private var reloadCallbacks: [(Result<ReloadOutcome, Options.OptionsError>) -> Void] = []
    /// The files whose content is read again at a reload.
    private var files: ReloadedFiles
    /// Warns of certificates that end soon.
    let certificateWatch: CertificateWatch
    /// The options that were read last. Those that need a restart are not in effect.
    private var newestOptions: Options
    /// The maximum time for which flow files are read in one turn of the loop, except for the last file of the turn.
    private static let readingTime = Duration.milliseconds(3)
    /// After `stop`: checks at intervals whether all clients have read their last replies.
    private var replyCheck = Ticker()

    /// Accepts connections at `sockets`, and opens all other sockets that the options name. `parts` are the parts of the daemon that are reloaded and stopped, in the order of their flushes. Throws `StartupError`,
    /// `UnixSocket.SocketError`, or `EventLoopError` if libevent fails.
    init(
        _ sockets: StartSockets, _ options: Options, _ context: ServerContext,
        _ library: FlowLibrary, _ pageAddress: PageAddress, parts: [any Part], instance: String
    ) throws {
        (self.context, self.options, self.library) = (context, options, library)
        self.pageAddress = pageAddress
        newestOptions = options
        self.instance = instance
        opener = SocketOpener(sockets.passed, options.network, on: context.loop)
        files = ReloadedFiles(options)
        certificateWatch = CertificateWatch(
            own: options.ownCertificateFiles, authorities: options.authorityCertificateFiles,
            on: context.loop
        ) { Log.write($0.hasEnded ? .error : .warning, .alert, $0.sentence) }
        context.parts = parts
        let turnParts = parts.compactMap { $0 as? any TurnPart }
        context.beforeSleep.append { for part in turnParts { part.flush() } }
        lineServer = LineServer(context)
        let nodes = context.router?.nodeEnvironment.proof.certificates
        tls = try Self.tlsContext(options, nodes: nodes).flatMap { lines in
            try Self.tlsContext(options).map { (lines, $0) }
        }
        readMedia()
        guard context.media.wasOpened else {
            throw StartupError(why: context.media.problems.first ?? "--media cannot be read")
        }
        context.metrics.certificates = { [certificateWatch] in certificateWatch.ends }
        context.metrics.clients = { [unowned self] in clientCounts }
        try sockets.takeUnixSockets { try lineServer.open($0) }
        try opener.open(
            options.network.listen, .lines, unixOpened: { _ in },
            networkOpened: { [unowned self] in try openLines($0) })
        try openWebServers(options.web.addresses, .http)
        try openWebServers(options.metrics.addresses, .metrics)
        warnAboutAccess()
    }

    // MARK: opening

    /// Accepts connections for the protocol in lines.
    private func openLines(_ socket: consuming NetworkSocket) throws(EventLoopError) {
        let reachable = ReachableAddresses(listeningAt: socket.address)
        try lineServer.open(socket, tls?.lines)
        Log.write(.info, .start, "lines over \(tls == nil ? "TCP" : "TLS") at \(reachable.text())")
    }

    /// Accepts connections for HTTP, or only for the metrics.
    private func openWebServers(_ addresses: [Address], _ kind: ServiceSockets.Kind) throws {
        let (access, isForMetrics) = (WebAccess(options.web), kind == .metrics)
        try opener.open(
            addresses, kind, permissions: options.web.socketPermissions,
            unixOpened: { socket in
                serve(
                    try WebServer(
                        socket, context, instance: instance, access: access,
                        isForMetrics: isForMetrics))
            },
            networkOpened: { [unowned self] socket in
                serve(
                    try WebServer(
                        socket, context, instance: instance, tls?.web, access: access,
                        isForMetrics: isForMetrics))
            })
    }

    /// Keeps a web server, and logs its address.
    private func serve(_ webServer: WebServer) {
        webServers.append(webServer)
        if !webServer.isUnix, !webServer.isForMetrics {
            pageAddress.servers.append((webServer.address, webServer.security != nil))
        }
        let reachable = ReachableAddresses(listeningAt: webServer.address)
        let scheme = webServer.security == nil ? "http" : "https"
        let text =
            webServer.isUnix
            ? "unix:\(webServer.address)"
            : reachable.text(before: "\(scheme)://", after: "/")
        Log.write(.info, .start, "\(webServer.isForMetrics ? "metrics" : "web") at \(text)")
    }

    /// Warns about configured access that has no effect or is not safe.
    private func warnAboutAccess() {
        if options.web.origins.contains("null") {
            Log.write(
                .warning, .start,
                "--http-origin null admits every file and every sandboxed frame in a browser: "
                    + "its pages can do what their tokens may do")
        }
        if let note = options.nodeNote { Log.write(.warning, .start, note) }
        for note in options.pathNotes { Log.write(.warning, .start, note.sentence) }
        if let note = options.store.retentionNote { Log.write(.warning, .start, note) }
        if options.bluetooth.controller == nil, !options.bluetooth.maps.maps.isEmpty {
            Log.write(
                .warning, .start, "Bluetooth devices are mapped, but --bluetooth is missing")
        }
        let addresses =
            options.network.listen + options.web.addresses + opener.unnamedAddresses
        if options.access.rules.isEmpty, !addresses.isEmpty {
            Log.write(
                .warning, .start,
                "no rule grants rights to network clients yet; see `allow` in gamed(8)"
            )
        }
        guard tls == nil else { return }
        if (addresses + options.metrics.addresses).contains(where: { !$0.isLocal }) {
            Log.write(
                .warning, .start,
                "without TLS at an address that other machines can reach (--insecure): tokens and events can be read on the way"
            )
        }
    }

    /// Reads the certificate and the key that the options name; nil without a certificate. With `nodes`, other nodes can
    /// connect too.
    static func tlsContext(_ options: Options, nodes: NodeCertificates? = nil)
        throws(StartupError) -> TLSContext?
    {
        let files = options.network.tls
        guard let certificate = files.certificate, let key = files.key else {
            return nil
        }
        do throws(TLSContext.CertificateError) {
            return try TLSContext(
                certificate: certificate, key: key, clientAuthority: files.authority,
                nodeCertificates: nodes)
        } catch { throw StartupError(why: error.why) }
    }

    // MARK: reload

    /// Reads the configuration, the tokens and the certificates again. A file with a mistake is ignored completely, and its
    /// previous content stays in effect. `arguments` are the arguments of the daemon's command line. `flows` are the flows that
    /// are compiled into the program. `done` is called with the outcome, or with the mistakes of a configuration that is not
    /// used.
    ///
    /// The flow files are read first, in parts, because the loop serves clients between two parts.
    func readAgain(
        _ arguments: [String], flows: [AnyFlow],
        _ done: @escaping (Result<ReloadOutcome, Options.OptionsError>) -> Void = { _ in }
    ) {
        // A second SIGHUP starts the reading again: the files may have changed again.
        reloadCallbacks.append(done)
        guard let path = Options.flowsDirectory(arguments) else {
            flowFilesReading = nil
            return endReload(arguments, flows, flowFiles: nil)
        }
        let directory = FlowDirectory(
            toRead: path, builtIn: flows, earlier: options.sessions.flowFiles)
        flowFilesReading = DeferredTask(on: context.loop) { [unowned self] in
            let start = ContinuousClock.now
            guard directory.read(while: { ContinuousClock.now - start < Self.readingTime }) else {
                flowFilesReading?.call()
                context.loop.endTurn()
                return
            }
            flowFilesReading = nil
            endReload(arguments, flows, flowFiles: directory)
        }
        flowFilesReading?.call()
    }

    /// Reads everything except the flow files, applies it, logs the outcome, and tells it to all who wait for it.
    private func endReload(_ arguments: [String], _ flows: [AnyFlow], flowFiles: FlowDirectory?) {
        let result = readAgain(arguments, flows, flowFiles: flowFiles)
        for done in exchange(&reloadCallbacks, with: []) { done(result) }
    }

    private func readAgain(_ arguments: [String], _ flows: [AnyFlow], flowFiles: FlowDirectory?)
        -> Result<ReloadOutcome, Options.OptionsError>
    {
        let newOptions: Options
        do throws(Options.OptionsError) {
            guard
                case .run(let read) = try Options.read(
                    arguments, flows: flows, flowFiles: flowFiles)
            else { return .failure(.usage("the command line does not start a daemon")) }
            newOptions = read
        } catch {
            for line in error.lines { Log.write(.error, .reload, "reload: \(line)") }
            Log.write(.error, .reload, "reload: the configuration is unchanged")
            return .failure(error)
        }
        var mistakes = newOptions.pathMistakes(besides: options)
        do throws(TLSContext.CertificateError) {
            try tls?.lines.readAgain()
            try tls?.web.readAgain()
        } catch { mistakes.append("the certificate is unchanged: \(error.why)") }
        let nodes = context.router?.nodeEnvironment.proof.certificates
        do throws(TLSContext.CertificateError) { try nodes?.readAgain() } catch {
            mistakes.append("the certificate for nodes is unchanged: \(error.why)")
        }
        let oldTokens = context.authorizer.tokenText
        if case .storage(let why)? = context.authorizer.readTokens() {
            mistakes.append("the tokens are unchanged: \(why)")
        }
        for mistake in mistakes { Log.write(.error, .reload, "reload: \(mistake)") }
        // A certificate that was not read counts as changed when it can be read.
        var changedFiles = files.changes(in: options, isRead: mistakes.isEmpty)
        if oldTokens != context.authorizer.tokenText { changedFiles.insert("tokens") }
        return .success(apply(newOptions, mistakes, changedFiles))
    }

    /// How often the files for the players' pages were read.
    private(set) var mediaReadings = 0

    /// Reads the files for the players' pages, and logs problems with these files. Called at the start and at SIGHUP.
    private func readMedia() {
        guard let path = options.web.media else { return }
        let newMedia = MediaDirectory(path, previous: context.media)
        for problem in newMedia.problems + newMedia.missingFiles(shownBy: library.catalog.flows) {
            Log.write(.warning, .start, problem)
        }
        context.media = newMedia
        mediaReadings += 1
    }

    /// Applies a configuration that was read again. `mistakes` are those in other files, and `changedFiles` the names of the
    /// settings whose files have changed.
    private func apply(
        _ newOptions: Options, _ mistakes: [String], _ changedFiles: Set<String>
    ) -> ReloadOutcome {
        var changedFiles = changedFiles
        let oldFlows = library.offeredVersions
        context.setLimits(newOptions.limits.withinDescriptors)
        for part in context.parts { part.reload(newOptions) }
        let oldMedia = context.media.files.mapValues(\.tag)
        readMedia()
        if oldMedia != context.media.files.mapValues(\.tag) { changedFiles.insert("media") }
        if oldFlows != library.offeredVersions { changedFiles.insert("flows") }
        var outcome = ReloadOutcome(from: options, to: newOptions, changedFiles: changedFiles)
        outcome.mistakes = mistakes + library.mistakes.map { "flow file: \($0)" }
        options.reload(newOptions)
        newestOptions = newOptions
        Log.level = options.log.level
        context.router?.reload(
            options, linkLines: options.room.onLines.linkFingerprints,
            digest: ConfigurationDigest.of(options))
        context.shards.reload(options)
        certificateWatch.look()
        let mapCount = newOptions.bluetooth.maps.maps.count + newOptions.room.inputs.count
        let mapText = mapCount == 0 ? "" : ", maps: \(mapCount)"
        Log.write(
            outcome.mistakes.isEmpty ? .info : .warning, .reload,
            "reload: configuration reloaded; rules: \(newOptions.access.rules.count)\(mapText); "
                + outcome.summary)
        return outcome
    }

    /// The values that are in effect, and those that wait for a restart.
    var effectiveSettings: EffectiveSettings {
        EffectiveSettings(options, newest: newestOptions)
    }

    /// Drops what was sent to the daemon and was not handled yet, after the process stood still.
    func dropInput() {
        for transport in transports { transport.dropConnections() }
        for part in context.parts { part.dropInput() }
    }

    /// Stops accepting connections, and calls `done` once, when all clients have read their last replies, or after the limit
    /// `stopGrace`.
    func stop(_ done: @escaping () -> Void) {
        isStopping = true
        for part in context.parts { part.stop() }
        opener.stop()
        for transport in transports { transport.stop() }
        waitForReplies(done)
    }

    /// All connections.
    var clients: [any ListedClient] {
        lineServer.connections.values.map { $0 }
            + webServers.flatMap { $0.connections.values.map { $0 as any ListedClient } }
    }

    /// The number of clients of each kind.
    private var clientCounts: [(kind: String, count: Int)] {
        let web = webServers.reduce(0) { $0 + $1.connections.count }
        let streams = webServers.reduce(0) { $0 + $1.streams.count }
        return lineServer.clientCounts + [("web", web - streams), ("stream", streams)]
    }

    /// All servers, for lines and HTTP.
    private var transports: [any Transport] { [lineServer] + webServers }

    /// Calls `done` when no client waits for a reply, or after the limit `stopGrace`.
    private func waitForReplies(_ done: @escaping () -> Void) {
        var unfinishedClients: Int {
            transports.reduce(context.closingChannels.count) { $0 + $1.unfinishedClients }
        }
        if unfinishedClients == 0 { return done() }
        let interval = Duration.milliseconds(10)
        let end = context.loop.timerQueue.now + context.limits.stopGrace
        replyCheck.start(on: context.loop, interval) { [unowned self] _ in
            guard unfinishedClients == 0 || context.loop.timerQueue.now >= end else { return }
            if unfinishedClients > 0 {
                Log.write(
                    .warning, .stop,
                    "\(CountText.write(unfinishedClients, "client")) did not read the last replies")
            }
            replyCheck.stop()
            done()
        }
    }
}

extension ServerLimits {
    /// These limits with no more clients than the process can have descriptors for. Raises its limit of descriptors first.
    var withinDescriptors: ServerLimits {
        var limits = self
        limits.clients = Descriptors.raiseLimit(for: clients)
        return limits
    }
}
