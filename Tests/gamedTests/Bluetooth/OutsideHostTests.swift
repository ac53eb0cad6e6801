import Bluetooth
import EventLoop
import Glibc
import Shell
import TestSupport
import Testing
import Timers

/// A Bluetooth host of another project (Bumble) uses the virtual controller and the simulated devices of gamed.
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
        let redBuzzer = simulator.peripherals[0]
        // A press before the host subscribes is lost, and `sent` does not count it. So the timer repeats each press until it
        // is sent.
        let pressTimer = ScopedPendulum(on: loop, .milliseconds(5)) { _ in
            if redBuzzer.isLinked, redBuzzer.presses.sent < 4 {
                redBuzzer.press(button: redBuzzer.presses.sent)
            }
        }
        let timeout = ScopedCountdown(on: loop, .seconds(120)) { loop.stop() }
        loop.beforeSleep = {
            if socket.isClosed { loop.stop() }
            return false
        }
        let root = ChildProcess.repositoryRoot
        let host = try ChildProcess(
            [
                "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Clients/listener.py",
                "unix-client:\(socket.path)", "Red buzzer", "4",
            ], connecting: [1, 2])
        loop.run()
        withExtendedLifetime((pressTimer, timeout)) {}
        let output = host.outputUntilEnd().split(separator: "\n").map(String.init)
        #expect(
            output == [
                "found C0:00:00:00:00:01", "mtu 100", "service 1800 2A00", "service FFF0 FFF1",
                "service 180F 2A19", "by uuid 1", "name Red buzzer", "battery 42", "subscribed",
                "press 01", "press 02", "press 04", "press 08", "ended",
            ])
        #expect(!redBuzzer.isLinked)
    }
}

/// A virtual controller at a UNIX socket, for one host.
final class ControllerSocket: HCIHost {
    let path: String
    private let loop: LibeventLoop
    private let endpoint: any HCIEndpoint
    private let listeningDescriptor: Int32
    private var connection: Int32 = -1
    private var acceptWatcher: DescriptorWatcher?
    private var inputWatcher: DescriptorWatcher?
    /// Whether a host has connected and then closed the connection.
    private(set) var isClosed = false

    init(_ endpoint: any HCIEndpoint, at path: String, on loop: LibeventLoop) throws {
        (self.endpoint, self.path, self.loop) = (endpoint, path, loop)
        let address = try #require(SocketAddress(path: path))
        listeningDescriptor = address.makeStreamSocket()
        _ = address.withPointer { bind(listeningDescriptor, $0, $1) }
        listen(listeningDescriptor, 1)
        endpoint.host = self
        acceptWatcher = try DescriptorWatcher(listeningDescriptor, .readable, on: loop) {
            [unowned self] in acceptHost()
        }
    }

    deinit {
        (acceptWatcher, inputWatcher) = (nil, nil)
        close(listeningDescriptor)
        if connection >= 0 { close(connection) }
    }

    private func acceptHost() {
        connection = accept(listeningDescriptor, nil, nil)
        inputWatcher = try? DescriptorWatcher(connection, .readable, on: loop) { [unowned self] in
            read()
        }
        endpoint.open()
    }

    private func read() {
        loop.fireDueTimers()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(connection, &buffer, buffer.count)
        guard count > 0 else {
            inputWatcher = nil
            isClosed = true
            return endpoint.close()
        }
        endpoint.send(Array(buffer[..<count]))
    }

    func opened() {}

    func received(_ bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        _ = write(connection, bytes, bytes.count)
    }

    func closed(_ why: String) {}
}
