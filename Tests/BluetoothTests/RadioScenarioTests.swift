import Testing
import Timers

@testable import Bluetooth

@Suite struct RadioScenarioTests {
    private typealias Mistake = RadioScenarioReader.Mistake

    private static let good = """
        # A night of everything.
        seed 7
        air advertisements-lost=10 advertising-jitter=5ms latency=5ms..20ms connecting=30ms
        air link-life=2s away=100ms..2s reports=extended   # and it all holds

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

    private func read(_ text: String) -> (scenario: RadioScenario, mistakes: [Mistake]) {
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
        scenario.air.isExtended = true
        func address(_ bits: UInt64) -> DeviceAddress { DeviceAddress(bits: bits, kind: .random) }
        var red = DeviceModel.buzzer("Red buzzer", address(0xC000_0000_0001))
        (red.queue, red.rssi, red.battery, red.interval) = (8, -70, nil, .milliseconds(20))
        var key = DeviceModel.itag("Key", address(0xC0FF_EE00_0001))
        (key.sleepsAfter, key.isAway) = (.seconds(1200), true)
        key.flaps = .init(up: .seconds(30), away: .seconds(2))
        var tag = DeviceModel.itag("Tag#2", address(0xC000_0000_0003), isUnasked: true)
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
            .init(.at(.seconds(3)), 3, .press(nil)), .init(.at(.seconds(4)), 1, .drop),
            .init(.at(.seconds(5)), 1, .comeBack),
            .init(.every(.seconds(5) ... .seconds(20), times: 3), 3, .press(1)),
            .init(.every(.milliseconds(1) ... .milliseconds(1), times: nil), 1, .sleep),
        ]
        return scenario
    }()

    @Test func `each verb and trait is read into what it says`() {
        let (scenario, mistakes) = read(Self.good)
        #expect(mistakes == [])
        #expect(scenario.air == Self.expected.air)
        for (read, expected) in zip(scenario.devices, Self.expected.devices) {
            #expect(read == expected)
        }
        #expect(scenario.steps == Self.expected.steps)
        #expect(scenario == Self.expected)
    }

    @Test func `what is not said is as it is by default`() {
        let (scenario, mistakes) = read(" # nothing\n\n\t\n#")
        #expect(mistakes == [])
        #expect(scenario == RadioScenario())
        let model = read("device A buzzer").scenario.devices
        #expect(model == [.buzzer("A", DeviceAddress(bits: 0xC000_0000_0001, kind: .random))])
    }

    @Test func `lines may end as elsewhere`() {
        let text = Self.good.replacing("\n", with: "\r\n")
        #expect(text.utf8.count > Self.good.utf8.count)
        let (scenario, mistakes) = read(text)
        #expect(mistakes == [])
        #expect(scenario == Self.expected)
        #expect(read("seed x\r\n").mistakes == read("seed x\n").mistakes)
    }

    @Test func `of a good file that is cut off anywhere only the last line may be wrong`() {
        let bytes = Array(Self.good.utf8)
        var wrong = 0
        for length in 0...bytes.count {
            let part = bytes[..<length]
            let (scenario, mistakes) = RadioScenarioReader.read(Array(part))
            let line = part.count { $0 == 0x0A } + 1
            #expect(mistakes.allSatisfy { $0.line == line } && mistakes.count <= 1, "\(length)")
            if part.last == 0x0A { #expect(mistakes == [], "\(length)") }
            #expect(scenario.devices.count <= 4 && scenario.steps.count <= 7)
            wrong += mistakes.count
        }
        #expect(wrong > 100)
    }

    @Test func `what is no UTF-8 is a mistake where it stands, and no more`() {
        let verbs = "expected seed, air, device, characteristic, button, at or every"
        let bytes: [UInt8] = [0x20, 0xFF, 0xFE, 0x0A] + Array("seed 7\n# ".utf8) + [0x80, 0xC3]
        let (scenario, mistakes) = RadioScenarioReader.read(bytes)
        #expect(mistakes == [Mistake(line: 1, column: 2, why: verbs)])
        #expect(scenario.air.seed == 7)
        let name = Array("device A".utf8) + [0xC3] + Array(" itag".utf8)
        #expect(RadioScenarioReader.read(name).scenario.devices.map(\.name) == ["A\u{FFFD}"])
    }
}
