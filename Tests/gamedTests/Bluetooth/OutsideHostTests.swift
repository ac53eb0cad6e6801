import Bluetooth
import EventLoop
import Glibc
import TestSupport
import Testing
import Timers

/// Our controller and our devices, as a host sees them that nobody here wrote.
@Suite struct OutsideHostTests {
    @Test func `Bumble finds a buzzer of ours, asks it everything, and hears its presses`() throws {
        let folder = Folder()
        let loop = try LibeventLoop()
        let (scenario, _) = RadioScenarioReader.read(
            Array("device \"Red buzzer\" buzzer battery=42\ndevice Key itag\n".utf8))
        let simulator = Simulator(scenario, on: loop)
        simulator.start()
        let socket = try ControllerSocket(
            simulator.controller, at: "\(folder.path)/hci", on: loop)
        let red = simulator.peripherals[0]
        // Pressed as soon as it is subscribed to: those before are nobody's.
        let hand = ScopedPendulum(on: loop, .milliseconds(5)) { _ in
            if red.isLinked, red.presses.sent < 4 { red.press(button: red.presses.sent) }
        }
        let end = ScopedCountdown(on: loop, .seconds(60)) { loop.stop() }
        loop.beforeSleep = { if socket.isOver { loop.stop() } }
        let root = ChildProcess.root
        let listener = try ChildProcess(
            [
                "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Clients/listener.py",
                "unix-client:\(socket.path)", "Red buzzer", "4",
            ], talksBy: [1, 2])
        loop.run()
        _ = (hand, end)
        let said = listener.sayings().split(separator: "\n").map(String.init)
        #expect(
            said == [
                "found C0:00:00:00:00:01", "mtu 100", "service 1800 2A00", "service FFF0 FFF1",
                "service 180F 2A19", "by uuid 1", "name Red buzzer", "battery 42", "subscribed",
                "press 01", "press 02", "press 04", "press 08", "ended",
            ])
        #expect(!red.isLinked)
    }
}
