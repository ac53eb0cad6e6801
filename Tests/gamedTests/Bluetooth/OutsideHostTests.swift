import Bluetooth
import EventLoop
import Glibc
import Shell
import TestSupport
import Testing
import Timers

/// The virtual controller and the simulated devices, used by a host of another project.
@Suite struct OutsideHostTests {
    @Test func `Bumble discovers a simulated buzzer and receives its presses`() throws {
        let folder = Folder()
        let loop = try LibeventLoop()
        let (scenario, _) = RadioScenarioReader.read(
            Array("device \"Red buzzer\" buzzer battery=42\ndevice Key itag\n".utf8))
        let simulator = Simulator(scenario, on: loop)
        simulator.start()
        let socket = try ControllerSocket(
            simulator.controller, at: "\(folder.path)/hci", on: loop)
        let red = simulator.peripherals[0]
        // Pressed after the subscription; earlier presses would be lost.
        let hand = ScopedPendulum(on: loop, .milliseconds(5)) { _ in
            if red.isLinked, red.presses.sent < 4 { red.press(button: red.presses.sent) }
        }
        let end = ScopedCountdown(on: loop, .seconds(120)) { loop.stop() }
        loop.beforeSleep = { if socket.isOver { loop.stop() } }
        let root = ChildProcess.root
        let listener = try ChildProcess(
            [
                "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Clients/listener.py",
                "unix-client:\(socket.path)", "Red buzzer", "4",
            ], connecting: [1, 2])
        loop.run()
        _ = (hand, end)
        let output = listener.outputUntilEnd().split(separator: "\n").map(String.init)
        #expect(
            output == [
                "found C0:00:00:00:00:01", "mtu 100", "service 1800 2A00", "service FFF0 FFF1",
                "service 180F 2A19", "by uuid 1", "name Red buzzer", "battery 42", "subscribed",
                "press 01", "press 02", "press 04", "press 08", "ended",
            ])
        #expect(!red.isLinked)
    }
}

/// A virtual controller at a UNIX socket, for one host.
final class ControllerSocket: HCIHost {
    let path: String
    private let loop: LibeventLoop
    private let endpoint: any HCIEndpoint
    private let listening: Int32
    private var connection: Int32 = -1
    private var acceptWatcher: DescriptorWatcher?
    private var input: DescriptorWatcher?
    /// Whether a host has connected and closed the connection.
    private(set) var isOver = false

    init(_ endpoint: any HCIEndpoint, at path: String, on loop: LibeventLoop) throws {
        (self.endpoint, self.path, self.loop) = (endpoint, path, loop)
        listening = SocketPath.socket(isBlocking: false)
        if let address = SocketPath.address(path) {
            _ = SocketPath.with(address) { bind(listening, $0, $1) }
        }
        listen(listening, 1)
        endpoint.host = self
        acceptWatcher = try DescriptorWatcher(listening, .readable, on: loop) { [unowned self] in
            admit()
        }
    }

    deinit {
        (acceptWatcher, input) = (nil, nil)
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
