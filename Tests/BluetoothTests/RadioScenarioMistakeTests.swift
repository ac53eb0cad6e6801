import Testing

@testable import Bluetooth

@Suite struct RadioScenarioMistakeTests {
    private typealias Mistake = RadioScenarioReader.Mistake

    private func mistakes(_ text: String) -> [Mistake] {
        RadioScenarioReader.read(Array(text.utf8)).mistakes
    }

    private static let verbs = "expected seed, air, device, characteristic, button, at or every"
    private static let length = "expected a length of time such as 250ms or 5m"
    private static let lengths = "expected a length of time such as 5s, or 5s..20s"
    private static let flaps = "expected how long it is there and away, such as 30s/2s"

    /// What is written, and where it is wrong, and why.
    private static let mistakes: [(text: String, line: Int, column: Int, why: String)] = [
        ("what", 1, 1, verbs), ("seed=7", 1, 1, verbs), ("Seed 7", 1, 1, verbs),
        ("seed 1\n \"seed 7", 2, 1, "an unclosed quote"),
        ("seed", 1, 1, "expected a number"), ("seed a=7", 1, 6, "expected a number"),
        ("\n\n  seed -1", 3, 8, "expected a number from 0 on"),
        ("seed 9223372036854775808", 1, 6, "expected a number from 0 on"),
        ("seed 7 8", 1, 8, "8: unexpected word"),
        // The air.
        (
            "air lost=1", 1, 5,
            "expected advertisements-lost, advertising-jitter, latency, connecting, link-life, away or reports"
        ), ("air away", 1, 5, "away: unexpected word"),
        ("air advertisements-lost=101", 1, 5, "expected a number from 0 to 100"),
        ("air advertisements-lost=-1", 1, 5, "expected a number from 0 to 100"),
        ("air advertising-jitter=fast", 1, 5, length), ("air away=1s latency=", 1, 13, lengths),
        ("air latency=20ms..10ms", 1, 5, lengths), ("air connecting=1s..", 1, 5, lengths),
        ("air connecting=1s.2s", 1, 5, lengths), ("air away=1s..2s..3s", 1, 5, lengths),
        ("air link-life=0ms", 1, 5, length + ", at least 1ms"),
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
        ("device A itag advertise=19ms", 1, 15, length + ", at least 20ms"),
        ("device A itag queue=1001", 1, 15, "expected a number from 0 to 1000"),
        ("device A itag sleeps=0s", 1, 15, length + ", at least 1ms"),
        ("device A itag flaps=5s", 1, 15, flaps), ("device A itag flaps=0s/2s", 1, 15, flaps),
        ("device A itag flaps=5s//2s", 1, 15, flaps), ("device A itag flaps=5s/x", 1, 15, flaps),
        // What they have.
        ("characteristic A FFE0/FFE1", 1, 16, "there is no device A above"),
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
            "the device has no FFF0/FFF1 above"
        ),
        // What happens.
        ("at", 1, 1, "expected a length of time"), ("at soon drop A", 1, 4, length),
        ("at 1s", 1, 4, "expected press, drop, return or sleep"),
        ("at 1s jump A", 1, 7, "jump: expected press, drop, return, sleep"),
        ("at 1s press", 1, 7, "expected a device"),
        ("at 1s press A", 1, 13, "there is no device A above"),
        ("device A buzzer\nat 1s press A 5", 2, 15, "expected a number from 1 to 4"),
        ("device A buzzer\nat 1s press A 0", 2, 15, "expected a number from 1 to 4"),
        ("device A custom\nat 1s press A", 2, 13, "A has no button"),
        ("device A itag\nat 1s drop A times=2", 2, 14, "2: unexpected word"),
        ("device A itag\nevery 0s press A", 2, 7, lengths + ", at least 1ms"),
        ("device A itag\nevery 1s press A 1 count=3", 2, 20, "expected times=N"),
        ("device A itag\nevery 1s drop A times=-1", 2, 17, "expected a number from 0 to 1000000"),
        ("device A itag\nevery 1s drop A 7", 2, 17, "7: unexpected word"),
    ]

    @Test func `each mistake is told with where it stands and why`() {
        for (text, line, column, why) in Self.mistakes {
            let expected = [Mistake(line: line, column: column, why: why)]
            #expect(mistakes(text) == expected, "\(text)")
        }
    }

    @Test func `all mistakes are told, and what is right is read`() {
        let text = "seed 3\nwhat\nair away\ndevice A itag\nat 1s drop B"
        let (scenario, mistakes) = RadioScenarioReader.read(Array(text.utf8))
        #expect(mistakes.map(\.line) == [2, 3, 5])
        #expect(scenario.air.seed == 3)
        #expect(scenario.devices.map(\.name) == ["A"])
        #expect(scenario.steps == [])
    }

    @Test func `a file has a length that it may have`() {
        let limit = RadioScenarioReader.byteLimit
        let bytes = Array("seed 3\n#".utf8)
        let longest = bytes + [UInt8](repeating: 0x23, count: limit - bytes.count)
        #expect(RadioScenarioReader.read(longest).mistakes == [])
        #expect(RadioScenarioReader.read(longest).scenario.air.seed == 3)
        let (scenario, mistakes) = RadioScenarioReader.read(longest + [0x23])
        #expect(mistakes == [Mistake(line: 0, column: 0, why: "longer than 1048576 bytes")])
        #expect(scenario == RadioScenario())
    }

    @Test func `there are so many devices, and so many things that happen`() {
        let limits = (RadioScenarioReader.deviceLimit, RadioScenarioReader.stepLimit)
        #expect(limits == (64, 10_000))
        let devices = (1...65).map { "device D\($0) itag\n" }
        #expect(mistakes(devices[..<64].joined()) == [])
        let one = Mistake(line: 65, column: 8, why: "more than 64 devices")
        #expect(mistakes(devices.joined()) == [one])
        let steps = String(repeating: "at 1s press D1\n", count: 10_000)
        #expect(mistakes(devices[0] + steps) == [])
        let other = Mistake(line: 10_002, column: 7, why: "more than 10000 things happen")
        #expect(mistakes(devices[0] + steps + "at 1s press D1") == [other])
    }

    @Test func `a device has so many characteristics and buttons`() {
        let ones = (10...26).map { "characteristic A FFE0/FF\($0)\n" }
        let device = "device A custom\n"
        #expect(mistakes(device + ones[..<16].joined()) == [])
        let one = Mistake(line: 18, column: 18, why: "more than 16 characteristics")
        #expect(mistakes(device + ones.joined()) == [one])
        let buttons = String(repeating: "button B FFE0/FFE1 value=01\n", count: 31)
        #expect(mistakes("device B itag\n" + buttons) == [])
        let other = Mistake(line: 33, column: 20, why: "more than 32 buttons")
        #expect(mistakes("device B itag\n" + buttons + "button B FFE0/FFE1 value=01") == [other])
    }
}
