import Bluetooth
import GameFlow
import RPC
import Sessions
import ShippedFlows
import Support
import TestSupport
import Testing
import Timers

@testable import BluetoothPart
@testable import GamedServer
@testable import Parts
@testable import Shards

/// The `map` lines of Bluetooth devices in a configuration, and the values of `--bluetooth` and `--btsnoop`.
@Suite struct MapDirectiveTests {
    private let folder = Folder()

    private func read(_ text: String) throws(Options.OptionsError) -> DeviceMaps {
        let file = folder.write("gamed.conf", text)
        let command = try Options.read(["--config", file], flows: AnyFlow.shipped())
        guard case .run(let options) = command else { return DeviceMaps() }
        return options.bluetooth.maps
    }

    /// The error for a configuration line, beginning with its column; nil if the line is valid.
    private func error(_ line: String) -> String? {
        do throws(Options.OptionsError) { _ = try read(line) } catch {
            let prefix = "\(folder.path)/gamed.conf:1:"
            return error.lines.first.map { String($0.dropFirst(prefix.count)) }
        }
        return nil
    }

    private let pressLine = "map device=Red service=FFE0 characteristic=FFE1 value=01 event=pause"

    @Test func `an unknown event in a line is not reported while a flow file has a mistake`()
        throws
    {
        folder.write("room.yaml", "flow: room\nstart: locked\n")
        let file = folder.write(
            "gamed.conf",
            pressLine.replacing("event=pause", with: "event=unlock args={\"code\":1}") + "\n")
        let command = try Options.read(
            ["--flows", folder.path, "--config", file], flows: AnyFlow.shipped())
        guard case .run(let options) = command else {
            Issue.record("\(command)")
            return
        }
        #expect(options.sessions.flowFiles?.mistakes.isEmpty == false)
        #expect(options.bluetooth.maps.maps.count == 1)
    }

    @Test func `a line may have all keys, with JSON as arguments`() throws {
        let maps = try read(
            #"map device="Red *" service=0000ffe0-0000-1000-8000-00805f9b34fb characteristic=ffe1 value=0110/FF10 event=buzz session=hall args={"player": "red {one}"} debounce=50ms  # ann's"#
        )
        let map = try #require(maps.maps.first)
        #expect(map.device == Glob("Red *"))
        let subscription = Subscription(
            service: BluetoothUUID(0xFFE0), characteristic: BluetoothUUID(0xFFE1))
        let value = try ValuePattern("0110/FF10")
        #expect(map.trigger == .press(subscription, value, event: "buzz"))
        #expect(map.session == SessionName("hall"))
        #expect(map.arguments == [Member("player", "red {one}")])
        #expect(map.debounce == .milliseconds(50))
    }

    @Test func `arguments may be quoted as in a shell, or omitted`() throws {
        let buzzLine = pressLine.replacing("event=pause", with: "event=buzz")
        let maps = try read("\(buzzLine) args='{\"player\":\"ann\"}'\n\(pressLine)\n")
        #expect(maps.maps.map(\.arguments) == [[Member("player", "ann")], []])
        #expect(maps.maps[1].session == .main)
    }

    @Test func `a line may map only the loss and the return of a link`() throws {
        let maps = try read(
            "map device=C0:* lost=pause found=resume session=a\nmap device=* found=controllerFound")
        #expect(
            maps.maps.map(\.trigger) == [
                .link(lost: "pause", found: "resume"), .link(lost: nil, found: "controllerFound"),
            ])
    }

    @Test(arguments: [
        ("map", "1: device= is missing; expected device=GLOB service=UUID"),
        ("map device=Red", "1: service= is missing"),
        ("map device=Red service=FFE0 characteristic=FFE1 value=01", "1: event= is missing"),
        ("map device=Red servce=FFE0", "16: servce=FFE0: expected service="),
        ("map device=Red Red", "16: Red: expected "),
        ("map device=Red Buzzer", "16: Buzzer: expected device, session"),
        ("map device=Red device=Blue", "16: device is given twice"),
        ("map device= lost=pause", "5: device: empty"),
        ("map device=a lost=pause value=01", "25: value: cannot be combined with lost and found"),
        (
            "map device=a lost=pause debounce=1s",
            "25: debounce: cannot be combined with lost and found"
        ),
        ("map device=a lost=puase", "14: lost: no flow has an event puase; did you mean pause?"),
        ("map device=a service=FFE", "14: service: expected a UUID such as FFE0"),
    ])
    func `errors have a column and a reason`(_ line: String, _ why: String) {
        let found = error(line)
        #expect(found?.hasPrefix(why) == true, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("value=01", "value=0", "value: expected bytes such as 01"),
        ("value=01", "value=01/F", "value: expected a mask as long as the value"),
        ("value=01", "value=01/FFFF", "value: expected a mask as long as the value"),
        ("value=01", "value=11/0F", "value: has bits outside the mask"),
        ("event=pause", "event=buz", "event: no flow has an event buz; did you mean buzz?"),
        ("event=pause", "event=buzz", "args: buzz takes player: string"),
        ("event=pause", "event=buzz args={\"who\":\"a\"}", "args: buzz takes player: string"),
        ("event=pause", "event=pause args={\"x\":1}", "args: pause takes nothing"),
        ("event=pause", "event=pause session=a/b", "session: expected 1 to 64 of"),
        ("event=pause", "event=pause args=[1]", "args: expected an object"),
        ("event=pause", "event=pause args={\"a\":}", "args: expected an object"),
        ("event=pause", "event=pause args={\"a\":1.5}", "args: "),
        ("event=pause", "event=pause debounce=soon", "debounce: expected a duration"),
    ])
    func `an invalid value is an error`(_ good: String, _ bad: String, _ why: String) {
        let found = error(pressLine.replacing(good, with: bad))
        #expect(found?.contains(why) == true, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("01", [1], true), ("01", [1, 0], false), ("01", [], false), ("0102", [1, 2], true),
        ("01/01", [3], true), ("01/01", [2], false), ("01/01", [1, 9], true), ("01/01", [], false),
        ("00/00", [7], true),
    ])
    func `a value is compared completely, or by its mask`(
        _ pattern: String, _ value: [UInt8], _ matches: Bool
    ) throws {
        #expect(try ValuePattern(pattern).matches(value) == matches)
    }

    @Test(arguments: [
        ("sim:a b.radio", ControllerLocation.simulated("a b.radio")),
        ("hci:unix:/run/hci", .unix("/run/hci")),
        ("hci:tcp:127.0.0.1:9", .tcp(host: "127.0.0.1", port: 9)),
        ("hci:tcp:[::1]:9", .tcp(host: "::1", port: 9)), ("hci:tcp:example.com:9", nil),
        ("sim:", nil), ("hci:unix:", nil),
        ("hci:tcp:host", nil), ("hci:tcp:host:0", nil), ("hci:tcp:host:99999", nil), ("usb:0", nil),
        ("", nil),
    ])
    func `the location of a controller is parsed`(_ text: String, _ location: ControllerLocation?) {
        #expect(ControllerLocation(text) == location)
        if let location { #expect(location.text == text) }
    }

    @Test func `a capture requires a controller`() {
        #expect(throws: Options.OptionsError.usage("--btsnoop requires --bluetooth")) {
            try Options.read(["--btsnoop", "x"], flows: [AnyFlow(Game())])
        }
    }
}
