import Access
import Keeping
import Sessions
import Shell
import Timers
import Wire

/// Everything by which the daemon is reached: the sockets of lines, the web, and who is let in there.
final class Front {
    let exchange: Exchange
    let server: Server
    private var web: WebServer?
    private let security: Security?
    private let bluetooth: BluetoothSource?
    private var options: Options
    private var last: HeldPendulum?

    /// Why it cannot be reached there, in words for an operator.
    struct Unavailable: Error {
        let why: String
    }

    /// Opens every way in that the options name. Throws `Unavailable`, and what the loop and the tokens throw.
    init(
        _ socket: consuming UnixSocket, _ options: Options, _ exchange: Exchange,
        _ bluetooth: BluetoothSource? = nil, instance: String
    ) throws {
        (self.exchange, self.options, self.bluetooth) = (exchange, options, bluetooth)
        exchange.bluetooth = bluetooth
        if let bluetooth { exchange.beforeSleep.append { bluetooth.flush() } }
        server = Server(exchange)
        security = try Self.security(options)
        try server.open(socket)
        if case .network(let host, let port)? = options.listen {
            let network = try Self.bind(host, port, for: "listen")
            Log.write(.info, "lines over \(Self.kind(security)) at \(network.address)")
            try server.open(network, security)
        }
        try openWeb(options, instance)
        warn()
    }

    private func openWeb(_ options: Options, _ instance: String) throws {
        switch options.http {
        case nil: return
        case .unix(let path)?:
            web = try WebServer(
                UnixSocket(path), exchange, instance: instance, hosts: options.hosts)
        case .network(let host, let port)?:
            web = try WebServer(
                Self.bind(host, port, for: "http"), exchange, instance: instance, security,
                hosts: options.hosts)
        }
        guard let web else { return }
        let scheme = security == nil ? "http" : "https"
        let isEverywhere = web.address.hasPrefix("0.0.0.0:") || web.address.hasPrefix("[::]:")
        let place = web.isUnix ? "unix:\(web.address)" : "\(scheme)://\(web.address)/"
        Log.write(
            .info, "web at \(place)\(isEverywhere ? ", by each address of this machine" : "")")
    }

    private static func bind(_ host: String, _ port: UInt16, for option: String) throws
        -> NetworkSocket
    {
        do { return try NetworkSocket(host: host, port: port) } catch {
            throw Unavailable(why: "--\(option): cannot listen at \(error.why)")
        }
    }

    private static func kind(_ security: Security?) -> String { security == nil ? "TCP" : "TLS" }

    /// What was asked for, and is not safe.
    private func warn() {
        if bluetooth == nil, !options.maps.maps.isEmpty {
            Log.write(
                .warning, "there are maps of Bluetooth devices, and no --bluetooth to hear them")
        }
        if options.rules.isEmpty, options.listen != nil || options.http != nil {
            Log.write(
                .warning,
                "there is no rule: over the network nobody may do anything yet; see `allow` in gamed(8)"
            )
        }
        guard security == nil else { return }
        for case let address? in [options.listen, options.http] where !address.isLocal {
            Log.write(
                .warning,
                "no TLS at an address that others reach (--insecure): tokens and events can be read on the way"
            )
            return
        }
    }

    static func security(_ options: Options) throws(Unavailable) -> Security? {
        guard let certificate = options.certificate, let key = options.key else { return nil }
        do throws(Security.Unusable) {
            return try Security(
                certificate: certificate, key: key, clientAuthority: options.clientAuthority)
        } catch { throw Unavailable(why: error.why) }
    }

    // MARK: again

    /// Reads the configuration, the tokens and the certificates again. What is bad stays as it was, whole.
    func readAgain(_ arguments: [String], flows: [String]) {
        let fresh: Options
        do throws(Options.Mistake) {
            guard case .run(let read) = try Options.read(arguments, flows: flows) else { return }
            fresh = read
        } catch {
            for sentence in error.sentences { Log.write(.error, "SIGHUP: \(sentence)") }
            return Log.write(.error, "SIGHUP: the configuration stays as it was")
        }
        do throws(Security.Unusable) { try security?.readAgain() } catch {
            Log.write(.error, "SIGHUP: the certificate stays as it was: \(error.why)")
        }
        if case .file(let why)? = exchange.gatekeeper.readTokens() {
            Log.write(.error, "SIGHUP: the tokens stay as they were: \(why)")
        }
        take(fresh)
    }

    private func take(_ fresh: Options) {
        var same = fresh
        (same.rules, same.limits, same.maps) = (options.rules, options.limits, options.maps)
        if same != options {
            Log.write(
                .warning,
                "SIGHUP: rules, limits and maps are read again; for the rest, start the daemon anew"
            )
        }
        exchange.limits = fresh.limits
        exchange.limits.clients = Descriptors.raiseLimit(for: fresh.limits.clients)
        exchange.gatekeeper.take(Rules(fresh.rules, ownUID: Rules.ownUID))
        bluetooth?.take(fresh.maps, fresh.limits)
        (options.rules, options.limits, options.maps) = (fresh.rules, fresh.limits, fresh.maps)
        let maps = fresh.maps.maps.isEmpty ? "" : ", \(fresh.maps.maps.count) maps"
        Log.write(.info, "SIGHUP: read again; \(fresh.rules.count) rules\(maps)")
    }

    /// Lets nobody in any more, and calls `done` when everybody has read his last answers.
    func stop(_ done: @escaping () -> Void) {
        bluetooth?.stop()
        web?.stop()
        server.stop { [unowned self] in waitForWeb(done) }
    }

    /// What was answered over HTTP or TLS goes out, as far as it is read within the grace.
    private func waitForWeb(_ done: @escaping () -> Void) {
        var isOver: Bool { (web?.isQuiet ?? true) && exchange.farewells.count == 0 }
        if isOver { return done() }
        let look = Interval.milliseconds(10)
        let end = exchange.loop.agenda.now + exchange.limits.stopGrace
        last = HeldPendulum(on: exchange.loop, look) { [unowned self] _ in
            guard isOver || exchange.loop.agenda.now >= end else { return }
            if !isOver {
                Log.write(.warning, "clients over HTTP or TLS did not read their last answers")
            }
            last = nil
            done()
        }
    }
}
