import Fuzzing
import JSONCoding
import Sessions

@testable import Connections
@testable import HTTP

/// Lets the daemon's code check a request's head, and checks the result by independent rules.
struct HeaderCheck {
    private let origin = WebOrigin(names: { ["play.example"] }, isUnix: false)
    private let cookie = WebCookie(port: "8080", isSecure: false)

    /// The caller; nil if the request is refused.
    func admit(_ request: RequestHead) -> TestIdentity? {
        do throws(WebOrigin.Rejection) {
            try origin.check(request, at: FuzzedServer.address)
        } catch {
            let code = error.status.code
            check([400, 403].contains(code), "a request for another host has status \(code)")
            checkIsJSON(WebError(error).body)
            return nil
        }
        checkOrigin(request)
        let identity = TestIdentity.of(token(request)) ?? .unknown
        checkStream(request, identity)
        return identity
    }

    /// An accepted request names this daemon's host and comes from its page.
    private func checkOrigin(_ request: RequestHead) {
        let host = (request.header("Host") ?? "").lowercased()
        let hostWithoutBrackets = host.filter { $0 != "[" && $0 != "]" }
        let isOurs =
            ["127.0.0.1:8080", "localhost:8080", "play.example"].contains(hostWithoutBrackets)
            || hostWithoutBrackets.hasPrefix("play.example:")
        check(isOurs, "the host \(host) is accepted")
        if let origin = request.header("Origin")?.lowercased() {
            let isPage = origin == "http://\(host)" || origin == "https://\(host)"
            check(isPage, "the origin \(origin) is accepted at \(host)")
        }
        if let site = request.header("Sec-Fetch-Site"), ["cross-site", "same-site"].contains(site) {
            let mode = request.header("Sec-Fetch-Mode") ?? "none"
            check(mode == "navigate", "another site's request is accepted, with the mode \(mode)")
        }
    }

    /// The token in the cookie; nil if the cookie has no token. The token must occur in the header. From the Set-Cookie header that
    /// `cookie` writes for this token, `cookie` must read the same token.
    private func token(_ request: RequestHead) -> String? {
        let header = request.header("Cookie")
        guard let token = cookie.token(in: header) else { return nil }
        check(!token.isEmpty && !token.contains(";"), "an invalid token: \(token)")
        check(header?.contains("gamed-8080=\(token)") ?? false, "\(token) is not in the header")
        let setCookie = cookie.header(token)
        check(cookie.token(in: setCookie) == token, "\(token) does not come back from \(setCookie)")
        return token
    }

    /// Checks the event stream that the head would request: its topics, and whether the caller may watch it.
    private func checkStream(_ request: RequestHead, _ identity: TestIdentity) {
        let stream: StreamRequest
        do throws(WebError) { stream = try StreamRequest(request) } catch {
            check(error.code == 400, "a bad query has status \(error.code)")
            return checkIsJSON(error.body)
        }
        check(!stream.topics.isEmpty, "a stream without topics")
        let mayWatch = identity.rights.mayWatch(stream.target)
        switch stream.target {
        case .all: check(mayWatch == (identity.somewhere != nil), "\(identity.token) watches all")
        case .session(let name):
            check(
                mayWatch == (identity.role(name.text) != nil), "\(identity.token) watches \(name)")
        }
    }

    /// The body of an error must be one JSON value.
    private func checkIsJSON(_ body: [UInt8]) {
        var text = JSONText()
        let isRead = (try? text.read(body[...])) != nil
        check(isRead, "not JSON: \(String(decoding: body, as: UTF8.self))")
    }
}
