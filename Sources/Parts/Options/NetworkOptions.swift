import EventLoop
package import Net
package import Shell

/// The settings of the UNIX socket, of the addresses for lines, and of TLS.
package struct NetworkOptions: OptionSection {
    /// The path of the UNIX socket.
    package var socket = SocketPath.defaultPath
    /// Whether the socket has its default path, whose directory the daemon creates.
    package var isStandardSocket = true
    /// The addresses at which the daemon accepts lines over TCP; each line is a request.
    package var listen: [Address] = []
    /// The maximum number of addresses in `listen`; `WebOptions` has the same maximum.
    static let addressLimit = 16
    /// The certificate, without which there is no TLS, and the authority of the clients' certificates.
    package var tls = TLSFiles()
    /// Whether addresses that other machines can reach may be used without TLS.
    var isInsecure = false

    package init() {}

    package static let table: [Option] = [
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
                (options.network.socket, options.network.isStandardSocket) = (value, false)
            }),
        Option(
            "listen", value: "HOST:PORT",
            "Accept lines over TCP at this address; repeatable.",
            isRepeatable: true,
            reader: .value { options, value, _ throws(UsageError) in
                guard let address = Address(value), case .network = address else {
                    throw UsageError("expected HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001")
                }
                try OptionValue.add(address, value, to: &options.network.listen)
            }, clear: { $0.network.listen = [] }),
        Option(
            "tls-cert", value: "FILE",
            "Use TLS for `--listen`, `--http` and `--metrics`, with this certificate (PEM).",
            details: "Requires `--tls-key`.",
            reader: .file(\.network.tls.certificate)),
        Option(
            "tls-key", value: "FILE", "Read the certificate's private key (PEM) from this file.",
            reader: .file(\.network.tls.key)),
        Option(
            "tls-client-ca", value: "FILE",
            "Request client certificates, and accept those signed by this authority.",
            reader: .file(\.network.tls.authority)),
        Option(
            "insecure",
            "Allow connections without TLS at an address that other machines can reach.",
            reader: .flag { $0.network.isInsecure = true }),
    ]

    package func contradictions(in options: Options) -> [Contradiction] {
        var found = Contradiction.unpaired(
            "tls-cert", tls.certificate != nil, "tls-key", tls.key != nil)
        if tls.authority != nil, tls.certificate == nil {
            found.append(
                Contradiction(
                    "tls-client-ca", and: ["tls-cert"], "--tls-client-ca requires --tls-cert"))
        }
        return found + openAddresses(among: listen, option: "listen")
    }

    /// The addresses of an option that other machines can reach, and whose traffic could be read on the way.
    package func openAddresses(among addresses: [Address], option: String)
        -> [Options.Contradiction]
    {
        guard tls.certificate == nil, !isInsecure else { return [] }
        return addresses.filter { !$0.isLocal }.map { address in
            Options.Contradiction(
                option, value: address.text, and: ["tls-cert", "tls-key", "insecure"],
                "--\(option) on an address that other machines can reach requires --tls-cert and --tls-key; "
                    + "--insecure allows it without TLS, and the traffic can be read on the way")
        }
    }
}

extension Options {
    package var network: NetworkOptions {
        get { self[NetworkOptions.self] }
        _modify { yield &self[NetworkOptions.self] }
    }
}

extension OptionValue {
    /// Appends an address, which the operator wrote as `text`. Throws if `addresses` contains the address already, or
    /// `NetworkOptions.addressLimit` addresses. An address with port 0 may be given several times, because each socket gets a port of
    /// its own.
    package static func add(_ address: Address, _ text: String, to addresses: inout [Address])
        throws(UsageError)
    {
        guard !address.isForOneSocket || !addresses.contains(address) else {
            throw UsageError("\(text) is given twice")
        }
        guard addresses.count < NetworkOptions.addressLimit else {
            throw UsageError("at most \(NetworkOptions.addressLimit) addresses")
        }
        addresses.append(address)
    }

    /// Whether the path of a UNIX socket is short enough; true for other addresses.
    package static func socketPathFits(_ address: Address) -> Bool {
        guard case .unix(let path) = address else { return true }
        return SocketAddress(path: path) != nil
    }
}
