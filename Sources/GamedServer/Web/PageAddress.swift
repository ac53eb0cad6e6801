/// The address that a link to a page begins with.
enum PageAddress {
    /// The address for other machines: of the servers in order, the first that is not only this machine's, else the
    /// first. Nil if none is on the network.
    static func first(of servers: [(address: String, isSecure: Bool)]) -> String? {
        let all = servers.flatMap { server in
            ReachableAddresses(listeningAt: server.address).addresses.filter { address in
                // The kernel did not tell this machine's addresses.
                !address.hasPrefix("0.0.0.0:") && !address.hasPrefix("[::]:")
            }.map { "\(server.isSecure ? "https" : "http")://\($0)" }
        }
        return all.first { !isLoopback($0) } ?? all.first
    }

    private static func isLoopback(_ url: String) -> Bool {
        guard let (origin, _) = HTTPOrigin.split(url) else { return false }
        return Loopback.holds(origin.host)
    }
}
