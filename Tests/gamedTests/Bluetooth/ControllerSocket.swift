import Bluetooth
import EventLoop
import Glibc
import Shell
import Timers

/// Our controller at a UNIX socket, for one host.
final class ControllerSocket: HCIHost {
    let path: String
    private let loop: LibeventLoop
    private let endpoint: any HCIEndpoint
    private let listening: Int32
    private var connection: Int32 = -1
    private var door: DescriptorWatcher?
    private var input: DescriptorWatcher?
    /// Whether a host was here, and has gone.
    private(set) var isOver = false

    init(_ endpoint: any HCIEndpoint, at path: String, on loop: LibeventLoop) throws {
        (self.endpoint, self.path, self.loop) = (endpoint, path, loop)
        listening = SocketPath.socket(waits: false)
        if let address = SocketPath.address(path) {
            _ = SocketPath.with(address) { bind(listening, $0, $1) }
        }
        listen(listening, 1)
        endpoint.host = self
        door = try DescriptorWatcher(listening, .readable, on: loop) { [unowned self] in admit() }
    }

    deinit {
        (door, input) = (nil, nil)
        close(listening)
        if connection >= 0 { close(connection) }
    }

    private func admit() {
        connection = accept(listening, nil, nil)
        input = try? DescriptorWatcher(connection, .readable, on: loop) { [unowned self] in read() }
        endpoint.open()
    }

    private func read() {
        loop.settle()
        var room = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(connection, &room, room.count)
        guard count > 0 else {
            input = nil
            isOver = true
            return endpoint.close()
        }
        endpoint.send(Array(room[..<count]))
    }

    func opened() {}

    func received(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        _ = write(connection, bytes, bytes.count)
    }

    func closed(_ why: String) {}
}
