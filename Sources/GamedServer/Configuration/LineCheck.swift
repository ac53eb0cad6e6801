import Cluster
import JSONCoding
import Parts
import RPC
import Room
import Support

/// Finds lines of the configuration that are well formed and cannot have the effect that is meant, for `--check`: a setting that
/// is given twice, a program that does not exist, a token that was not made, lines for other nodes only.
struct LineCheck {
    private(set) var mistakes: [ConfigurationError] = []
    /// Possible mistakes, with their positions.
    private(set) var notes: [ConfigurationError] = []
    private let file: ConfigurationFile

    /// Checks the lines of a file. `options` were read from this file. `tokenNames` are the names of the tokens; nil if they are not
    /// known.
    init(_ file: ConfigurationFile, _ options: Options, tokenNames: [String]?) {
        self.file = file
        let ownLines = file.asRead(by: options.node.name).lines
        checkRepetitions(ownLines)
        for line in ownLines {
            // Relative paths begin at the folder of the file that has the line.
            let file = file.asWritten(line)
            switch line.name.text {
            case "allow": if let tokenNames { checkToken(line, tokenNames) }
            case "on":
                mistakes += RoomKinds.outputs.compactMap { $0.localMistake(line, file) }
            case let word:
                if let note = RoomKinds.connection(word)?.note(line, in: file) {
                    notes.append(note)
                }
            }
        }
        if let note = file.noteThatNoLineIsFor(options.node.name) { notes.append(note) }
    }

    /// Reports each further line that gives a setting with one value, or that listens where another line does.
    private mutating func checkRepetitions(_ lines: [ConfigurationFile.Line]) {
        var firstLines: [String: ConfigurationFile.Line] = [:]
        for line in lines {
            for setting in Self.settings(of: line) {
                if let first = firstLines[setting] {
                    mistakes.append(file.repetition(line, of: setting, first: first))
                } else {
                    firstLines[setting] = line
                }
            }
        }
    }

    /// What a line gives that only one line can give.
    private static func settings(of line: ConfigurationFile.Line) -> [String] {
        let name = line.name.text
        switch name {
        // Both name the place of the journal.
        case "store", "state-dir": return ["the store (store or state-dir)"]
        case "limit": return ["limit \(line.words.first?.text.prefix { $0 != "=" } ?? "")"]
        case "set":
            return line.words.dropFirst().compactMap { word in
                word.key.map { "set \(line.words[0].text) \($0)" }
            }
        default:
            let isSingle =
                Options.table.first { $0.name == name }
                .map { $0.isOption && !$0.isRepeatable } ?? false
            if isSingle { return [name] }
            return line.words.filter { $0.key == "listen" }.map(\.text)
        }
    }

    /// Notes a rule for a token that does not exist. It is no mistake, because the token can be made later.
    private mutating func checkToken(_ line: ConfigurationFile.Line, _ names: [String]) {
        guard let word = line.words.first, case .token(let name)? = try? Principal(word.text),
            !names.contains(where: { $0.hasSameBytes(as: name) })
        else { return }
        let hint = DidYouMean.question(name, names) ?? "`gamectl token add \(name)` makes it"
        notes.append(file.mistake(line, word, "there is no token \(name); \(hint)"))
    }
}

extension ConfigurationFile {
    /// A note that lines name nodes, and none of them is this node; nil if a line is for this node, or no line names one. After
    /// a change of the host's name, a machine could otherwise lose its devices without a word.
    func noteThatNoLineIsFor(_ node: String) -> ConfigurationError? {
        let names = nodes.names
        guard !names.isEmpty, !names.contains(where: { $0.hasSameBytes(as: node) }),
            let line = lines.first(where: { line in
                Self.nodeLineNames.contains(line.name.text)
                    && line.words.contains { $0.key == "node" }
            })
        else { return nil }
        return mistake(
            line, line.words.first { $0.key == "node" },
            "no line is for this node (\(node)); the file names \(names.joined(separator: ", "))")
    }
}
