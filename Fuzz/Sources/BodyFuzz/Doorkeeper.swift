import Fuzzing
import HTTP
import JSON
import Sessions

/// Looks at a request's header with the daemon's own eyes, and at what these made of it.
struct Doorkeeper {
    private let origin = WebOrigin(names: { ["play.example"] }, isUnix: false)
    private let cookie = WebCookie(port: "8080", isSecure: false)

    /// Who asks; nil of a request that is not let in.
    func admit(_ request: RequestHead) -> Badge? {
        do throws(WebError) { try origin.check(request, at: House.address) } catch {
            check([400, 403].contains(error.code), "a request for another is \(error.code)")
            hold(error.body)
            return nil
        }
        holdOrigin(request)
        let badge = Badge.of(token(request)) ?? .stranger
        holdStream(request, badge)
        return badge
    }

    /// Was let in: then it was meant for this daemon, and came from a page of ours.
    private func holdOrigin(_ request: RequestHead) {
        let host = (request.header("Host") ?? "").lowercased()
        let bare = host.filter { $0 != "[" && $0 != "]" }
        let isOurs =
            ["127.0.0.1:8080", "localhost:8080", "play.example"].contains(bare)
            || bare.hasPrefix("play.example:")
        check(isOurs, "the host \(host) is let in")
        if let origin = request.header("Origin")?.lowercased() {
            let isPage = origin == "http://\(host)" || origin == "https://\(host)"
            check(isPage, "the origin \(origin) is let in at \(host)")
        }
        if let site = request.header("Sec-Fetch-Site"), ["cross-site", "same-site"].contains(site) {
            let mode = request.header("Sec-Fetch-Mode") ?? "none"
            check(mode == "navigate", "another site's request is let in: \(mode)")
        }
    }

    /// The cookie's token: it stands in the header, and comes back from what sets it.
    private func token(_ request: RequestHead) -> String? {
        let header = request.header("Cookie")
        guard let token = cookie.token(in: header) else { return nil }
        check(!token.isEmpty && !token.contains(";"), "a token is \(token)")
        check(header?.contains("gamed-8080=\(token)") ?? false, "\(token) stands nowhere")
        let set = cookie.header(token)
        check(cookie.token(in: set) == token, "\(token) does not come back from \(set)")
        return token
    }

    private func holdStream(_ request: RequestHead, _ badge: Badge) {
        let stream: StreamRequest
        do throws(WebError) { stream = try StreamRequest(request) } catch {
            check(error.code == 400, "a bad query is \(error.code)")
            return hold(error.body)
        }
        check(!stream.topics.isEmpty, "a stream of nothing")
        let mayWatch = badge.rights.mayWatch(stream.target)
        switch stream.target {
        case .all: check(mayWatch == (badge.somewhere != nil), "\(badge.token) watches all")
        case .session(let name):
            check(mayWatch == (badge.role(name.text) != nil), "\(badge.token) watches \(name)")
        }
    }

    /// The body of an error is one value of JSON, whatever was asked for.
    private func hold(_ body: [UInt8]) {
        var text = JSONText()
        let isRead = (try? text.read(body[...])) != nil
        check(isRead, "no JSON: \(String(decoding: body, as: UTF8.self))")
    }
}
