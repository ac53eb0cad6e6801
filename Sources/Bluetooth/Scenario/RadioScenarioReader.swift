public import Support
import Timers

/// Parses a radio scenario, the file that describes simulated Bluetooth devices. Each line is one statement:
///
///     seed 7
///     air advertisements-lost=10 latency=5ms..20ms
///     device "Red buzzer" buzzer queue=8
///     at 5s press "Red buzzer" 2
public struct RadioScenarioReader {

    /// The maximum size of a scenario in bytes, and its maximum numbers of devices and of steps.
    public static let (byteLimit, deviceLimit, stepLimit) = (1 << 20, 64, 10_000)
    /// The maximum numbers of characteristics and of buttons of a device.
    private static let (characteristicLimit, buttonLimit) = (16, 32)

    var scenario = RadioScenario()
    private var errors: [RadioScenarioError] = []
    private var lineNumber = 0

    /// Parses a file, and returns the scenario and all errors.
    public static func read(_ bytes: [UInt8]) -> (
        scenario: RadioScenario, errors: [RadioScenarioError]
    ) {
        var reader = RadioScenarioReader()
        guard bytes.count <= byteLimit else {
            return (
                RadioScenario(),
                [RadioScenarioError(line: 0, column: 0, why: "longer than \(byteLimit) bytes")]
            )
        }
        let text = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
        let newline = UInt8(ascii: "\n")
        for line in text.utf8.split(separator: newline, omittingEmptySubsequences: false) {
            reader.lineNumber += 1
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            do throws(RadioScenarioError) { try reader.parse(Substring(line)) } catch {
                reader.errors.append(error)
            }
        }
        return (reader.scenario, reader.errors)
    }

    private mutating func parse(_ text: Substring) throws(RadioScenarioError) {
        guard let words = ScenarioWord.split(text) else {
            throw RadioScenarioError(line: lineNumber, column: 1, why: "an unclosed quote")
        }
        guard words.first != nil else { return }
        var line = ScenarioLine(words, lineNumber)
        let verb = try line.nextWord("seed, air, device, characteristic, button, at or every")
        switch verb.text {
        case "seed": scenario.air.seed = UInt64(try line.number("a number", 0...Int.max))
        case "air": try readAir(&line)
        case "device": try readDevice(&line)
        case "characteristic": try readCharacteristic(&line)
        case "button": try readButton(&line)
        case "at": try readStep(&line, .at(try line.duration()))
        case "every":
            let range = try line.durationRange(minimum: .milliseconds(1))
            try readStep(&line, .every(range, times: nil))
        default:
            throw line.error(
                verb, "expected seed, air, device, characteristic, button, at or every")
        }
        try line.expectEnd()
    }

    // MARK: the radio channel

    private mutating func readAir(_ line: inout ScenarioLine) throws(RadioScenarioError) {
        while let (key, value) = try line.nextPair() {
            switch key {
            case "advertisements-lost":
                scenario.air.advertisementsLost = try line.number(value, 0...100)
            case "advertising-jitter": scenario.air.advertisingJitter = try line.duration(value)
            case "latency": scenario.air.latency = try line.durationRange(value)
            case "connecting": scenario.air.connecting = try line.durationRange(value)
            case "link-life":
                scenario.air.linkLife = try line.duration(value, minimum: .milliseconds(1))
            case "away": scenario.air.away = try line.durationRange(value)
            case "reports":
                let formats = ["legacy", "extended"]
                scenario.air.usesExtendedReports = try line.choice(value, formats) == "extended"
            default:
                throw line.error(
                    value,
                    "expected advertisements-lost, advertising-jitter, latency, connecting, link-life, away or reports"
                )
            }
        }
    }

    // MARK: steps

    /// Parses the rest of a line after its time: an action, a device, and the action's parameters.
    private mutating func readStep(
        _ line: inout ScenarioLine, _ time: RadioScenario.Time
    ) throws(RadioScenarioError) {
        let verb = try line.nextWord("press, drop, return or sleep")
        let verbs = ["press", "drop", "return", "sleep"]
        let verbName = try line.choice(verb, verbs)
        let index = try deviceIndex(&line)
        var time = time
        let isPress = verbName == "press"
        let button = isPress ? try line.button(of: scenario.devices[index]) : nil
        if case .every(let range, _) = time, let (key, word) = try line.nextPair() {
            guard key == "times" else { throw line.error(word, "expected times=N") }
            time = .every(range, times: try line.number(word, 0...1_000_000))
        }
        guard scenario.steps.count < Self.stepLimit else {
            throw line.error(verb, "more than \(Self.stepLimit) steps")
        }
        let action: RadioScenario.Action =
            switch verbName {
            case "press": .press(button)
            case "drop": .leaveRange
            case "return": .returnToRange
            default: .sleep
            }
        scenario.steps.append(RadioScenario.Step(time, index, action))
    }
}

