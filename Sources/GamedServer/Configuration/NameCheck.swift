import GameFlow
import JSONCoding
import Parts
import RPC
import Room
import Sessions
import Shards
import Support

/// Finds wrong names of sessions, events, states, effects and data in `allow`, `map` and `on` lines. `OptionsCheck` uses it for
/// the option `--check`.
///
/// The name of a session that is not opened at the start is only a note, because a session with any valid name can be opened
/// later. There are two exceptions. A name that no session can have is a mistake. A name that is similar to the name of a
/// session that is opened at the start is also a mistake.
struct NameCheck {
    private(set) var mistakes: [ConfigurationError] = []
    /// Possible mistakes: a sentence each, with the position of the name.
    private(set) var notes: [ConfigurationError] = []
    /// The names of the events of all flows.
    private let eventNames: [String]
    /// The sessions that are opened at the start.
    private let openedSessions: [String]

    /// Checks the lines of a file. `options` were read from this file; `builtIn` are the flows of the program.
    init(_ file: ConfigurationFile, _ options: Options, _ builtIn: [AnyFlow]) {
        let flows = builtIn + (options.sessions.flowFiles?.files.map(\.flow) ?? [])
        eventNames = flows.flatMap(\.events).map(\.name)
        // Checks the states, effects and data that an `on` line names.
        let onNameCheck = OnNameCheck(flows)
        openedSessions =
            (options.sessions.opensMain ? [SessionName.main.text] : [])
            + options.sessions.opened.map(\.name.text)
        for line in file.lines where ["allow", "map", "on"].contains(line.name.text) {
            for word in line.words {
                // `pair` also splits words whose key contains a hyphen, such as `secret-file=FILE`; their `word.key` is nil.
                if line.name.text == "on", let (key, value) = word.pair {
                    if let why = onNameCheck.mistake(key, value, among: line.words) {
                        mistakes.append(file.mistake(line, word, why))
                    }
                    if let why = onNameCheck.note(key, value) {
                        notes.append(file.mistake(line, word, why))
                    }
                }
                switch word.key {
                // A name with a placeholder (`$…`) is known only when an input arrives or a session changes.
                case "session" where !word.value.contains("$"):
                    check(session: String(word.value), at: word, of: line, in: file)
                // The events of `map` and `on` lines were checked when `options` was read.
                case "event" where line.name.text == "allow":
                    check(event: String(word.value), at: word, of: line, in: file)
                default: break
                }
            }
        }
        notes += LinkCycles(file, flows).notes(in: file)
        notes += RoomKinds.connections.flatMap {
            $0.notes(file, options.room.connections, flows)
        }
        notes += OnceCheck(file).notes(in: file)
        for line in file.lines where line.name.text == "on" {
            mistakes += RoomKinds.outputs.compactMap { $0.mistake(line, file) }
        }
    }

    private mutating func check(
        event pattern: String, at word: TextWord, of line: ConfigurationFile.Line,
        in file: ConfigurationFile
    ) {
        let glob = Glob(pattern)
        guard !eventNames.contains(where: glob.matches) else { return }
        let hint = DidYouMean.question(pattern, eventNames).map { "; \($0)" } ?? ""
        mistakes.append(file.mistake(line, word, "event: no flow has an event \(pattern)\(hint)"))
    }

    private mutating func check(
        session pattern: String, at word: TextWord, of line: ConfigurationFile.Line,
        in file: ConfigurationFile
    ) {
        let isPattern = pattern.contains { "*?[\\".contains($0) }
        if isPattern {
            guard let invalid = Self.invalidCharacter(in: pattern) else { return }
            let why = "session: no session matches \(pattern): no name has a \(invalid)"
            return mistakes.append(file.mistake(line, word, why))
        }
        guard SessionName(pattern) != nil else {
            let why =
                "session: no session can be called \(pattern): expected 1 to 64 of A-Z a-z 0-9 . _ -"
            return mistakes.append(file.mistake(line, word, why))
        }
        guard !openedSessions.contains(pattern) else { return }
        if let question = DidYouMean.question(pattern, openedSessions) {
            let why = "session: \(pattern) is not opened at the start; \(question)"
            return mistakes.append(file.mistake(line, word, why))
        }
        let why = "session: \(pattern) is not opened at the start"
        notes.append(file.mistake(line, word, why))
    }

    /// The first invalid character of a pattern; nil if all characters are valid. A character is valid if it is allowed in a
    /// session's name, or if it is part of the syntax of patterns. Characters in brackets are not checked.
    private static func invalidCharacter(in pattern: String) -> Character? {
        var isInBrackets = false
        for character in pattern {
            switch character {
            case "[": isInBrackets = true
            case "]": isInBrackets = false
            case "*", "?", "\\": continue
            default:
                if !isInBrackets, SessionName(String(character)) == nil { return character }
            }
        }
        return nil
    }
}
