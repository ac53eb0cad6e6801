import EventLoop
package import GameFlow
import JSONCoding
import Net
package import Shell
import Support
import Timers

/// A setting of the daemon: an option of the command line, a line of the configuration, or both.
package struct Option: Sendable {
    /// Where the setting can be given, and its parser. A parser stores the value in the `Options`. The parsers of values and
    /// lines also get the daemon's flows, to check names. A `UsageError` that a parser throws does not name the setting: the
    /// caller adds the name or the position.
    package enum Reader: Sendable {
        /// An option of the command line only, such as `--help`. `Options.read` evaluates it itself, so it has no parser.
        case commandLineOnly
        /// An option, or a line that consists of its name.
        case flag(@Sendable (inout Options) -> Void)
        /// An option with a value, or a line with its name and the value.
        case value(@Sendable (inout Options, String, KnownFlows) throws(UsageError) -> Void)
        /// An option or a line whose value is one of the words in `form.choices`; other values are refused before the parser
        /// is called.
        case choice(@Sendable (inout Options, String) -> Void)
        /// As `value`, if the value contains a path, which begins after one of the texts in `after`; the text is empty if the
        /// value is the path. In a configuration, a relative path begins at the folder of the file.
        case location(
            after: [String],
            @Sendable (inout Options, String, KnownFlows) throws(UsageError) -> Void)
        /// A line of the configuration only.
        case line(
            @Sendable (inout Options, ConfigurationFile.Line, ConfigurationFile, KnownFlows)
                throws(ConfigurationError) -> Void)

        /// The reader of an option or a line whose value is a path, which is stored in `property`.
        package static func path(_ property: any WritableKeyPath<Options, String?> & Sendable)
            -> Reader
        {
            .location(after: [""]) { options, value, _ throws(UsageError) in
                options[keyPath: property] = try OptionValue.path(value)
            }
        }

        /// As `path`, for a file that the daemon only reads. `credential:NAME` stands for a credential.
        package static func file(_ property: any WritableKeyPath<Options, String?> & Sendable)
            -> Reader
        {
            .location(after: [""]) { options, value, _ throws(UsageError) in
                let path = ServiceCredential.path(try OptionValue.path(value))
                options[keyPath: property] = path
                options.namedFiles.append(path)
            }
        }
    }

    /// The name, the placeholder of the value, and the texts of the help and the manual.
    package let form: LongOption
    package let reader: Reader
    /// Removes the values that the configuration gave. Called only if the command line gives values, before these values are
    /// read. Nil if the values of the command line are added to the values of the configuration, or if each value replaces the
    /// previous value.
    package let clear: (@Sendable (inout Options) -> Void)?
    /// Copies the value from `fresh`, the options that were read again at SIGHUP. Nil if a change of the setting needs a
    /// restart.
    package let reload: (@Sendable (inout Options, _ fresh: Options) -> Void)?
    /// Whether all words of a line are the value, with blanks between them.
    package let joinsWords: Bool
    /// Whether the option may be given several times, and each value counts. The lines of `Reader.line` always may.
    package let isRepeatable: Bool

    package var name: String { form.name }

    /// `value` is the placeholder of the value in the help, such as `PATH`; nil if the setting takes no value. `sentence` is
    /// the text of the help; the manual adds `details`. For their markup, and for the form of `value`, see `LongOption`.
    package init(
        _ name: String, value: String? = nil, defaultValue: String? = nil, _ sentence: String,
        details: String = "", isRepeatable: Bool = false, joinsWords: Bool = false,
        reader: Reader,
        clear: (@Sendable (inout Options) -> Void)? = nil,
        reload: (@Sendable (inout Options, _ fresh: Options) -> Void)? = nil
    ) {
        form = LongOption(
            name, value: value, defaultValue: defaultValue, sentence, details: details)
        (self.reader, self.clear, self.reload) = (reader, clear, reload)
        (self.isRepeatable, self.joinsWords) = (isRepeatable, joinsWords)
    }

    /// Whether the setting can be given on the command line.
    package var isOption: Bool { if case .line = reader { false } else { true } }
    /// Whether the setting can be given in the configuration.
    package var isLine: Bool { if case .commandLineOnly = reader { false } else { true } }

    /// The words of a line after its name. A relative path is made absolute.
    package func effectiveWords(
        of line: ConfigurationFile.Line, in file: ConfigurationFile
    ) -> [String] {
        guard let (beginning, path) = location(in: line) else { return line.words.map(\.text) }
        return [beginning + file.resolvedPath(path)]
    }

    /// The path that a line gives, and the text before it; nil if the setting is no path.
    private func location(in line: ConfigurationFile.Line) -> (beginning: String, path: String)? {
        guard case .location(let beginnings, _) = reader, let word = line.words.first,
            let beginning = beginnings.first(where: { word.text.utf8.starts(with: $0.utf8) })
        else { return nil }
        let path = String(decoding: word.text.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
        return (beginning, path)
    }

    /// Parses the setting from the command line.
    package func read(_ value: String?, into options: inout Options, _ flows: KnownFlows)
        throws(UsageError)
    {
        switch reader {
        case .flag(let set): set(&options)
        case .value(let read), .location(_, let read): try read(&options, value ?? "", flows)
        case .choice(let set): set(&options, try OptionValue.choose(value ?? "", form.choices))
        case .commandLineOnly, .line: break
        }
    }

    /// Parses the setting from a line of the configuration.
    package func read(
        _ line: ConfigurationFile.Line, of file: ConfigurationFile, into options: inout Options,
        _ flows: KnownFlows
    ) throws(ConfigurationError) {
        if case .line(let read) = reader { return try read(&options, line, file, flows) }
        let valueCount = form.value == nil ? 0 : joinsWords ? max(1, line.words.count) : 1
        guard line.words.count >= valueCount else {
            throw file.mistake(line, nil, "\(name) needs a value: \(form.value ?? "")")
        }
        guard line.words.count == valueCount else {
            throw file.mistake(line, line.words[valueCount], "unexpected word")
        }
        let value = value(of: line, in: file, notesIn: &options)
        do throws(UsageError) { try read(value, into: &options, flows) } catch {
            throw file.mistake(line, line.words.first, error.why)
        }
    }

    /// The value that a line gives, with the path that a relative path stands for. Adds the warning about that path to the
    /// options.
    private func value(
        of line: ConfigurationFile.Line, in file: ConfigurationFile, notesIn options: inout Options
    ) -> String? {
        guard let word = line.words.first else { return nil }
        if joinsWords { return line.words.map(\.text).joined(separator: " ") }
        guard let (beginning, path) = location(in: line) else { return word.text }
        options.notePath(name, path, at: word, of: line, in: file)
        return beginning + file.resolvedPath(path)
    }
}

/// Parses the values of settings. Thrown errors do not name the setting.
package enum OptionValue {
    /// Returns the text if it is not empty; throws otherwise.
    package static func path(_ text: String) throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError("expected a path") }
        return text
    }

    /// Returns the text if it is one of the words; throws otherwise.
    package static func choose(_ text: String, _ words: [String]) throws(UsageError) -> String {
        guard words.contains(text) else {
            throw UsageError("expected \(words.joined(separator: " or "))")
        }
        return text
    }

    /// Returns the name if a flow has this name, or if a flow that is missing may have it. Throws otherwise.
    package static func flow(_ name: String, _ knownFlows: KnownFlows) throws(UsageError) -> String
    {
        let exists = knownFlows.flows.contains { $0.name == name }
        if exists || knownFlows.lacksFlows { return name }
        throw UsageError(unknownFlow(name, knownFlows.flows))
    }

    /// The sentence about a flow that does not exist.
    package static func unknownFlow(_ name: String, _ flows: [AnyFlow]) -> String {
        let flowNames = flows.map(\.name)
        let similar = DidYouMean.suggest(name, flowNames)
        return similar.isEmpty
            ? "no such flow; known: \(flowNames.joined(separator: ", "))"
            : "no such flow; did you mean \(similar[0])?"
    }
}
