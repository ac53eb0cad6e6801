import Testing
import Timers

@testable import Bluetooth

@Suite struct RadioScenarioTests {
    private typealias ScenarioError = RadioScenarioError

    private static let validText = """
        # Each statement.
        seed 7
        air advertisements-lost=10 advertising-jitter=5ms latency=5ms..20ms connecting=30ms
        air link-life=2s away=100ms..2s reports=extended   # both lines apply

        device "Red buzzer" buzzer queue=8 rssi=-70 battery=none advertise=20ms
        device Key itag address=c0:ff:ee:00:00:01 sleeps=20m flaps=30s/2s away
        device Tag#2 itag-unasked battery=0
        \tdevice  Own\tcustom
        characteristic Own FFE0/FFE1 tells=indicates value=0aFF
        characteristic Own FFE0/FFE2 tells=unasked
        button Own FFE0/FFE2 value=01
        button Own FFE0/FFE1 value=02
        at 1s press "Red buzzer" 4
        at 2s press Key
        at 3s press Own any
        at 4s drop Key
        at 5s return Key
        every 5s..20s press Own 2 times=3
        every 1ms sleep Key
        """

    private func read(_ text: String) -> (scenario: RadioScenario, errors: [ScenarioError]) {
        RadioScenarioReader.read(Array(text.utf8))
    }

    private static let expected: RadioScenario = {
        var scenario = RadioScenario()
        scenario.air.seed = 7
        scenario.air.advertisementsLost = 10
        scenario.air.advertisingJitter = .milliseconds(5)
        scenario.air.latency = .milliseconds(5) ... .milliseconds(20)
        scenario.air.connecting = .milliseconds(30) ... .milliseconds(30)
        scenario.air.linkLife = .seconds(2)
        scenario.air.away = .milliseconds(100) ... .seconds(2)
        scenario.air.usesExtendedReports = true
        func address(_ bits: UInt64) -> DeviceAddress { DeviceAddress(bits: bits, kind: .random) }
        var red = DeviceModel.buzzer("Red buzzer", address(0xC000_0000_0001))
        (red.queueCapacity, red.advertisingInterval) = (8, .milliseconds(20))
        (red.rssi, red.battery) = (-70, nil)
        var key = DeviceModel.itag("Key", address(0xC0FF_EE00_0001))
        (key.sleepsAfter, key.isAway) = (.seconds(1200), true)
        key.flaps = .init(up: .seconds(30), away: .seconds(2))
        var tag = DeviceModel.itag("Tag#2", address(0xC000_0000_0003), notifiesUnasked: true)
        tag.battery = 0
        var own = DeviceModel("Own", address(0xC000_0000_0004))
        let names = [0xFFE1, 0xFFE2].map {
            Subscription(service: BluetoothUUID(0xFFE0), characteristic: BluetoothUUID($0))
        }
        own.characteristics = [
            CharacteristicModel(names[0], .indicates, value: [0x0A, 0xFF]),
            CharacteristicModel(names[1], .unasked, value: [0]),
        ]
        own.buttons = [ButtonModel(names[1], [1]), ButtonModel(names[0], [2])]
        scenario.devices = [red, key, tag, own]
        scenario.steps = [
            .init(.at(.seconds(1)), 0, .press(3)), .init(.at(.seconds(2)), 1, .press(0)),
            .init(.at(.seconds(3)), 3, .press(nil)), .init(.at(.seconds(4)), 1, .leaveRange),
            .init(.at(.seconds(5)), 1, .returnToRange),
            .init(.every(.seconds(5) ... .seconds(20), times: 3), 3, .press(1)),
            .init(.every(.milliseconds(1) ... .milliseconds(1), times: nil), 1, .sleep),
        ]
        return scenario
    }()

    @Test func `each statement and trait is parsed`() {
        let (scenario, errors) = read(Self.validText)
        #expect(errors == [])
        #expect(scenario.air == Self.expected.air)
        for (device, expectedDevice) in zip(scenario.devices, Self.expected.devices) {
            #expect(device == expectedDevice)
        }
        #expect(scenario.steps == Self.expected.steps)
        #expect(scenario == Self.expected)
    }

