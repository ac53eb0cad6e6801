import Testing

@testable import GamedServer

@Suite struct ReachableAddressesTests {
    private let machine = ["192.168.1.10", "2001:db8::1", "127.0.0.1", "::1"]

    private func web(_ address: String, _ machine: [String]? = nil) -> String {
        ReachableAddresses(listeningAt: address, machine: machine ?? self.machine)
            .text(before: "http://", behind: "/")
    }

    @Test func `a socket bound to one address is reachable there`() {
        #expect(web("10.0.0.1:80") == "http://10.0.0.1:80/")
        #expect(web("[::1]:80") == "http://[::1]:80/")
    }

    @Test func `a socket bound to all addresses is reachable at each of its protocol`() {
        #expect(web("0.0.0.0:8095") == "http://192.168.1.10:8095/ and http://127.0.0.1:8095/")
        #expect(web("[::]:80") == "http://[2001:db8::1]:80/ and http://[::1]:80/ (IPv6 only)")
    }

    @Test func `at most four addresses are listed, and the rest are counted`() {
        let many = (1...6).map { "10.0.0.\($0)" }
        #expect(
            web("0.0.0.0:1", many)
                == "http://10.0.0.1:1/, http://10.0.0.2:1/, http://10.0.0.3:1/, http://10.0.0.4:1/ and 2 more"
        )
    }

    @Test func `without the machine's addresses the socket's own is listed`() {
        #expect(web("0.0.0.0:80", []) == "http://0.0.0.0:80/")
        #expect(web("[::]:80", []) == "http://[::]:80/ (IPv6 only)")
    }

    @Test func `the list contains the loopback address and no link-local ones`() {
        let addresses = ReachableAddresses.ofThisMachine()
        #expect(addresses.contains("127.0.0.1"))
        #expect(addresses.allSatisfy { !$0.contains("%") })
    }
}
