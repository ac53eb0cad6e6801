import Access
import GameFlow
import Testing

@testable import gamed

/// Whom the limits of the network count as one.
@Suite struct NetworkHostTests {
    @Test(
        arguments: [
            ("192.0.2.1:443", "192.0.2.1"), ("[2001:db8:1:2:3:4:5:6]:443", "[2001:db8:1:2::]/64"),
            ("[2001:db8:1:2::9]:7", "[2001:db8:1:2::]/64"),
            ("[2001:db8:1:3::9]:7", "[2001:db8:1:3::]/64"), ("[::1]:7", "[::1]"),
            ("[::ffff:192.0.2.1]:7", "[::ffff:192.0.2.1]"), ("[fe80::1%eth0]:7", "[fe80::1%eth0]"),
            ("[fe80::1]:7", "[fe80::1]"), ("[64:ff9b::c000:201]:7", "[64:ff9b::c000:201]"),
            ("odd", "odd"), ("[odd]:1", "[odd]"),
        ])
    func `a network of 64 bits is one host`(_ address: String, _ host: String) {
        #expect(NetworkHost.of(address) == host)
        let visitor = Identity(.tcp, address: address)
        #expect(visitor.host == host && visitor.account == host && visitor.source.account == host)
    }

    @Test func `who has shown a token is counted by it`() {
        var visitor = Identity(.web, address: "[2001:db8::1]:443")
        visitor.show(token: "desk")
        #expect(visitor.account == "token:desk" && visitor.source.account == "token:desk")
        #expect(visitor.host == "[2001:db8::]/64")
    }
}
