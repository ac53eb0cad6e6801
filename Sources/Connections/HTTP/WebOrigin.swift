package import HTTP
import Net

/// Checks that a request is addressed to this daemon. For a request from a browser, also checks that it comes from a page of
/// this daemon. The checks prevent two attacks: DNS rebinding and cross-site request forgery. `WebServer` checks each request.
package struct WebOrigin {
    /// Returns the names in the options and in the TLS certificate, in lower case. Clients may address the daemon by these
    /// names and by the local address of the connection. A function, because the certificate can change at SIGHUP.
    private let names: () -> [String]
    /// Whether the server listens at a UNIX socket, to which no DNS name can lead.
    private let isUnix: Bool
    /// The origins of other pages that may send requests, in lower case.
    private let origins: [String]

    package init(names: @escaping () -> [String], origins: [String] = [], isUnix: Bool) {
        (self.names, self.origins, self.isUnix) = (names, origins, isUnix)
    }

    /// Why a request is refused, in a sentence for the client and for the log.
    package struct Rejection: Error {
        package let status: WebStatus
        let why: String
        /// Whether the connection is closed, because two parsers may interpret the request differently.
        var closesConnection = false
    }

    /// The paths that pages of the origins in `origins` may use.
    static let crossOriginPaths: [StaticString] = ["/v1/events", "/v1/rpc"]

    /// Throws 403 for a request that is addressed to another host or sent by another site's page, and 400 for an ambiguous one.
    /// `address` is the local address of the connection, such as `127.0.0.1:8080`; nil for a UNIX socket. `isSecure` says whether
    /// the client uses HTTPS, if a proxy tells it. Returns the origin if it is one of `origins`, and the path is for them.
    ///
    /// `isPageFile` says whether the request is for a script or another file of the pages, which are open to everyone. Its origin
    /// is not checked: behind a proxy that changes `Host`, the page can then say what is wrong when somebody signs in.
    @discardableResult
    package func check(
        _ request: RequestHead, at address: String?, isSecure: Bool? = nil,
        isPageFile: Bool = false
    ) throws(Rejection) -> String? {
        try checkAmbiguity(request)
        /// The header `Host` in lower case.
        var host: String { (request.header("Host") ?? "").lowercased() }
        // Most requests name the address as it is; the other forms take longer to compare.
        let isAddress = address.map { request["Host"]?.elementsEqual($0.utf8) ?? false } ?? false
        guard isAddress || isServed(host, at: address) else {
            throw Rejection(
                status: .forbidden,
                why:
                    "Host: \(host.prefix(256)) is not served here; --http-host NAME admits the name of a proxy"
            )
        }
        if let origin = request.header("Origin")?.lowercased() {
            if origins.contains(origin),
                Self.crossOriginPaths.contains(where: { $0 ~= request.path })
            {
                return request.header("Origin")
            }
            let schemes = isSecure.map { [$0 ? "https" : "http"] } ?? ["http", "https"]
            guard schemes.contains(where: { origin == "\($0)://\(host)" }) || isPageFile
            else {
                throw Rejection(
                    status: .forbidden,
                    why:
                        "Origin: \(origin.prefix(256)) is not the address in Host, \(host.prefix(256)), and only "
                        + "pages of this daemon may send requests. A proxy has to pass on Host as the browser "
                        + "sends it (nginx: proxy_set_header Host $http_host), and X-Forwarded-Proto if it is in "
                        + "--http-proxy; --http-origin admits another page")
            }
        }
        if let site = request.header("Sec-Fetch-Site"), site == "cross-site" || site == "same-site",
            request.header("Sec-Fetch-Mode") != "navigate"
        {
            throw Rejection(
                status: .forbidden,
                why: "Sec-Fetch-Site: only pages of this daemon may send requests")
        }
        return nil
    }

    /// Throws 400 for a request that two parsers may interpret differently, because a proxy could
    /// then serve the wrong response to a user.
    private func checkAmbiguity(_ request: RequestHead) throws(Rejection) {
        /// The error, after which the connection is closed.
        func ambiguous(_ why: String) -> Rejection {
            Rejection(status: .badRequest, why: why, closesConnection: true)
        }
        let names: [StaticString] = ["Host", "Origin", "Authorization"]
        for name in names where request.count(name) > 1 {
            throw ambiguous("\(name): is given twice")
        }
        if let target = request.targetHost {
            let host = (request.header("Host") ?? "").lowercased()
            guard host == target || host.hasPrefix("\(target):") else {
                throw ambiguous("Host: differs from the host of the request target")
            }
        }
    }

    /// Whether the daemon serves requests whose `Host` header is `host`. The daemon serves the hosts in `names`, and the local
    /// address of the connection. `localhost` is served at a loopback address and at a UNIX socket. At a UNIX socket, every
    /// host is served if `names` is empty.
    private func isServed(_ host: String, at address: String?) -> Bool {
        guard !host.isEmpty else { return false }
        let configuredNames = names()
        if isUnix, configuredNames.isEmpty { return true }
        let (name, port) = Self.split(host)
        // The port is not compared, because the name may belong to a proxy with another port.
        if configuredNames.contains(where: { Self.covers($0, name) }) { return true }
        guard let address else { return name == "localhost" }
        let (ownHost, ownPort) = Self.split(address)
        // Browsers omit the default ports of HTTP and HTTPS.
        guard port == ownPort || port == nil && ["80", "443"].contains(ownPort) else {
            return false
        }
        return name == ownHost || name == "localhost" && Loopback.contains(ownHost)
    }

    /// Whether a configured name matches `name`. `*.hall.example` matches every name with exactly one more label, such as
    /// `desk.hall.example`.
    private static func covers(_ configuredName: String, _ name: String) -> Bool {
        guard configuredName.hasPrefix("*.") else { return configuredName == name }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return false }
        return name[dot...] == configuredName.dropFirst()
    }

    /// Splits a text such as `hall.example:8080` into the name and the port, which is nil if the text has none. The brackets
    /// around an IPv6 address are removed.
    private static func split(_ host: String) -> (name: String, port: String?) {
        // Bytes, because each request is checked, and a walk by characters is slow.
        let (bytes, colon) = (host.utf8, UInt8(ascii: ":"))
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            let tail = host[bytes.index(after: end)...]
            let name = String(host[bytes.index(after: host.startIndex)..<end])
            return (name, tail.utf8.first == colon ? String(tail.dropFirst()) : nil)
        }
        // More than one colon without brackets is not a valid host with a port.
        guard let end = bytes.lastIndex(of: colon), bytes.firstIndex(of: colon) == end else {
            return (host, nil)
        }
        return (String(host[..<end]), String(host[bytes.index(after: end)...]))
    }
}