    @Test func `the defaults apply to everything that is not given`() {
        let (scenario, errors) = read(" # nothing\n\n\t\n#")
        #expect(errors == [])
        #expect(scenario == RadioScenario())
        let model = read("device A buzzer").scenario.devices
        #expect(model == [.buzzer("A", DeviceAddress(bits: 0xC000_0000_0001, kind: .random))])
    }

    @Test func `lines may end with CR LF`() {
        let text = Self.validText.replacing("\n", with: "\r\n")
        #expect(text.utf8.count > Self.validText.utf8.count)
        let (scenario, errors) = read(text)
        #expect(errors == [])
        #expect(scenario == Self.expected)
        #expect(read("seed x\r\n").errors == read("seed x\n").errors)
    }

    @Test func `a truncated valid file has at most one error, in its last line`() {
        let bytes = Array(Self.validText.utf8)
        var errorCount = 0
        for length in 0...bytes.count {
            let part = bytes[..<length]
            let (scenario, errors) = RadioScenarioReader.read(Array(part))
            let line = part.count { $0 == 0x0A } + 1
            #expect(errors.allSatisfy { $0.line == line } && errors.count <= 1, "\(length)")
            if part.last == 0x0A { #expect(errors == [], "\(length)") }
            #expect(scenario.devices.count <= 4 && scenario.steps.count <= 7)
            errorCount += errors.count
        }
        #expect(errorCount > 100)
    }

    @Test func `invalid UTF-8 is an error as a statement, but not in a comment or a name`() {
        let expectedStatement = "expected seed, air, device, characteristic, button, at or every"
        let bytes: [UInt8] = [0x20, 0xFF, 0xFE, 0x0A] + Array("seed 7\n# ".utf8) + [0x80, 0xC3]
        let (scenario, errors) = RadioScenarioReader.read(bytes)
        #expect(errors == [ScenarioError(line: 1, column: 2, why: expectedStatement)])
        #expect(scenario.air.seed == 7)
        let name = Array("device A".utf8) + [0xC3] + Array(" itag".utf8)
        #expect(RadioScenarioReader.read(name).scenario.devices.map(\.name) == ["A\u{FFFD}"])
    }
}

@Suite struct RadioScenarioErrorTests {
    private typealias ScenarioError = RadioScenarioError

    private func errors(_ text: String) -> [ScenarioError] {
        RadioScenarioReader.read(Array(text.utf8)).errors
    }

    private static let expectedStatement =
        "expected seed, air, device, characteristic, button, at or every"
    private static let expectedDuration = "expected a duration such as 250ms or 5m"
    private static let expectedRange = "expected a duration such as 5s, or 5s..20s"
    private static let expectedFlaps = "expected UP/AWAY such as 30s/2s"

