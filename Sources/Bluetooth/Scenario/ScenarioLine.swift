internal import Support
import Timers

/// Parses the words of one line of a radio scenario, the file that describes simulated Bluetooth devices, from left to right.
struct ScenarioLine {
    /// The words that have not been parsed yet.
    private var remaining: ArraySlice<ScenarioWord>
    private let lineNumber: Int
    /// The word that was parsed most recently.
    private var lastWord: ScenarioWord

    /// `words` must not be empty.
    init(_ words: [ScenarioWord], _ lineNumber: Int) {
        (remaining, self.lineNumber, lastWord) = (words[...], lineNumber, words[0])
    }

    /// An error at a word. If `word` is nil, because the line has ended, the error is at the last word.
    func error(_ word: ScenarioWord?, _ why: String) -> RadioScenarioError {
        RadioScenarioError(line: lineNumber, column: (word ?? lastWord).column, why: why)
    }

    /// An error at the word that was parsed most recently.
    func error(atLastWord why: String) -> RadioScenarioError { error(nil, why) }

    // MARK: words

    /// Consumes and returns the next word, which must not be `key=value`. `expected` names the word in an error.
    mutating func nextWord(_ expected: String) throws(RadioScenarioError) -> ScenarioWord {
        guard let word = remaining.first, word.key == nil else {
            throw error(remaining.first, "expected \(expected)")
        }
        return consume(word)
    }

    /// Consumes the next word, which must be `key=value`, and returns its key and the word. Nil at the end of the line.
    mutating func nextPair() throws(RadioScenarioError) -> (String, ScenarioWord)? {
        guard let word = remaining.first else { return nil }
        guard let key = word.key else { throw error(word, "\(word.text): unexpected word") }
        return (key, consume(word))
    }

    private mutating func consume(_ word: ScenarioWord) -> ScenarioWord {
        remaining.removeFirst()
        lastWord = word
        return word
    }

    /// Throws an error if a word follows.
    func expectEnd() throws(RadioScenarioError) {
        if let word = remaining.first { throw error(word, "\(word.text): unexpected word") }
    }

    // MARK: values

    /// Consumes the next word, and parses it as a number in the range. `expected` names the word in an error.
    mutating func number(_ expected: String, _ range: ClosedRange<Int>) throws(RadioScenarioError)
        -> Int
    {
        let word = try nextWord(expected)
        return try number(word, range)
    }

    func number(_ word: ScenarioWord, _ range: ClosedRange<Int>) throws(RadioScenarioError) -> Int {
        guard let number = Int(word.text), range.contains(number) else {
            let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
            throw error(word, "expected a number from \(range.lowerBound) \(end)")
        }
        return number
    }

    mutating func duration() throws(RadioScenarioError) -> Duration {
        let word = try nextWord("a duration")
        return try duration(word)
    }

    func duration(_ word: ScenarioWord, minimum: Duration = .zero) throws(RadioScenarioError)
        -> Duration
    {
        guard let duration = DurationText.read(word.text), duration >= minimum else {
            let bound = minimum > .zero ? ", at least \(DurationText.write(minimum))" : ""
            throw error(word, "expected a duration such as 250ms or 5m\(bound)")
        }
        return duration
    }

    mutating func durationRange(minimum: Duration) throws(RadioScenarioError)
        -> ClosedRange<Duration>
    {
        let word = try nextWord("a duration")
        return try durationRange(word, minimum: minimum)
    }

    /// Parses `5s` or `5s..20s`.
    func durationRange(_ word: ScenarioWord, minimum: Duration = .zero) throws(RadioScenarioError)
        -> ClosedRange<Duration>
    {
        // `5s..20s` has three parts; the second part is empty.
        let parts = word.text.split(separator: ".", omittingEmptySubsequences: false)
        let texts = parts.count == 3 && parts[1].isEmpty ? [parts[0], parts[2]] : [word.text[...]]
        let ends = texts.map { DurationText.read(String($0)) }
        guard let low = ends[0], let high = ends[ends.count - 1], minimum <= low, low <= high else {
            let bound = minimum > .zero ? ", at least \(DurationText.write(minimum))" : ""
            throw error(word, "expected a duration such as 5s, or 5s..20s\(bound)")
        }
        return low...high
    }

    /// Parses 1 to 20 hexadecimal bytes. A notification contains at most 20 bytes, unless longer packets are negotiated.
    func bytes(_ word: ScenarioWord) throws(RadioScenarioError) -> [UInt8] {
        guard let bytes = Hexadecimal.read(word.text), 1...20 ~= bytes.count else {
            throw error(word, "expected 1 to 20 bytes such as 01FF")
        }
        return bytes
    }

