public import Shell

/// The verbs, options and values of a program, for the completion of its command line in bash, zsh and fish.
///
/// What follows a verb can depend on the daemon, so the scripts run the program itself: `PROGRAM complete -- WORD… WORD` prints a
/// line for each word that may replace the last one, with a note after a tab. The line `:files` stands for files.
public struct Completions: Sendable {
    /// A verb, the first word of the command line, such as `status` in `gamectl status`.
    public struct Verb: Sendable {
        public let name: String
        public let sentence: String
        /// The options that only this verb has.
        public let options: [String]

        public init(_ name: String, _ sentence: String, options: [String] = []) {
            (self.name, self.sentence, self.options) = (name, sentence, options)
        }
    }

    private let program: String
    private let options: [LongOption]
    private let verbs: [Verb]
    /// The words that can be an option's value, by the option's name. These words replace the option's choices.
    private let values: [String: [String]]

    public init(
        _ program: String, _ options: [LongOption], verbs: [Verb] = [],
        values: [String: [String]] = [:]
    ) {
        (self.program, self.options, self.verbs) = (program, options, verbs)
        self.values = values
    }

    /// The kind of an option's value.
    private enum Value: Equatable {
        /// The option has no value.
        case nothing
        case file, directory
        /// One of these words.
        case words([String])
        /// Any text.
        case other
    }

    private func value(_ option: LongOption) -> Value {
        guard let placeholder = option.value else { return .nothing }
        if let words = values[option.name] { return .words(words) }
        if !option.choices.isEmpty { return .words(option.choices) }
        return ["FILE": .file, "PATH": .file, "DIR": .directory][placeholder] ?? .other
    }

    private static let origin =
        "# Written by `make generate` from the program's tables; changes here are lost."

    // MARK: bash

