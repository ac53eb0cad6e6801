import Net
import Testing

/// The list of the addresses at which clients reach a listening socket.
@Suite struct ReachableAddressesTests {
    private let machineAddresses = ["192.168.1.10", "2001:db8::1", "127.0.0.1", "::1"]

    /// The URLs of a socket that listens at an address. `addresses` are the machine's addresses; nil means `machineAddresses`.
    private func urls(_ address: String, _ addresses: [String]? = nil) -> String {
        ReachableAddresses(listeningAt: address, machine: addresses ?? self.machineAddresses)
            .text(before: "http://", after: "/")
    }

    @Test func `a socket bound to one address is reachable there`() {
        #expect(urls("10.0.0.1:80") == "http://10.0.0.1:80/")
        #expect(urls("[::1]:80") == "http://[::1]:80/")
    }

    @Test func `a socket bound to all addresses is reachable at each address of its IP version`() {
        #expect(urls("0.0.0.0:8095") == "http://192.168.1.10:8095/ and http://127.0.0.1:8095/")
        #expect(urls("[::]:80") == "http://[2001:db8::1]:80/ and http://[::1]:80/ (IPv6 only)")
    }

    @Test func `at most four addresses are listed, and the others are counted`() {
        let many = (1...6).map { "10.0.0.\($0)" }
        #expect(
            urls("0.0.0.0:1", many)
                == "http://10.0.0.1:1/, http://10.0.0.2:1/, http://10.0.0.3:1/, http://10.0.0.4:1/ and 2 more"
        )
    }

    @Test func `if the machine's addresses are unknown, the socket's own address is listed`() {
        #expect(urls("0.0.0.0:80", []) == "http://0.0.0.0:80/")
        #expect(urls("[::]:80", []) == "http://[::]:80/ (IPv6 only)")
    }

    @Test func `the list contains the loopback address and no link-local addresses`() {
        let addresses = ReachableAddresses.ofThisMachine()
        #expect(addresses.contains("127.0.0.1"))
        #expect(addresses.allSatisfy { !$0.contains("%") })
    }
}