/// The lines that define devices.
extension RadioScenarioReader {
    mutating func readDevice(_ line: inout ScenarioLine) throws(RadioScenarioError) {
        let name = try line.nextWord("a name")
        // A longer name does not fit into a scan response.
        guard 1...29 ~= name.text.utf8.count else {
            throw line.error(name, "expected a name of 1 to 29 bytes")
        }
        guard !scenario.devices.contains(where: { $0.name == name.text }) else {
            throw line.error(name, "\(name.text) is given twice")
        }
        guard scenario.devices.count < Self.deviceLimit else {
            throw line.error(name, "more than \(Self.deviceLimit) devices")
        }
        let kind = try line.nextWord("a kind")
        // A static random address, in which the two highest bits are set.
        let address = DeviceAddress(
            bits: 0xC0_00_00_00_00_01 + UInt64(scenario.devices.count), kind: .random)
        var model: DeviceModel
        switch try line.choice(kind, ["itag", "itag-unasked", "buzzer", "custom"]) {
        case "itag": model = .itag(name.text, address)
        case "itag-unasked": model = .itag(name.text, address, notifiesUnasked: true)
        case "buzzer": model = .buzzer(name.text, address)
        default: model = DeviceModel(name.text, address)
        }
        try line.readProperties(of: &model)
        guard !scenario.devices.contains(where: { $0.address == model.address }) else {
            throw line.error(name, "\(model.address.text) is given twice")
        }
        scenario.devices.append(model)
    }

    /// Parses the name of a device, and returns its index.
    func deviceIndex(_ line: inout ScenarioLine) throws(RadioScenarioError) -> Int {
        let name = try line.nextWord("a device")
        guard let index = scenario.devices.firstIndex(where: { $0.name == name.text }) else {
            throw line.error(name, "no device \(name.text) is defined above")
        }
        return index
    }

    mutating func readCharacteristic(_ line: inout ScenarioLine) throws(RadioScenarioError) {
        let index = try deviceIndex(&line)
        let subscription = try line.subscription()
        var mode = CharacteristicModel.NotificationMode.notifies
        var value: [UInt8] = [0]
        while let (key, word) = try line.nextPair() {
            switch key {
            case "tells":
                let modes = CharacteristicModel.NotificationMode.allCases.map(\.rawValue)
                mode = .init(rawValue: try line.choice(word, modes)) ?? .notifies
            case "value": value = try line.bytes(word)
            default: throw line.error(word, "expected tells or value")
            }
        }
        let characteristics = scenario.devices[index].characteristics
        guard !characteristics.contains(where: { $0.name == subscription }) else {
            throw line.error(
                atLastWord: "\(subscription.characteristic.text) is given twice")
        }
        guard characteristics.count < Self.characteristicLimit else {
            throw line.error(atLastWord: "more than \(Self.characteristicLimit) characteristics")
        }
        scenario.devices[index].characteristics.append(
            CharacteristicModel(subscription, mode, value: value))
    }

    mutating func readButton(_ line: inout ScenarioLine) throws(RadioScenarioError) {
        let index = try deviceIndex(&line)
        let subscription = try line.subscription()
        guard let (key, word) = try line.nextPair(), key == "value" else {
            throw line.error(atLastWord: "expected value=HEX")
        }
        let value = try line.bytes(word)
        let device = scenario.devices[index]
        guard device.characteristics.contains(where: { $0.name == subscription }) else {
            throw line.error(
                atLastWord: "the device has no characteristic \(subscription.text) above")
        }
        guard device.buttons.count < Self.buttonLimit else {
            throw line.error(atLastWord: "more than \(Self.buttonLimit) buttons")
        }
        scenario.devices[index].buttons.append(ButtonModel(subscription, value))
    }
}

/// An error in a line. Lines and columns count from 1; they are 0 if the whole file is too long.
public struct RadioScenarioError: DescribedError, Equatable {
    public let line: Int
    public let column: Int
    public let why: String
}
