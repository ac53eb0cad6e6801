import Testing

@testable import GamedServer

@Suite struct ReachableAddressesTests {
    private let machine = ["192.168.1.10", "2001:db8::1", "127.0.0.1", "::1"]

    private func web(_ address: String, _ machine: [String]? = nil) -> String {
        ReachableAddresses(listeningAt: address, machine: machine ?? self.machine)
            .text(before: "http://", behind: "/")
    }

    @Test func `a socket at one address is reached there`() {
        #expect(web("10.0.0.1:80") == "http://10.0.0.1:80/")
        #expect(web("[::1]:80") == "http://[::1]:80/")
    }

    @Test func `a socket at all addresses is reached by each, of its own protocol`() {
        #expect(web("0.0.0.0:8095") == "http://192.168.1.10:8095/ and http://127.0.0.1:8095/")
        #expect(web("[::]:80") == "http://[2001:db8::1]:80/ and http://[::1]:80/ (IPv6 only)")
    }

    @Test func `at most four are named, and the rest is counted`() {
        let many = (1...6).map { "10.0.0.\($0)" }
        #expect(
            web("0.0.0.0:1", many)
                == "http://10.0.0.1:1/, http://10.0.0.2:1/, http://10.0.0.3:1/, http://10.0.0.4:1/ and 2 more"
        )
    }

    @Test func `where the machine's addresses are not known the socket's own is named`() {
        #expect(web("0.0.0.0:80", []) == "http://0.0.0.0:80/")
        #expect(web("[::]:80", []) == "http://[::]:80/ (IPv6 only)")
    }

    @Test func `this machine has its loopback address, and no link-local one`() {
        let addresses = ReachableAddresses.ofThisMachine()
        #expect(addresses.contains("127.0.0.1"))
        #expect(addresses.allSatisfy { !$0.contains("%") })
    }
}
