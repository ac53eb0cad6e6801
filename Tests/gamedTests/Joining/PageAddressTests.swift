import Connections
import Testing

@testable import GamedServer

/// The choice of the address with which links begin.
@Suite struct PageAddressTests {
    @Test func `links begin with the first address that is not loopback, or else with the first`() {
        let loopback = (address: "127.0.0.1:8080", isSecure: false)
        let hall = (address: "192.0.2.7:8443", isSecure: true)
        #expect(PageAddress.first(of: []) == nil)
        #expect(PageAddress.first(of: [loopback]) == "http://127.0.0.1:8080")
        #expect(PageAddress.first(of: [loopback, hall]) == "https://192.0.2.7:8443")
        #expect(
            PageAddress.first(of: [("[::1]:1", false), ("[2001:db8::7]:2", false), hall])
                == "http://[2001:db8::7]:2")
    }

    @Test func `instead of the address of all interfaces, links have an address of this machine`() {
        // Nil if the machine has no address.
        let address = PageAddress.first(of: [("0.0.0.0:8080", false), ("[::]:8080", false)])
        #expect(address?.contains("0.0.0.0") != true && address?.contains("[::]") != true)
    }
}