    /// A scenario, and the position and text of its error.
    private static let errors: [(text: String, line: Int, column: Int, why: String)] = [
        ("what", 1, 1, expectedStatement), ("seed=7", 1, 1, expectedStatement),
        ("Seed 7", 1, 1, expectedStatement),
        ("seed 1\n \"seed 7", 2, 1, "an unclosed quote"),
        ("seed", 1, 1, "expected a number"), ("seed a=7", 1, 6, "expected a number"),
        ("\n\n  seed -1", 3, 8, "expected a number from 0 on"),
        ("seed 9223372036854775808", 1, 6, "expected a number from 0 on"),
        ("seed 7 8", 1, 8, "8: unexpected word"),
        // Air.
        (
            "air lost=1", 1, 5,
            "expected advertisements-lost, advertising-jitter, latency, connecting, link-life, away or reports"
        ), ("air away", 1, 5, "away: unexpected word"),
        ("air advertisements-lost=101", 1, 5, "expected a number from 0 to 100"),
        ("air advertisements-lost=-1", 1, 5, "expected a number from 0 to 100"),
        ("air advertising-jitter=fast", 1, 5, expectedDuration),
        ("air away=1s latency=", 1, 13, expectedRange),
        ("air latency=20ms..10ms", 1, 5, expectedRange),
        ("air connecting=1s..", 1, 5, expectedRange),
        ("air connecting=1s.2s", 1, 5, expectedRange), ("air away=1s..2s..3s", 1, 5, expectedRange),
        ("air link-life=0ms", 1, 5, expectedDuration + ", at least 1ms"),
        ("air reports=modern", 1, 5, "modern: expected legacy, extended"),
        // Devices.
        ("device", 1, 1, "expected a name"), ("device a=b itag", 1, 8, "expected a name"),
        ("device \"\" itag", 1, 8, "expected a name of 1 to 29 bytes"),
        ("device 123456789012345678901234567890 itag", 1, 8, "expected a name of 1 to 29 bytes"),
        ("device A itag\ndevice A buzzer", 2, 8, "A is given twice"),
        ("device A", 1, 8, "expected a kind"),
        ("device A phone", 1, 10, "phone: expected itag, itag-unasked, buzzer, custom"),
        ("device A itag gone", 1, 15, "gone: expected away"),
        (
            "device A itag color=red", 1, 15,
            "color: expected address, rssi, battery, advertise, queue, sleeps, flaps or away"
        ), ("device A itag address=C0", 1, 15, "expected an address such as C0:00:00:00:00:01"),
        (
            "device A itag address=C0:00:00:00:00:02\ndevice B itag", 2, 8,
            "C0:00:00:00:00:02 is given twice"
        ), ("device A itag rssi=21", 1, 15, "expected a number from -127 to 20"),
        ("device A itag rssi=-128", 1, 15, "expected a number from -127 to 20"),
        ("device A itag away battery=101", 1, 20, "expected a number from 0 to 100"),
        ("device A itag advertise=19ms", 1, 15, expectedDuration + ", at least 20ms"),
        ("device A itag queue=1001", 1, 15, "expected a number from 0 to 1000"),
        ("device A itag sleeps=0s", 1, 15, expectedDuration + ", at least 1ms"),
        ("device A itag flaps=5s", 1, 15, expectedFlaps),
        ("device A itag flaps=0s/2s", 1, 15, expectedFlaps),
        ("device A itag flaps=5s//2s", 1, 15, expectedFlaps),
        ("device A itag flaps=5s/x", 1, 15, expectedFlaps),
        // Characteristics and buttons.
        ("characteristic A FFE0/FFE1", 1, 16, "no device A is defined above"),
        ("characteristic", 1, 1, "expected a device"),
        (
            "device A custom\ncharacteristic A FFE0", 2, 18,
            "expected SERVICE/CHARACTERISTIC such as FFE0/FFE1"
        ),
        (
            "device A custom\ncharacteristic A FFE0/FFE1/FFE2", 2, 18,
            "expected SERVICE/CHARACTERISTIC such as FFE0/FFE1"
        ), ("device A custom\ncharacteristic A", 2, 16, "expected SERVICE/CHARACTERISTIC"),
        (
            "device A custom\ncharacteristic A FFE0/FFE1 tells=lies", 2, 28,
            "lies: expected notifies, indicates, unasked"
        ),
        (
            "device A custom\ncharacteristic A FFE0/FFE1 value=0", 2, 28,
            "expected 1 to 20 bytes such as 01FF"
        ),
        (
            "device A custom\ncharacteristic A FFE0/FFE1 value=", 2, 28,
            "expected 1 to 20 bytes such as 01FF"
        ),
        ("device A custom\ncharacteristic A FFE0/FFE1 a=1", 2, 28, "expected tells or value"),
        ("device A itag\ncharacteristic A FFE0/FFE1", 2, 18, "FFE1 is given twice"),
        ("device A itag\nbutton A FFE0/FFE1", 2, 10, "expected value=HEX"),
        ("device A itag\nbutton A FFE0/FFE1 tells=01", 2, 20, "expected value=HEX"),
        (
            "device A itag\nbutton A FFF0/FFF1 value=01", 2, 20,
            "the device has no characteristic FFF0/FFF1 above"
        ),
        // Steps.
        ("at", 1, 1, "expected a duration"), ("at soon drop A", 1, 4, expectedDuration),
        ("at 1s", 1, 4, "expected press, drop, return or sleep"),
        ("at 1s jump A", 1, 7, "jump: expected press, drop, return, sleep"),
        ("at 1s press", 1, 7, "expected a device"),
        ("at 1s press A", 1, 13, "no device A is defined above"),
        ("device A buzzer\nat 1s press A 5", 2, 15, "expected a number from 1 to 4"),
        ("device A buzzer\nat 1s press A 0", 2, 15, "expected a number from 1 to 4"),
        ("device A custom\nat 1s press A", 2, 13, "A has no button"),
        ("device A itag\nat 1s drop A times=2", 2, 14, "2: unexpected word"),
        ("device A itag\nevery 0s press A", 2, 7, expectedRange + ", at least 1ms"),
        ("device A itag\nevery 1s press A 1 count=3", 2, 20, "expected times=N"),
        ("device A itag\nevery 1s drop A times=-1", 2, 17, "expected a number from 0 to 1000000"),
        ("device A itag\nevery 1s drop A 7", 2, 17, "7: unexpected word"),
    ]

