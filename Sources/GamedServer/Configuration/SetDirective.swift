import GameFlow
import JSONCoding

/// Settings of a flow that the configuration gives.
struct FlowSettings: Equatable {
    let flow: String
    /// The settings with their values as texts.
    let values: [Member]
}

/// Reads `set FLOW NAME=VALUE …`.
enum SetDirective {
    /// The syntax of the arguments of `set`.
    static let form = "FLOW NAME=VALUE ..."

    static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ known: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) -> FlowSettings {
        guard let name = line.words.first, name.key == nil, line.words.count > 1 else {
            throw file.mistake(line, line.words.first, "expected set \(form)")
        }
        var values: [Member] = []
        for word in line.words.dropFirst() {
            guard let key = word.key else {
                throw file.mistake(line, word, "\(word.text): expected NAME=VALUE")
            }
            guard values[String(key)] == nil else {
                throw file.mistake(line, word, "\(key) is given twice")
            }
            values.append(Member(String(key), .string(String(word.value))))
        }
        try check(name, values, line, file, known)
        return FlowSettings(flow: name.text, values: values)
    }

    /// Throws if the flow does not exist, or does not accept the settings.
    private static func check(
        _ name: TextWord, _ values: [Member], _ line: ConfigurationFile.Line,
        _ file: ConfigurationFile, _ known: KnownFlows
    ) throws(ConfigurationFile.ConfigurationError) {
        guard let flow = known.flows.first(where: { $0.name == name.text }) else {
            if known.isPartial { return }
            throw file.mistake(line, name, OptionValue.unknownFlow(name.text, known.flows))
        }
        do throws(Reason) { _ = try flow.with(settings: values) } catch {
            let word = line.words.first { $0.key.map(String.init) == error.subject }
            throw file.mistake(line, word, "\(error.subject): \(error.why)")
        }
    }
}
