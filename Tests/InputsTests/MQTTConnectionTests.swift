import EventLoop
import Glibc
import Inputs
import Testing
import Timers

/// An MQTT connection to a broker that accepts the connection and then reads nothing.
@Suite struct MQTTConnectionTests {
    @Test func `a connection fails if the broker does not read the subscriptions`() throws {
        let loop = try LibeventLoop()
        let broker = try SilentBroker(on: loop)
        // 32 MB, which is more than the backlog of the connection and the buffers of the sockets.
        let filters = (0..<512).map { "\($0)/" + String(repeating: "x", count: 62_500) }
        let connection = MQTTConnection(
            host: "127.0.0.1", port: broker.port, MQTTLogin(client: "test"), filters: filters,
            on: loop)
        var changes: [String?] = []
        connection.onChange = {
            changes.append($0)
            if $0 != nil { loop.stop() }
        }
        connection.start()
        let timeout = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        loop.run()
        withExtendedLifetime((broker, timeout)) {}
        let isUp = connection.status.isUp
        connection.onChange = nil
        connection.stop {}
        #expect(changes == [nil, "the broker does not read"])
        #expect(!isUp)
    }
}

/// A broker that accepts each client's request to connect without reading it, and reads nothing later.
private final class SilentBroker {
    let port: UInt16
    private let listener: Int32
    private var clients: [Int32] = []
    private var watcher: DescriptorWatcher?

    /// The packet by which a broker accepts a connection (CONNACK with the code 0).
    private static let acceptance: [UInt8] = [0x20, 2, 0, 0]

    init(on loop: LibeventLoop) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        try #require(isListening)
        port = UInt16(bigEndian: address.sin_port)
        watcher = try DescriptorWatcher(listener, .readable, on: loop) { [unowned self] in
            let client = accept(listener, nil, nil)
            clients.append(client)
            _ = write(client, Self.acceptance, Self.acceptance.count)
        }
    }

    deinit {
        for client in clients { close(client) }
        close(listener)
    }
}
