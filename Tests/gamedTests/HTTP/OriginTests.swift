import Connections
import HTTP
import TestSupport
import Testing

@testable import GamedServer

/// The checks of a request's host and origin.
@Suite struct OriginTests {
    private let ownHost = "127.0.0.1:8080"

    /// The status with which a request is refused; nil if it is accepted. `address` is the local address of the connection.
    /// `target` is the host in the request's target, without its port; nil if the target is only a path.
    private func refusalStatus(
        _ headers: [(name: String, value: String)], at address: String? = "127.0.0.1:8080",
        names: [String] = [], isUnix: Bool = false, method: String = "GET", target: String? = nil
    ) -> Int32? {
        let head = RequestHead(method, target.map { "http://\($0)/" } ?? "/", headers: headers)
        do throws(WebOrigin.Rejection) {
            try WebOrigin(names: { names }, isUnix: isUnix).check(head, at: address)
        } catch { return error.status.code }
        return nil
    }

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true),
        ("127.0.0.1", false), ("127.0.0.1:8081", false), ("localhost", false), ("", false),
        ("evil.example:8080", false), ("127.0.0.1.evil.example:8080", false), ("[::1]:8080", false),
        ("localhost.:8080", false), ("localhost:8080:8080", false), ("@localhost:8080", false),
    ])
    func `a host is accepted if it is the address of the connection`(
        _ host: String, _ isAccepted: Bool
    ) {
        #expect((refusalStatus([("Host", host)]) == nil) == isAccepted)
    }

    @Test func `the default port may be omitted`() {
        #expect(refusalStatus([("Host", "10.0.0.1")], at: "10.0.0.1:80") == nil)
        #expect(refusalStatus([("Host", "10.0.0.1")], at: "10.0.0.1:443") == nil)
        #expect(refusalStatus([("Host", "localhost")], at: "10.0.0.1:80") == 403)
    }

    @Test func `an IPv6 address has brackets`() {
        #expect(refusalStatus([("Host", "[::1]:8080")], at: "[::1]:8080") == nil)
        #expect(refusalStatus([("Host", "localhost:8080")], at: "[::1]:8080") == nil)
        #expect(refusalStatus([("Host", "::1:8080")], at: "[::1]:8080") == 403)
    }

    @Test func `a configured name is accepted with any port`() {
        for host in ["hall.example", "hall.example:443", "Hall.Example:9"] {
            #expect(refusalStatus([("Host", host)], names: ["hall.example"]) == nil)
        }
        #expect(refusalStatus([("Host", "hall.example.org")], names: ["hall.example"]) == 403)
    }

    @Test func `at a UNIX socket any host is accepted, unless a name is configured`() {
        #expect(refusalStatus([("Host", "whatever")], at: nil, isUnix: true) == nil)
        #expect(
            refusalStatus([("Host", "whatever")], at: nil, names: ["hall"], isUnix: true) == 403)
        #expect(
            refusalStatus([("Host", "localhost")], at: nil, names: ["hall"], isUnix: true) == nil)
        #expect(refusalStatus([], at: nil, isUnix: true) == 403)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", true), ("https://127.0.0.1:8080", true), ("null", false),
        ("http://127.0.0.1:8081", false), ("http://localhost:8080", false), ("", false),
        ("http://127.0.0.1:8080.evil.example", false), ("ftp://127.0.0.1:8080", false),
        ("http://127.0.0.1:8080/", false),
    ])
    func `an origin is accepted if it is the host of the request`(
        _ origin: String, _ isAccepted: Bool
    ) {
        #expect((refusalStatus([("Host", ownHost), ("Origin", origin)]) == nil) == isAccepted)
    }

    @Test func `the origin of a script of the pages is not checked, but its host and site are`() {
        func isAccepted(_ headers: [(name: String, value: String)]) -> Bool {
            let head = RequestHead("GET", "/page/desk/desk.js", headers: headers)
            do throws(WebOrigin.Rejection) {
                try WebOrigin(names: { [] }, isUnix: false)
                    .check(head, at: ownHost, isPageFile: true)
                return true
            } catch { return false }
        }
        let origin = (name: "Origin", value: "https://venue.test")
        #expect(isAccepted([("Host", ownHost), origin]))
        #expect(!isAccepted([("Host", "venue.test"), origin]))
        #expect(!isAccepted([("Host", ownHost), origin, ("Sec-Fetch-Site", "cross-site")]))
    }

    @Test func `with a proxy that tells the scheme, only this scheme is accepted`() {
        func isAccepted(_ origin: String, _ isSecure: Bool?) -> Bool {
            let head = RequestHead(
                "POST", "/v1/rpc", headers: [("Host", "venue.test"), ("Origin", origin)])
            do throws(WebOrigin.Rejection) {
                try WebOrigin(names: { ["venue.test"] }, isUnix: false)
                    .check(head, at: ownHost, isSecure: isSecure)
                return true
            } catch { return false }
        }
        #expect(isAccepted("https://venue.test", true) && !isAccepted("http://venue.test", true))
        #expect(isAccepted("http://venue.test", false) && !isAccepted("https://venue.test", false))
        #expect(isAccepted("http://venue.test", nil) && isAccepted("https://venue.test", nil))
    }

    @Test func `another site may link to a page but not send requests`() {
        let host = (name: "Host", value: ownHost)
        #expect(refusalStatus([host, ("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(refusalStatus([host, ("Sec-Fetch-Site", "same-site")]) == 403)
        #expect(refusalStatus([host, ("Sec-Fetch-Site", "none")]) == nil)
        let navigation = [host, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
        #expect(refusalStatus(navigation) == nil)
    }

    @Test func `an ambiguous request is rejected`() {
        let host = (name: "Host", value: ownHost)
        for name in ["Host", "Origin", "Authorization"] {
            #expect(refusalStatus([host, (name, "1"), (name.lowercased(), "1")]) == 400)
        }
        #expect(refusalStatus([host], target: "evil.example") == 400)
        #expect(refusalStatus([host], target: "127.0.0.1") == nil)
    }
}
