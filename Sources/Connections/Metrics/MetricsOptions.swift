package import Net
package import Parts
import Shell

/// The addresses that serve nothing but the metrics.
package struct MetricsOptions: OptionSection {
    package var addresses: [Address] = []

    package init() {}

    package static let table: [Option] = [
        Option(
            "metrics", value: "HOST:PORT|unix:PATH",
            "Serve all metrics, and nothing else, at this address; repeatable.",
            details: """
                Every client that can connect to this address gets all metrics, with the names of tokens and devices, without any
                rights: use a loopback address or a closed network. `/metrics` at the addresses of `--http` has these names only for clients
                that may operate every session.
                """,
            isRepeatable: true,
            reader: .location(after: ["unix:"]) { options, value, _ throws(UsageError) in
                guard let address = Address(value), OptionValue.socketPathFits(address) else {
                    throw UsageError("expected HOST:PORT or unix:PATH, such as 127.0.0.1:9464")
                }
                try OptionValue.add(address, value, to: &options.metrics.addresses)
            }, clear: { $0.metrics.addresses = [] })
    ]

    package func contradictions(in options: Options) -> [Contradiction] {
        let others = [("http", options.web.addresses), ("listen", options.network.listen)]
        let shared = others.flatMap { name, addresses in
            addresses.filter { $0.isForOneSocket && self.addresses.contains($0) }.map {
                Contradiction(
                    "metrics", value: $0.text, and: [name],
                    "--metrics and --\(name) have the same address, \($0.text)")
            }
        }
        return shared + options.network.openAddresses(among: addresses, option: "metrics")
    }
}

extension Options {
    package var metrics: MetricsOptions {
        get { self[MetricsOptions.self] }
        _modify { yield &self[MetricsOptions.self] }
    }
}
