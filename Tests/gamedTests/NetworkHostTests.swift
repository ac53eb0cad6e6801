import Access
import GameFlow
import Net
import RPC
import Testing

@testable import GamedServer

/// The limits for network clients count connections by host, and requests by account. The account of a peer is its token; the
/// account of a peer without a token is its host.
@Suite struct NetworkHostTests {
    @Test(
        arguments: [
            ("192.0.2.1:443", "192.0.2.1"), ("[2001:db8:1:2:3:4:5:6]:443", "[2001:db8:1:2::]/64"),
            ("[2001:db8:1:2::9]:7", "[2001:db8:1:2::]/64"),
            ("[2001:db8:1:3::9]:7", "[2001:db8:1:3::]/64"), ("[::1]:7", "[::1]"),
            ("[::ffff:192.0.2.1]:7", "[::ffff:192.0.2.1]"), ("[fe80::1%eth0]:7", "[fe80::1%eth0]"),
            ("[fe80::1]:7", "[fe80::1]"), ("[64:ff9b::c000:201]:7", "[64:ff9b::c000:201]"),
            ("[64:ff9b::1:c000:201]:7", "[64:ff9b::]/64"),
            ("odd", "odd"), ("[odd]:1", "[odd]"),
        ])
    func `a global IPv6 /64 counts as one host, and any other address as a host of its own`(
        _ address: String, _ host: String
    ) {
        #expect(NetworkHost.of(address) == host)
        let identity = Identity(.tcp, address: address)
        #expect(
            identity.host == host && identity.account == host && identity.source.account == host)
    }

    @Test func `a peer with a token is counted by its token`() {
        var identity = Identity(.web, address: "[2001:db8::1]:443")
        identity.addToken(named: "desk")
        #expect(identity.account == "token:desk" && identity.source.account == "token:desk")
        #expect(identity.host == "[2001:db8::]/64")
    }
}
