/// Checks that a request was meant for this daemon, and that a browser that sends it shows a page of ours: else a
/// page of anybody's could have names that lead here, or send what it likes in its visitor's name.
public struct WebOrigin {
    /// The names and addresses by which the daemon is known besides those it is reached at, in lower case.
    private let names: () -> [String]
    /// Whether only this machine reaches it by a socket file, and no name leads there by itself.
    private let isUnix: Bool

    public init(names: @escaping () -> [String], isUnix: Bool) {
        (self.names, self.isUnix) = (names, isUnix)
    }

    /// Throws 403 of a request for somebody else, or from somebody else's page. `address` is where the request
    /// arrived: `127.0.0.1:8080`.
    public func check(_ request: RequestHead, at address: String?) throws(WebError) {
        try checkForm(request)
        let host = (request.header("Host") ?? "").lowercased()
        guard isOurs(host, at: address) else {
            throw WebError(
                .forbidden, why: "Host: \(host.prefix(256)) is not served here; see --http-host")
        }
        if let origin = request.header("Origin")?.lowercased() {
            guard ["http://\(host)", "https://\(host)"].contains(origin) else {
                throw WebError(.forbidden, why: "Origin: only pages of this daemon may ask")
            }
        }
        if let site = request.header("Sec-Fetch-Site"), site == "cross-site" || site == "same-site",
            request.header("Sec-Fetch-Mode") != "navigate"
        {
            throw WebError(.forbidden, why: "Sec-Fetch-Site: only pages of this daemon may ask")
        }
    }

    /// Throws 400 of a request that one reader takes for another one than the next does: whoever stands between
    /// two of them is served somebody else's answers.
    private func checkForm(_ request: RequestHead) throws(WebError) {
        func broken(_ why: String) -> WebError {
            var error = WebError(.badRequest, why: why)
            error.isFinal = true
            return error
        }
        for name in ["Host", "Origin", "Authorization"] where request.count(name) > 1 {
            throw broken("\(name): is given twice")
        }
        if let target = request.targetHost {
            let host = (request.header("Host") ?? "").lowercased()
            guard host == target || host.hasPrefix("\(target):") else {
                throw broken("Host: the request's target names another")
            }
        }
    }

    private func isOurs(_ host: String, at address: String?) -> Bool {
        guard !host.isEmpty else { return false }
        if isUnix, names().isEmpty { return true }
        let (name, port) = Self.split(host)
        let known = names()
        // A name that somebody gave may be of a proxy before us, with another port.
        if known.contains(where: { Self.covers($0, name) }) { return true }
        guard let address else { return name == "localhost" }
        let (here, herePort) = Self.split(address)
        guard port == herePort || port == nil && ["80", "443"].contains(herePort) else {
            return false
        }
        return name == here || name == "localhost" && Loopback.holds(here)
    }

    /// Whether a name that is known is this one: `*.hall.example` is each name with one more part.
    private static func covers(_ known: String, _ name: String) -> Bool {
        guard known.hasPrefix("*.") else { return known == name }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return name[dot...] == known.dropFirst()
    }

    /// A host and its port. An address of IPv6 is without its brackets.
    private static func split(_ host: String) -> (name: String, port: String?) {
        if host.first == "[", let end = host.firstIndex(of: "]") {
            let rest = host[host.index(after: end)...]
            let name = String(host[host.index(after: host.startIndex)..<end])
            return (name, rest.first == ":" ? String(rest.dropFirst()) : nil)
        }
        // More than one colon without brackets is nobody's address.
        guard let colon = host.lastIndex(of: ":"), host.firstIndex(of: ":") == colon else {
            return (host, nil)
        }
        return (String(host[..<colon]), String(host[host.index(after: colon)...]))
    }
}
