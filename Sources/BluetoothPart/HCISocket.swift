package import Bluetooth
package import EventLoop
import Timers

/// The connection to a Bluetooth controller by a UNIX or TCP socket: to a virtual controller, or to a radio behind a bridge.
/// The two sides exchange the packets of HCI, the Host Controller Interface.
package final class HCISocket: HCIEndpoint {
    /// The user of the connection, a `Central`, which is called when the connection opens, receives bytes, or fails. In HCI,
    /// the host is the side that uses a controller.
    package weak var host: (any HCIHost)?
    private let loop: LibeventLoop
    private let location: ControllerLocation
    private let socket: StreamSocket
    /// Reports in the next turn of the loop that there is no address to connect to.
    private var failureReport = Alarm()
    /// The maximum number of bytes that wait for a controller that does not read.
    static let backlogLimit = 1 << 20

    package init(_ location: ControllerLocation, on loop: LibeventLoop) {
        (self.location, self.loop) = (location, loop)
        socket = StreamSocket(on: loop, peer: "the controller", limit: Self.backlogLimit)
        socket.onOpen = { [unowned self] in host?.opened() }
        socket.onBytes = { [unowned self] in host?.received($0) }
        socket.onFailure = { [unowned self] in host?.closed($0) }
    }

    /// Connects to the controller; then calls `opened` or `closed` of the host.
    package func open() {
        if let address { return socket.connect(to: address) }
        failureReport.set(on: loop, .zero) { [unowned self] in
            host?.closed("\(location.text): no address to connect to")
        }
    }

    /// The controller's address; nil if there is none. Names other than `localhost` are not looked up: a name server could
    /// block the loop.
    private var address: SocketAddress? {
        switch location {
        case .unix(let path): return SocketAddress(path: path)
        case .tcp(let host, let port): return HostLookup.address(of: host, port)
        case .simulated: return nil
        }
    }

    /// Closes the connection without calling the host.
    package func close() {
        failureReport.stop()
        socket.close()
    }

    package func send(_ bytes: [UInt8]) { socket.send(bytes) }
}
