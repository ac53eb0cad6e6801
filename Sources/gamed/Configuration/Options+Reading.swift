import JSON
import Shell
import Support

extension Options {
    /// The action that the command line requests.
    enum Command: Equatable {
        case run(Options)
        /// `--check`: everything was read without a mistake so far.
        case checked(Options)
        case help, version
    }

    /// The reason why the daemon does not start: a mistake in the command line or in the
    /// configuration.
    enum Mistake: Error, Equatable {
        case usage(String)
        case configuration([ConfigurationFile.Mistake])

        var sentences: [String] {
            switch self {
            case .usage(let message): [message]
            case .configuration(let mistakes): mistakes.map(\.sentence)
            }
        }
    }

    /// Parses a command line without the program's name, and the configuration that it names. If
    /// both give a setting, the command line's value applies.
    static func read(_ arguments: [String], flows: [String]) throws(Mistake) -> Command {
        var options = Options()
        let known = table.filter(\.isOption)
        let line: LongOptions
        do throws(UsageError) {
            line = try LongOptions(arguments, known.map(\.form))
            if line.has("help") { return .help }
            if line.has("version") { return .version }
            if let word = line.words.first { throw UsageError("\(word): gamed takes only options") }
        } catch { throw .usage(error.message) }
        let mistakes = options.readConfiguration(line.value("config"), flows)
        guard mistakes.isEmpty else { throw .configuration(mistakes) }
        do throws(UsageError) {
            for option in known where line.has(option.name) { option.clear?(&options) }
            for (name, value) in line.given {
                guard let option = known.first(where: { $0.name == name }) else { continue }
                do throws(UsageError) { try option.read(value, into: &options, flows) } catch {
                    throw UsageError("--\(name)\(value.map { " \($0)" } ?? ""): \(error.message)")
                }
            }
            try options.checkWhole()
        } catch { throw .usage(error.message) }
        return line.has("check") ? .checked(options) : .run(options)
    }

    /// Reads the configuration; returns its mistakes in the order of lines.
    private mutating func readConfiguration(_ path: String?, _ flows: [String])
        -> [ConfigurationFile.Mistake]
    {
        let file: ConfigurationFile
        do throws(ConfigurationFile.Mistake) {
            guard let found = try ConfigurationFile.read(path) else { return [] }
            file = found
        } catch { return [error] }
        configuration = file.path
        var mistakes = file.mistakes
        for line in file.lines {
            do throws(ConfigurationFile.Mistake) { try read(line, of: file, flows) } catch {
                mistakes.append(error)
            }
        }
        return mistakes.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func read(
        _ line: ConfigurationFile.Line, of file: ConfigurationFile, _ flows: [String]
    ) throws(ConfigurationFile.Mistake) {
        let name = line.name.text
        let known = Self.table.filter(\.isLine)
        guard let option = known.first(where: { $0.name == name }) else {
            let near = DidYouMean.suggest(name, known.map(\.name))
            let hint =
                name.contains("=")
                ? "; a space stands between a name and its value"
                : near.isEmpty ? "" : "; did you mean \(near[0])?"
            throw file.mistake(line, nil, "\(name): unknown\(hint)")
        }
        try option.read(line, of: file, into: &self, flows)
    }
}
