package import GameFlow
import JSONCoding
package import Parts

/// Values for settings of a flow: one `set` line of the configuration.
package struct FlowSettings: Equatable {
    package let flow: String
    /// The names of the settings, with their values as texts.
    package let values: [Member]
}

/// Reads `set FLOW NAME=VALUE …`.
package enum SetDirective {
    /// The syntax of the arguments of `set`.
    package static let form = "FLOW NAME=VALUE ..."

    /// Converts a line to `FlowSettings`. Throws the first mistake in the line.
    package static func read(
        _ line: ConfigurationFile.Line, in file: ConfigurationFile, _ knownFlows: KnownFlows
    ) throws(ConfigurationError) -> FlowSettings {
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
        try check(name, values, line, file, knownFlows)
        return FlowSettings(flow: name.text, values: values)
    }

    /// Throws if the flow `name` does not exist, or does not accept the values.
    private static func check(
        _ name: TextWord, _ values: [Member], _ line: ConfigurationFile.Line,
        _ file: ConfigurationFile, _ knownFlows: KnownFlows
    ) throws(ConfigurationError) {
        guard let flow = knownFlows.flows.first(where: { $0.name == name.text }) else {
            // The flow may be in a flow file that could not be read.
            if knownFlows.lacksFlows { return }
            throw file.mistake(line, name, OptionValue.unknownFlow(name.text, knownFlows.flows))
        }
        do throws(Reason) { _ = try flow.with(settings: values) } catch {
            let word = line.words.first { $0.key.map(String.init) == error.subject }
            throw file.mistake(line, word, "\(error.subject): \(error.why)")
        }
    }
}