    public var bash: String {
        var lines = [Self.origin]
        if !verbs.isEmpty { lines += bashWords }
        lines += [
            "_\(program)() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
            "    COMPREPLY=()", "    case $previous in",
        ]
        for option in options where value(option) != .nothing {
            let completion = bash(value(option)).map { "\($0); " } ?? ""
            lines.append("    --\(option.name)) \(completion)return ;;")
        }
        lines.append("    esac")
        let optionsOfAllVerbs = options.filter { option in
            !verbs.contains { $0.options.contains(option.name) }
        }
        lines.append("    local options='\(Self.names(optionsOfAllVerbs.map(\.name)))'")
        lines += bashVerbs
        lines += [
            "    if [[ $current == -* ]]; then",
            "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")",
            "        return",
            "    fi",
        ]
        if !verbs.isEmpty {
            // Before the verb is typed, `$verb` is empty.
            let names = verbs.map(\.name).joined(separator: " ")
            lines += [
                "    if [[ -z $verb ]]; then", "        \(Self.compgen("-W '\(names)' "))",
                "    else", "        _\(program)_words", "    fi",
            ]
        }
        lines += ["}", "complete -F _\(program) \(program)", ""]
        return lines.joined(separator: "\n")
    }

    /// The function that offers the words that the program names.
    private var bashWords: [String] {
        """
        # Offers the words that \(program) itself names, and files in place of the line `:files`.
        _\(program)_words() {
            local line=${COMP_LINE:0:COMP_POINT} word before breaks
            local -a typed=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
            # bash takes some characters, such as `=`, for the ends of words, so the words are read from the line.
            if [[ -n $line ]]; then
                read -ra typed <<<"$line"
                [[ $line == *[[:space:]] ]] && typed+=('')
            fi
            # What is before the last of these characters stands already.
            breaks=${COMP_WORDBREAKS//[^=:]/}
            [[ -n $breaks ]] && before=${typed[-1]%"${typed[-1]##*[$breaks]}"}
            while IFS=$'\\t' read -r word _; do
                case $word in
                :files) \(Self.filenames)mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
                *) COMPREPLY+=("${word#"$before"}") ;;
                esac
            done < <("${COMP_WORDS[0]}" complete -- "${typed[@]:1}" 2>/dev/null)
            [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
        }
        """.split(separator: "\n").map(String.init)
    }

    /// The lines that find the verb on the command line, and add its options to `options`.
    private var bashVerbs: [String] {
        if verbs.isEmpty { return [] }
        let optionsWithValue = options.filter { $0.value != nil }.map { "--\($0.name)" }
        var lines = [
            "    local verb= index", "    for ((index = 1; index < COMP_CWORD; index++)); do",
            "        case ${COMP_WORDS[index]} in",
            "        \(optionsWithValue.joined(separator: "|"))) ((index++)) ;;",
            "        -*) ;;", "        *) verb=${COMP_WORDS[index]}; break ;;", "        esac",
            "    done",
            "    case $verb in",
        ]
        for verb in verbs where !verb.options.isEmpty {
            lines.append("    \(verb.name)) options+=' \(Self.names(verb.options))' ;;")
        }
        return lines + ["    esac"]
    }

    private static func names(_ options: [String]) -> String {
        options.map { "--\($0)" }.joined(separator: " ")
    }

    /// The command that offers the possible values; nil if they are unknown, or if the option has no value.
    private func bash(_ value: Value) -> String? {
        switch value {
        case .nothing: nil
        case .other: verbs.isEmpty ? nil : "_\(program)_words"
        case .file: Self.filenames + Self.compgen("-f ")
        case .directory: Self.filenames + Self.compgen("-d ")
        case .words(let words): Self.compgen("-W '\(words.joined(separator: " "))' ")
        }
    }

    /// The command that makes bash treat the words as names of files: it quotes them, and adds a slash to a directory. bash refuses
    /// it outside of a completion, as in tests.
    private static let filenames = "compopt -o filenames 2>/dev/null; "

    /// The command that offers the words that `compgen` finds with these options. Each option is followed by a space.
    private static func compgen(_ options: String) -> String {
        "mapfile -t COMPREPLY < <(compgen \(options)-- \"$current\")"
    }

    // MARK: zsh

    public var zsh: String {
        var lines = ["#compdef \(program)", Self.origin]
        if !verbs.isEmpty {
            lines += ["local -a verbs", "verbs=("]
            lines += verbs.map { "    '\($0.name):\(Self.quoted($0.sentence))'" }
            lines += [")"]
        }
        let arguments = options.map { option in
            let sentence = Self.quoted(option.sentence, escaping: ["[", "]", ":"])
            return
                "    '*--\(option.name)\(option.value == nil ? "" : "=")[\(sentence)]\(zsh(option))'"
        }
        lines.append("_arguments -C \\")
        if verbs.isEmpty {
            return (lines + [arguments.joined(separator: " \\\n"), ""]).joined(separator: "\n")
        }
        lines += arguments.map { $0 + " \\" }
        lines += [
            "    '1: :->verb' \\", "    '*: :->words'", "case $state in",
            "verb) _describe verb verbs ;;",
        ]
        lines += ["words)", zshWords, "    ;;", "esac", ""]
        return lines.joined(separator: "\n")
    }

    /// The lines that offer the words that the program names.
    private var zshWords: String {
        """
            local offered word
            offered=$($words[1] complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
            for word in ${(f)offered}; do
                case $word in
                :files) _files ;;
                *=|*=$'\\t'*) compadd -S '' -- ${word%%$'\\t'*} ;;
                *) compadd -- ${word%%$'\\t'*} ;;
                esac
            done
        """
    }

    private func zsh(_ option: LongOption) -> String {
        let name = (option.value ?? "").replacing(":", with: "\\:")
        switch value(option) {
        case .nothing: return ""
        case .other: return verbs.isEmpty ? ":\(name): " : ":\(name):->words"
        case .file: return ":\(name):_files"
        case .directory: return ":\(name):_files -/"
        case .words(let words): return ":\(name):(\(words.joined(separator: " ")))"
        }
    }

    // MARK: fish

    public var fish: String {
        var lines = [Self.origin]
        if !verbs.isEmpty { lines += fishWords }
        lines.append("complete -c \(program) -f")
        for option in options {
            let verbsWithOption = verbs.filter { $0.options.contains(option.name) }.map(\.name)
            let condition =
                verbsWithOption.isEmpty
                ? ""
                : " -n '__fish_seen_subcommand_from \(verbsWithOption.joined(separator: " "))'"
            lines.append(
                "complete -c \(program)\(condition) -l \(option.name)\(fish(option)) -d '\(Self.quoted(option.sentence))'"
            )
        }
        for verb in verbs {
            lines.append(
                "complete -c \(program) -n __fish_use_subcommand -a \(verb.name) -d '\(Self.quoted(verb.sentence))'"
            )
        }
        if !verbs.isEmpty {
            let afterVerb = "complete -c \(program) -n 'not __fish_use_subcommand'"
            lines += [
                "\(afterVerb) -a '(\(Self.fishFunction(program)) | string match -v :files)'",
                "\(afterVerb.dropLast())\(Self.fishFiles(program))' -F",
            ]
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private static func fishFunction(_ program: String) -> String { "__\(program)_words" }

    /// The second half of a condition: files may follow.
    private static func fishFiles(_ program: String) -> String {
        "; and \(fishFunction(program)) | string match -q :files"
    }

    /// The function that prints the words that the program names.
    private var fishWords: [String] {
        [
            "function \(Self.fishFunction(program))",
            "    \(program) complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null",
            "end",
        ]
    }

    private func fish(_ option: LongOption) -> String {
        switch value(option) {
        case .nothing: ""
        case .other: verbs.isEmpty ? " -x" : " -x -a '(\(Self.fishFunction(program)))'"
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
    }

    /// A sentence for one line of a menu, inside single quotes. A backslash is written before each character of `special`.
    private static func quoted(_ sentence: String, escaping special: [Character] = []) -> String {
        let text = sentence.replacing("`", with: "").replacing("'", with: "\u{2019}")
        let plain = text.hasSuffix(".") ? String(text.dropLast()) : text
        return String(plain.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
    }
}