    @Test func `each error has its position and its reason`() {
        for (text, line, column, why) in Self.errors {
            let expected = [ScenarioError(line: line, column: column, why: why)]
            #expect(errors(text) == expected, "\(text)")
        }
    }

    @Test func `all errors are reported, and valid lines are read`() {
        let text = "seed 3\nwhat\nair away\ndevice A itag\nat 1s drop B"
        let (scenario, errors) = RadioScenarioReader.read(Array(text.utf8))
        #expect(errors.map(\.line) == [2, 3, 5])
        #expect(scenario.air.seed == 3)
        #expect(scenario.devices.map(\.name) == ["A"])
        #expect(scenario.steps == [])
    }

    @Test func `the size of a file is limited`() {
        let limit = RadioScenarioReader.byteLimit
        let bytes = Array("seed 3\n#".utf8)
        let longest = bytes + [UInt8](repeating: 0x23, count: limit - bytes.count)
        #expect(RadioScenarioReader.read(longest).errors == [])
        #expect(RadioScenarioReader.read(longest).scenario.air.seed == 3)
        let (scenario, errors) = RadioScenarioReader.read(longest + [0x23])
        #expect(errors == [ScenarioError(line: 0, column: 0, why: "longer than 1048576 bytes")])
        #expect(scenario == RadioScenario())
    }

    @Test func `the numbers of devices and steps are limited`() {
        let limits = (RadioScenarioReader.deviceLimit, RadioScenarioReader.stepLimit)
        #expect(limits == (64, 10_000))
        let devices = (1...65).map { "device D\($0) itag\n" }
        #expect(errors(devices[..<64].joined()) == [])
        let deviceError = ScenarioError(line: 65, column: 8, why: "more than 64 devices")
        #expect(errors(devices.joined()) == [deviceError])
        let steps = String(repeating: "at 1s press D1\n", count: 10_000)
        #expect(errors(devices[0] + steps) == [])
        let stepError = ScenarioError(line: 10_002, column: 7, why: "more than 10000 steps")
        #expect(errors(devices[0] + steps + "at 1s press D1") == [stepError])
    }

    @Test func `the numbers of characteristics and buttons are limited`() {
        let characteristics = (10...26).map { "characteristic A FFE0/FF\($0)\n" }
        let device = "device A custom\n"
        #expect(errors(device + characteristics[..<16].joined()) == [])
        let characteristicError = ScenarioError(
            line: 18, column: 18, why: "more than 16 characteristics")
        #expect(errors(device + characteristics.joined()) == [characteristicError])
        let buttons = String(repeating: "button B FFE0/FFE1 value=01\n", count: 31)
        #expect(errors("device B itag\n" + buttons) == [])
        let buttonError = ScenarioError(line: 33, column: 20, why: "more than 32 buttons")
        #expect(
            errors("device B itag\n" + buttons + "button B FFE0/FFE1 value=01") == [buttonError])
    }
}
