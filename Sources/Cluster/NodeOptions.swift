import Glibc
package import Net
package import Parts
import RPC
import Shards
import Shell
import Support
import Timers

/// The settings of a node that shares a database with other nodes.
package struct NodeOptions: OptionSection {
    /// The name of this node. Logs and the words `node=NAME` of the configuration use this name.
    package var name = NodeOptions.hostName
    /// The address to which other nodes and redirected clients connect. It must be one of the addresses in `listen`.
    package var advertise: Address?
    /// The file with the secret that all nodes share.
    package var secretFile: String?
    /// The certificate that this node shows to other nodes, and the authority of the nodes' certificates. Without a certificate,
    /// the node shows that of `NetworkOptions`.
    package var tls = TLSFiles()
    /// For how long replies and timers are held if the database cannot be reached.
    package var holdDuration = Duration.seconds(30)

    package init() {}

    /// The host's name; `node` if it cannot be read. Wraps gethostname(2).
    private static let hostName: String = {
        // Linux limits the name to 64 bytes (HOST_NAME_MAX); one more ends the text.
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, name.count - 1) == 0 else { return "node" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()

    package static let table: [Option] = [
        Option(
            "node", value: "NAME", defaultValue: "the host's name",
            "Use this name for the node in the logs of other nodes.",
            reader: .value { options, value, _ throws(UsageError) in
                guard NodeName.isName(value) else { throw UsageError(NodeName.expected) }
                options.node.name = value
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
                options.node.advertise = .network(host: host, port: port)
            }),
        Option(
            "node-secret-file", value: "FILE",
            "Authenticate nodes to each other by the secret in this file.",
            details: """
                The secret is the first line, of at least 32 bytes, such as `openssl rand -hex 32` prints; it is the same on all
                nodes. Use a secret only for nodes on one machine: `--advertise` must be a loopback address. Only the owner
                may be able to read the file.
                """,
            reader: .file(\.node.secretFile)),
        Option(
            "node-ca", value: "FILE",
            "Authenticate nodes to each other by certificates that this authority (PEM) has signed.",
            details: """
                The authority must sign certificates for nodes only, because a program with such a certificate may do
                everything in all sessions. Connections between nodes are encrypted, so `--advertise` may be an address that
                other machines can reach. Requires `--tls-cert`, because nodes connect to the same address as clients.
                """,
            reader: .file(\.node.tls.authority)),
        Option(
            "node-cert", value: "FILE",
            "Present this certificate (PEM), which `--node-ca` has signed, to other nodes.",
            details: """
                Requires `--node-key`. The certificate must be valid for TLS servers and for TLS clients; gamed ignores the
                names in it. Without this option, gamed presents the certificate of `--tls-cert` to other nodes.
                """,
            reader: .file(\.node.tls.certificate)),
        Option(
            "node-key", value: "FILE",
            "Read the private key (PEM) of `--node-cert` from this file.",
            reader: .file(\.node.tls.key)),
        Option(
            "hold", value: "D", defaultValue: "30s",
            "Hold replies and timers for this long while the database cannot be reached.",
            details:
                "After that time, gamed answers requests with the error `storage` until it reaches the database again.",
            reader: .value { options, value, _ throws(UsageError) in
                guard let duration = DurationText.read(value) else {
                    throw UsageError("expected a duration such as 30s")
                }
                options.node.holdDuration = duration
            }),
    ]

    package func contradictions(in options: Options) -> [Contradiction] {
        if options.store.database != nil { return untrusted(options.network) }
        var found: [Contradiction] = []
        if tls.certificate != nil || tls.key != nil {
            found.append(
                Contradiction(
                    tls.certificate == nil ? "node-key" : "node-cert", and: ["node-ca"],
                    "--node-cert and --node-key require --node-ca"))
        }
        let defaults = NodeOptions()
        for (isGiven, option) in [
            (name != defaults.name, "node"), (advertise != nil, "advertise"),
            (secretFile != nil, "node-secret-file"), (tls.authority != nil, "node-ca"),
            (holdDuration != defaults.holdDuration, "hold"),
        ] where isGiven {
            found.append(
                Contradiction(
                    option, and: ["store"], "--\(option) requires --store with a URL"))
        }
        return found
    }

    /// Why other nodes could not connect to this node, or could not trust it.
    private func untrusted(_ network: NetworkOptions) -> [Contradiction] {
        var found = Contradiction.unpaired(
            "node-cert", tls.certificate != nil, "node-key", tls.key != nil)
        if tls.certificate != nil, tls.authority == nil {
            found.append(
                Contradiction(
                    "node-cert", and: ["node-ca"], "--node-cert and --node-key require --node-ca"))
        }
        if let authority = tls.authority, authority == network.tls.authority {
            found.append(
                Contradiction(
                    "node-ca", and: ["tls-client-ca"],
                    "--node-ca and --tls-client-ca must differ: otherwise each client with a certificate is a node"
                ))
        }
        if tls.authority != nil, secretFile != nil {
            found.append(
                Contradiction(
                    "node-ca", and: ["node-secret-file"],
                    "--node-ca and --node-secret-file exclude each other"))
        }
        guard let advertise else {
            for (isGiven, option) in [
                (secretFile != nil, "node-secret-file"), (tls.authority != nil, "node-ca"),
            ] where isGiven {
                found.append(
                    Contradiction(option, and: ["advertise"], "--\(option) requires --advertise"))
            }
            return found
        }
        if !network.listen.contains(advertise) {
            found.append(
                Contradiction(
                    "advertise", and: ["listen"],
                    "--advertise \(advertise.text) is not one of the --listen addresses"))
        }
        guard tls.authority != nil else { return found + openSecrets(advertise, network) }
        if network.tls.certificate == nil {
            found.append(
                Contradiction(
                    "node-ca", and: ["tls-cert", "tls-key"],
                    "--node-ca requires --tls-cert and --tls-key: nodes connect to the same address as clients"
                ))
        }
        return found
    }

    /// Finds these cases:
    /// - Neither `--node-ca` nor the node secret is given.
    /// - The secret could be read on the network.
    /// - The secret is combined with TLS.
    private func openSecrets(_ advertise: Address, _ network: NetworkOptions) -> [Contradiction] {
        guard secretFile != nil else {
            return [
                Contradiction(
                    "advertise", and: ["node-ca", "node-secret-file"],
                    "--advertise requires --node-ca or --node-secret-file")
            ]
        }
        var found: [Contradiction] = []
        if !advertise.isLocal {
            found.append(
                Contradiction(
                    "node-secret-file", and: ["advertise", "node-ca"],
                    "--node-secret-file is for nodes on one machine: --advertise must be a loopback address; "
                        + "nodes on several machines need --node-ca"))
        }
        if network.tls.certificate != nil {
            found.append(
                Contradiction(
                    "node-secret-file", and: ["tls-cert", "node-ca"],
                    "--node-secret-file does not go with --tls-cert: use --node-ca and certificates"
                ))
        }
        return found
    }

    /// The files with which this node proves its identity to other nodes, and checks the identity of other nodes. Nil without
    /// `--node-ca`.
    package func certificates(_ network: NetworkOptions) -> NodeCertificates.Files? {
        guard let authority = tls.authority,
            let certificate = tls.certificate ?? network.tls.certificate,
            let key = tls.key ?? network.tls.key
        else { return nil }
        return NodeCertificates.Files(
            authority: authority, certificate: certificate, key: key)
    }
}

extension Options {
    package var node: NodeOptions {
        get { self[NodeOptions.self] }
        _modify { yield &self[NodeOptions.self] }
    }
}
