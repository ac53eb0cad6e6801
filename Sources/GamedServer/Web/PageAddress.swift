/// The address that a link to a page begins with.
enum PageAddress {
    /// The first address of the servers that is not a loopback address, else the first address. Nil if no server has a network
    /// address.
    static func first(of servers: [(address: String, isSecure: Bool)]) -> String? {
        let urls = servers.flatMap { server in
            ReachableAddresses(listeningAt: server.address).addresses.filter { address in
                // The list contains a wildcard address if the machine's own addresses could not be determined. A link cannot
                // use a wildcard address.
                !address.hasPrefix("0.0.0.0:") && !address.hasPrefix("[::]:")
            }.map { "\(server.isSecure ? "https" : "http")://\($0)" }
        }
        return urls.first { !isLoopback($0) } ?? urls.first
    }

    private static func isLoopback(_ url: String) -> Bool {
        guard let (origin, _) = HTTPOrigin.split(url) else { return false }
        return Loopback.contains(origin.host)
    }
}
