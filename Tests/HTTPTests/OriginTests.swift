import HTTP
import Testing

/// The checks of a request's host and origin.
@Suite struct OriginTests {
    private let here = "127.0.0.1:8080"

    private func refusal(
        _ headers: [(name: String, value: String)], at address: String? = "127.0.0.1:8080",
        names: [String] = [], isUnix: Bool = false, method: String = "GET", target: String? = nil
    ) -> Int32? {
        let head = RequestHead(method, "/", targetHost: target, headers: headers)
        do throws(WebError) {
            try WebOrigin(names: { names }, isUnix: isUnix).check(head, at: address)
        } catch { return error.code }
        return nil
    }

    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true),
        ("127.0.0.1", false), ("127.0.0.1:8081", false), ("localhost", false), ("", false),
        ("evil.example:8080", false), ("127.0.0.1.evil.example:8080", false), ("[::1]:8080", false),
        ("localhost.:8080", false), ("localhost:8080:8080", false), ("@localhost:8080", false),
    ])
    func `a host is accepted if it is the address of the connection`(_ host: String, _ isOurs: Bool)
    {
        #expect((refusal([("Host", host)]) == nil) == isOurs)
    }

    @Test func `the default port may be omitted`() {
        #expect(refusal([("Host", "10.0.0.1")], at: "10.0.0.1:80") == nil)
        #expect(refusal([("Host", "10.0.0.1")], at: "10.0.0.1:443") == nil)
        #expect(refusal([("Host", "localhost")], at: "10.0.0.1:80") == 403)
    }

    @Test func `an IPv6 address has brackets`() {
        #expect(refusal([("Host", "[::1]:8080")], at: "[::1]:8080") == nil)
        #expect(refusal([("Host", "localhost:8080")], at: "[::1]:8080") == nil)
        #expect(refusal([("Host", "::1:8080")], at: "[::1]:8080") == 403)
    }

    @Test func `a configured name is accepted with any port`() {
        for host in ["hall.example", "hall.example:443", "Hall.Example:9"] {
            #expect(refusal([("Host", host)], names: ["hall.example"]) == nil)
        }
        #expect(refusal([("Host", "hall.example.org")], names: ["hall.example"]) == 403)
    }

    @Test func `at a UNIX socket any name is accepted unless one is configured`() {
        #expect(refusal([("Host", "whatever")], at: nil, isUnix: true) == nil)
        #expect(refusal([("Host", "whatever")], at: nil, names: ["hall"], isUnix: true) == 403)
        #expect(refusal([("Host", "localhost")], at: nil, names: ["hall"], isUnix: true) == nil)
        #expect(refusal([], at: nil, isUnix: true) == 403)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", true), ("https://127.0.0.1:8080", true), ("null", false),
        ("http://127.0.0.1:8081", false), ("http://localhost:8080", false), ("", false),
        ("http://127.0.0.1:8080.evil.example", false), ("ftp://127.0.0.1:8080", false),
        ("http://127.0.0.1:8080/", false),
    ])
    func `an origin is accepted if it is the host of the request`(_ origin: String, _ isOurs: Bool)
    {
        #expect((refusal([("Host", here), ("Origin", origin)]) == nil) == isOurs)
    }

    @Test func `another site may link to a page but not send requests`() {
        let host = (name: "Host", value: here)
        #expect(refusal([host, ("Sec-Fetch-Site", "cross-site")]) == 403)
        #expect(refusal([host, ("Sec-Fetch-Site", "same-site")]) == 403)
        #expect(refusal([host, ("Sec-Fetch-Site", "none")]) == nil)
        let link = [host, ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
        #expect(refusal(link) == nil)
    }

    @Test func `an ambiguous request is rejected`() {
        let host = (name: "Host", value: here)
        for name in ["Host", "Origin", "Authorization"] {
            #expect(refusal([host, (name, "1"), (name.lowercased(), "1")]) == 400)
        }
        #expect(refusal([host], target: "evil.example") == 400)
        #expect(refusal([host], target: "127.0.0.1") == nil)
    }
}