    /// The text of a word, which must be one of the choices.
    func choice(_ word: ScenarioWord, _ choices: [String]) throws(RadioScenarioError) -> String {
        guard choices.contains(word.text) else {
            throw error(word, "\(word.text): expected \(choices.joined(separator: ", "))")
        }
        return word.text
    }

    /// Parses `SERVICE/CHARACTERISTIC`.
    mutating func subscription() throws(RadioScenarioError) -> Subscription {
        let word = try nextWord("SERVICE/CHARACTERISTIC")
        let halves = word.text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let service = BluetoothUUID(halves[0]),
            let characteristic = BluetoothUUID(halves[1])
        else { throw error(word, "expected SERVICE/CHARACTERISTIC such as FFE0/FFE1") }
        return Subscription(service: service, characteristic: characteristic)
    }

    // MARK: devices

    /// Parses a button, and returns its index from 0; nil means any button. If the line names no button, the result is 0, the
    /// first button.
    mutating func button(of model: DeviceModel) throws(RadioScenarioError) -> Int? {
        let count = model.buttons.count
        guard count > 0 else { throw error(atLastWord: "\(model.name) has no button") }
        guard let word = remaining.first, word.key == nil else { return 0 }
        if consume(word).text == "any" { return nil }
        return try number(word, 1...count) - 1
    }

    /// Parses the properties of a device, up to the end of the line.
    mutating func readProperties(of model: inout DeviceModel) throws(RadioScenarioError) {
        while let word = remaining.first {
            if word.key == nil {
                // The only property without a value.
                _ = try choice(consume(word), ["away"])
                model.isAway = true
            } else if let (key, word) = try nextPair() {
                try readProperty(key, word, &model)
            }
        }
    }

    private func readProperty(_ key: String, _ word: ScenarioWord, _ model: inout DeviceModel)
        throws(RadioScenarioError)
    {
        switch key {
        case "address":
            guard let address = DeviceAddress(word.text, kind: .random) else {
                throw error(word, "expected an address such as C0:00:00:00:00:01")
            }
            model.address = address
        case "rssi": model.rssi = try number(word, -127...20)
        case "battery":
            model.battery = word.text == "none" ? nil : try number(word, 0...100)
        case "advertise":
            model.advertisingInterval = try duration(word, minimum: .milliseconds(20))
        case "queue": model.queueCapacity = try number(word, 0...1000)
        case "sleeps": model.sleepsAfter = try duration(word, minimum: .milliseconds(1))
        case "flaps":
            let halves = word.text.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count == 2, let up = DurationText.read(String(halves[0])),
                let away = DurationText.read(String(halves[1])), up > .zero
            else { throw error(word, "expected UP/AWAY such as 30s/2s") }
            model.flaps = DeviceModel.Flaps(up: up, away: away)
        default:
            throw error(
                word,
                "\(key): expected address, rssi, battery, advertise, queue, sleeps, flaps or away")
        }
    }
}

/// A word of a line: plain, or `key=value`.
struct ScenarioWord: Equatable {
    /// The text before `=`; nil for a plain word.
    let key: String?
    /// The text after `=`, or the plain word, without quotes.
    let text: String
    /// The position of the word's first byte in the line, counted from 1.
    let column: Int

    /// Splits a line at blanks outside of double quotes. A `#` at the beginning of a word starts a
    /// comment. Nil if a quote is not closed.
    static func split(_ line: some StringProtocol) -> [ScenarioWord]? {
        var words: [ScenarioWord] = []
        let bytes = Array(line.utf8)
        var index = 0
        while index < bytes.count {
            if isBlank(bytes[index]) {
                index += 1
                continue
            }
            if bytes[index] == UInt8(ascii: "#") { break }
            guard let word = word(bytes, &index) else { return nil }
            words.append(word)
        }
        return words
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    /// Parses the word that begins at `index`, and moves `index` behind it. Nil if a quote is not closed.
    private static func word(_ bytes: [UInt8], _ index: inout Int) -> ScenarioWord? {
        let start = index
        var (text, key): ([UInt8], String?) = ([], nil)
        var isQuoted = false
        while index < bytes.count, isQuoted || !isBlank(bytes[index]) {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "=") where key == nil && !isQuoted:
                key = String(decoding: text, as: UTF8.self)
                text = []
            default: text.append(bytes[index])
            }
            index += 1
        }
        if isQuoted { return nil }
        return ScenarioWord(
            key: key, text: String(decoding: text, as: UTF8.self), column: start + 1)
    }
}
