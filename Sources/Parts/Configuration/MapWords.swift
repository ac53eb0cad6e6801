package import GameFlow
package import JSONCoding
import Support
import Timers

/// The words `KEY=VALUE` of a `map` line. Also reads what the lines for all kinds of devices have: the arguments of an event,
/// and a debounce time.
package struct MapWords {
    package let line: ConfigurationFile.Line
    package let file: ConfigurationFile
    /// The flows whose events the line can name. If `isPartial` is true, some flows could not be read. An unknown event may
    /// then be an event of a flow that could not be read.
    package let flows: KnownFlows
    private var words: [String: TextWord] = [:]

    /// Throws if a key is unknown, is given twice, or has no value. Only the keys in `mayBeEmpty` can have an empty value.
    package init(
        _ line: ConfigurationFile.Line, _ file: ConfigurationFile, _ flows: KnownFlows,
        keys: [String], mayBeEmpty: [String] = []
    ) throws(ConfigurationError) {
        (self.line, self.file, self.flows) = (line, file, flows)
        for word in line.words {
            guard let key = word.key.map(String.init), keys.contains(key) else {
                let similarKeys = DidYouMean.suggest(String(word.key ?? word.text[...]), keys)
                let hint =
                    similarKeys.isEmpty ? keys.joined(separator: ", ") : "\(similarKeys[0])="
                let quote = word.key == nil ? "; quote a value that contains spaces" : ""
                throw file.mistake(line, word, "\(word.text): expected \(hint)\(quote)")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !word.value.isEmpty || mayBeEmpty.contains(key) else {
                throw mistake(key, "empty", at: word)
            }
            words[key] = word
        }
    }

    /// The word of a key; nil if the line does not have it.
    package subscript(key: String) -> TextWord? { words[key] }

    /// The value of a key; nil if the line does not have it.
    package func optionalText(_ key: String) -> String? { words[key].map { String($0.value) } }

    /// The value of a key that must be given.
    package func text(_ key: String) throws(ConfigurationError) -> String {
        guard let text = optionalText(key) else {
            throw file.mistake(line, nil, "\(key)= is missing")
        }
        return text
    }

    /// The error about the value of a key. `word` is where the key is, unless it is in `self[key]`.
    package func mistake(_ key: String, _ why: String, at word: TextWord? = nil)
        -> ConfigurationError
    {
        file.mistake(line, word ?? words[key], "\(key): \(why)")
    }

    /// The JSON object that is the value of a key; empty if the line does not have the key.
    package func object(_ key: String) throws(ConfigurationError) -> [Member] {
        guard let word = words[key] else { return [] }
        return try file.object(word, of: line, example: #"'{"player":"ann"}'"#)
    }

    package func debounce() throws(ConfigurationError) -> Duration {
        guard let text = optionalText("debounce") else { return .zero }
        guard let interval = DurationText.read(text) else {
            throw mistake("debounce", "expected a duration such as 50ms")
        }
        return interval
    }

    /// Throws if flows have an event with the name `event`, but none of these events takes the arguments.
    package func check(_ arguments: [Member], of event: String) throws(ConfigurationError) {
        if let why = flows.mistake(in: arguments, of: event, convertsTexts: true) {
            throw mistake("args", why)
        }
    }
}
