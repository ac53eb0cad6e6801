import Timers

/// Lines about devices: what there is, and what it can do.
extension RadioScenarioReader {
    mutating func takeDevice(_ line: inout ScenarioLine) throws(Mistake) {
        let name = try line.bare("a name")
        guard 1...29 ~= name.text.utf8.count else {
            throw line.mistake(name, "expected a name of 1 to 29 bytes")
        }
        guard !scenario.devices.contains(where: { $0.name == name.text }) else {
            throw line.mistake(name, "\(name.text) is given twice")
        }
        guard scenario.devices.count < Self.deviceLimit else {
            throw line.mistake(name, "more than \(Self.deviceLimit) devices")
        }
        let kind = try line.bare("a kind")
        // Of the kind that is made up, and stays: the two highest bits are set.
        let address = DeviceAddress(
            bits: 0xC0_00_00_00_00_01 + UInt64(scenario.devices.count), kind: .random)
        var model: DeviceModel
        switch try line.choice(kind, ["itag", "itag-unasked", "buzzer", "custom"]) {
        case "itag": model = .itag(name.text, address)
        case "itag-unasked": model = .itag(name.text, address, isUnasked: true)
        case "buzzer": model = .buzzer(name.text, address)
        default: model = DeviceModel(name.text, address)
        }
        try line.traits(of: &model)
        guard !scenario.devices.contains(where: { $0.address == model.address }) else {
            throw line.mistake(name, "\(model.address.text) is given twice")
        }
        scenario.devices.append(model)
    }

    /// Which device is meant, by its place.
    func device(_ line: inout ScenarioLine) throws(Mistake) -> Int {
        let name = try line.bare("a device")
        guard let place = scenario.devices.firstIndex(where: { $0.name == name.text }) else {
            throw line.mistake(name, "there is no device \(name.text) above")
        }
        return place
    }

    mutating func takeCharacteristic(_ line: inout ScenarioLine) throws(Mistake) {
        let place = try device(&line)
        let name = try line.subscription()
        var telling = CharacteristicModel.Telling.notifies
        var value: [UInt8] = [0]
        while let (key, word) = try line.pair() {
            switch key {
            case "tells":
                let kinds = CharacteristicModel.Telling.allCases.map(\.rawValue)
                telling = .init(rawValue: try line.choice(word, kinds)) ?? .notifies
            case "value": value = try line.bytes(word)
            default: throw line.mistake(word, "expected tells or value")
            }
        }
        guard !scenario.devices[place].characteristics.contains(where: { $0.name == name }) else {
            throw line.mistake(nil, "\(name.characteristic.text) is given twice")
        }
        guard scenario.devices[place].characteristics.count < 16 else {
            throw line.mistake(nil, "more than 16 characteristics")
        }
        scenario.devices[place].characteristics.append(
            CharacteristicModel(name, telling, value: value))
    }

    mutating func takeButton(_ line: inout ScenarioLine) throws(Mistake) {
        let place = try device(&line)
        let name = try line.subscription()
        guard let (key, word) = try line.pair(), key == "value" else {
            throw line.mistake(nil, "expected value=HEX")
        }
        let value = try line.bytes(word)
        guard scenario.devices[place].characteristics.contains(where: { $0.name == name }) else {
            throw line.mistake(
                nil, "the device has no \(name.service.text)/\(name.characteristic.text) above")
        }
        guard scenario.devices[place].buttons.count < 32 else {
            throw line.mistake(nil, "more than 32 buttons")
        }
        scenario.devices[place].buttons.append(ButtonModel(name, value))
    }
}
