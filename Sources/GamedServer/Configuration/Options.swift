import Cluster
import GameFlow
import Glibc
import JSONCoding
import LocalJournals
import Parts
import PostgresStore
import RPC
import Room
import Sessions
import Shards
import Shell
import Support
import Timers

extension Options {
    /// The settings without any option or line.
    init() { self.init(Self.sections) }

    /// Every setting, in the order of the help.
    static let table: [Option] = sections.flatMap { $0.table } + commands

    /// The options that the daemon does not run with, or that name the configuration.
    private static let commands: [Option] = [
        Option(
            "config", value: "FILE", defaultValue: ConfigurationFile.standardPath,
            "Read this configuration.",
            details: "The default is read only if it exists; see [Configuration].",
            reader: .commandLineOnly),
        Option(
            "check",
            "Check everything that the options name, and exit: status 0, or 2 if something is wrong.",
            details: """
                This reads the configuration, rules, maps, tokens, certificates, the file of simulated devices and the state
                directory. Examples of errors are an event that no flow has, a session name that no session can have, and
                a state directory or token file that gamed cannot write. If a named session is not opened at the start, gamed
                prints a note. gamed does not open the addresses.
                """, reader: .commandLineOnly),
        Option(
            "show-config",
            "Print each setting with its value and where the value comes from, as JSON, and exit.",
            details: """
                `gamectl config` prints the same for a running daemon, and `gamectl config --config FILE` as a table. Secrets in URLs
                are left out.
                """, reader: .commandLineOnly),
        Option(
            ConfigurationFile.includeName, value: "PATH",
            "Read the lines of other files here, in the order of their names.",
            details: """
                `*` in the name of a file stands for any text: `include conf.d/*.conf`. A relative path begins at the folder of
                the file that has it. An included file cannot include others.
                """,
            reader: .line { _, _, _, _ throws(ConfigurationError) in }, reload: { _, _ in }),
        Option("help", "Print the options and examples.", reader: .commandLineOnly),
        Option("version", "Print the version.", reader: .commandLineOnly),
    ]

    /// Copies from `fresh`, the options that were read again at SIGHUP, the settings that can change without a restart.
    mutating func reload(_ fresh: Options) {
        for option in Self.table {
            guard let reload = option.reload else { continue }
            reload(&self, fresh)
            givenLines[option.name] = fresh.givenLines[option.name]
        }
    }
}

extension Options {
    /// The action that the command line requests.
    enum Command: Equatable {
        case run(Options)
        /// `--check`: the options and the configuration have no mistakes; the files that they name are not checked yet.
        case check(Options)
        /// `--show-config`: the options and the configuration have no mistakes.
        case showConfiguration(Options)
        case help, version
    }

    /// The reason why the daemon does not start: a mistake in the command line (`usage`), or mistakes in the configuration.
    enum OptionsError: DescribedError, Equatable {
        case usage(String)
        case configuration([ConfigurationError])

        /// One line for each mistake.
        var why: String {
            switch self {
            case .usage(let why): why
            case .configuration(let mistakes): mistakes.map(\.sentence).joined(separator: "\n")
            }
        }
    }

    /// Parses a command line without the program's name, and the configuration that the command line names. If a setting can
    /// have only one value, a value in the command line replaces the value in the configuration. `flows` are the flows of the
    /// program; the options add the flow files. At the start of the daemon, `isStart` is true. `flowFiles` are the
    /// flow files, if they have been read already; see `flowsDirectory(_:)`.
    static func read(
        _ arguments: [String], flows: [AnyFlow], isStart: Bool = false,
        flowFiles: FlowDirectory? = nil
    ) throws(OptionsError) -> Command {
        var options = Options()
        options.sessions.useStandardFlow(of: flows)
        let table = table.filter(\.isOption)
        let commandLine: LongOptions
        do throws(UsageError) {
            commandLine = try LongOptions(arguments, table.map(\.form))
            if commandLine.has("help") { return .help }
            if commandLine.has("version") { return .version }
            if let word = commandLine.words.first {
                throw UsageError("\(SecretText.inMistake(word)): gamed takes only options")
            }
        } catch { throw .usage(error.why) }
        options.readFlowFiles(commandLine, flows, flowFiles)
        let knownFlows = KnownFlows(
            flows + (options.sessions.flowFiles?.files.map(\.flow) ?? []),
            isPartial: options.sessions.flowFiles?.mistakes.isEmpty == false,
            isCompletedByJournal: isStart && !commandLine.has("check")
                && options.sessions.flowFiles != nil && journalExists(commandLine))
        let (file, mistakes) = options.readConfiguration(
            commandLine.value("config"), node: commandLine.value("node"),
            store: commandLine.value("store"), knownFlows)
        do throws(UsageError) {
            for option in table where commandLine.has(option.name) {
                option.clear?(&options)
                if option.clear != nil || !option.isRepeatable {
                    options.overriddenNames.insert(option.name)
                }
            }
            options.givenOptions = commandLine.givenOptions.map {
                GivenOption(name: $0.name, value: $0.value ?? "")
            }
            for (name, value) in commandLine.givenOptions {
                guard let option = table.first(where: { $0.name == name }) else { continue }
                do throws(UsageError) { try option.read(value, into: &options, knownFlows) } catch {
                    // A URL may contain a password, which the error must not show.
                    let shownValue =
                        PostgresLocation.isURL(value ?? "")
                        ? "" : value.map { " \(SecretText.inMistake($0))" } ?? ""
                    throw UsageError("--\(name)\(shownValue): \(error.why)")
                }
            }
        } catch { throw mistakes.isEmpty ? .usage(error.why) : .configuration(mistakes) }
        let isCheck = commandLine.has("check") || commandLine.has("show-config")
        if isCheck { options.assumeStateDirectory() }
        try options.checkContradictions(
            mistakes, in: file?.asRead(by: options.node.name), commandLine, isCheck: isCheck)
        if commandLine.has("check") { return .check(options) }
        if commandLine.has("show-config") { return .showConfiguration(options) }
        if let missing = options.namedFiles.first(where: ServiceCredential.isMissing) {
            throw .usage(
                "\(missing): this process has no credentials; the service manager passes them with "
                    + "LoadCredential=NAME:FILE")
        }
        return .run(options)
    }

    /// The service that reads the configuration; nil if it is the file of no service.
    var service: ServiceName? { configuration.flatMap { ServiceName(configuration: $0) } }

    /// Assumes the state directory that the unit names, if a unit reads the configuration. Only the service has $STATE_DIRECTORY; the
    /// shell of an administrator who checks the configuration does not.
    private mutating func assumeStateDirectory() {
        guard let service, let name = ServiceUnit(service)?.list("StateDirectory").first
        else { return }
        store.assumeDirectory("/var/lib/\(name)")
    }

    /// Throws all mistakes: those that were found in the lines of the configuration, and the settings that contradict each other.
    /// If `isCheck` is true, a line that only lacks a state directory becomes a note: a unit may set the directory.
    /// `file` is the configuration as it was read; nil without one.
    private mutating func checkContradictions(
        _ mistakes: [ConfigurationError], in file: ConfigurationFile?, _ commandLine: LongOptions,
        isCheck: Bool
    ) throws(OptionsError) {
        // What a line with a mistake would have set is not known.
        let unknown = Set(mistakes.flatMap { file?.names(ofLineWith: $0) ?? [] })
        var (all, inCommandLine) = (mistakes, [String]())
        for contradiction in contradictions
        where unknown.isDisjoint(with: contradiction.others + [contradiction.option]) {
            let mistake = file.flatMap { Self.mistake(contradiction, in: $0, commandLine) }
            guard let mistake else {
                inCommandLine.append(contradiction.why)
                continue
            }
            guard isCheck, contradiction.lacksStateDirectory else {
                all.append(mistake)
                continue
            }
            stateDirectoryNotes.append(
                ConfigurationError(
                    path: mistake.path, line: mistake.line, column: mistake.column,
                    why:
                        "\(contradiction.option) needs a state directory, which the unit of a service sets; "
                        + "without a unit, name it with --state-dir"))
        }
        guard !all.isEmpty || !inCommandLine.isEmpty else { return }
        let sorted = all.sorted(by: ConfigurationError.isOrdered)
        guard inCommandLine.isEmpty else {
            throw .usage((sorted.map(\.sentence) + inCommandLine).joined(separator: "\n"))
        }
        throw .configuration(sorted)
    }

    /// A contradiction, with the position of the line that it is about, and the lines of the other options. Nil if the command line
    /// gives the option, or nothing gives it: it has no position then.
    private static func mistake(
        _ contradiction: Contradiction, in file: ConfigurationFile, _ commandLine: LongOptions
    ) -> ConfigurationError? {
        func line(_ name: String) -> ConfigurationFile.Line? {
            guard !commandLine.has(name) else { return nil }
            return file.line(name, value: contradiction.value) ?? file.line(name)
        }
        guard let own = line(contradiction.option) else { return nil }
        let others = contradiction.others.compactMap { name in
            line(name).map {
                "`\(name)` in line \($0.number)\($0.path == own.path ? "" : " of \($0.path ?? file.path)")"
            }
        }
        let places = others.isEmpty ? "" : "; see \(others.joined(separator: " and "))"
        return file.mistake(own, own.words.first, contradiction.why + places)
    }

    /// Reads the flow files before everything else, because other settings name flows and their events.
    private mutating func readFlowFiles(
        _ commandLine: LongOptions, _ flows: [AnyFlow], _ readFiles: FlowDirectory?
    ) {
        sessions.flowFiles = Self.flowsDirectory(commandLine).map { path in
            if let readFiles, readFiles.path == path { return readFiles }
            return FlowDirectory(path, builtIn: flows)
        }
    }

    private static func flowsDirectory(_ commandLine: LongOptions) -> String? {
        commandLine.value("flows") ?? path(in: commandLine.value("config"), lines: ["flows"])
    }

    /// The directory of flow files that a command line, or the configuration that it names, gives; nil if neither gives one.
    static func flowsDirectory(_ arguments: [String]) -> String? {
        let forms = table.filter(\.isOption).map(\.form)
        return (try? LongOptions(arguments, forms)).flatMap { flowsDirectory($0) }
    }

    /// Whether there is a journal from which sessions will be restored: a database, or a file in the state directory.
    private static func journalExists(_ commandLine: LongOptions) -> Bool {
        let location =
            commandLine.value("store") ?? commandLine.value("state-dir")
            ?? path(in: commandLine.value("config"), lines: ["store", "state-dir"])
            ?? Options().store.stateDirectory
        guard let location else { return false }
        return PostgresLocation.isURL(location)
            || LocalJournals.hasJournal(location)
    }

    /// The directory or URL that a line with one of these names gives in the configuration at `path`; nil without such a line. A
    /// mistake in the configuration is not reported here, but when `readConfiguration` reads the file again.
    private static func path(in path: String?, lines names: [String]) -> String? {
        guard let file = try? ConfigurationFile.read(path) else { return nil }
        guard let line = file.lines.last(where: { names.contains($0.name.text) }),
            let name = line.words.first?.text, !name.isEmpty
        else { return nil }
        return file.asWritten(line).resolvedPath(name)
    }

    /// Reads the configuration for the node `name`. If `name` is nil, the configuration names the node. If the configuration
    /// names no node, the node has the name of the host. Returns the mistakes in the order of the lines. If nodes share a
    /// database, the `on` lines of all nodes are read, because any node can own any session.
    private mutating func readConfiguration(
        _ path: String?, node name: String?, store: String?, _ flows: KnownFlows
    ) -> (file: ConfigurationFile?, mistakes: [ConfigurationError]) {
        let file: ConfigurationFile
        do throws(ConfigurationError) {
            guard let existingFile = try ConfigurationFile.read(path) else { return (nil, []) }
            file = existingFile
        } catch { return (nil, [error]) }
        configuration = file.path
        self.node.name = name ?? file.nodeName ?? self.node.name
        let node = self.node.name
        let (namedNodes, nodeMistakes) = file.nodes
        var mistakes = file.mistakes + nodeMistakes
        let isShared = PostgresLocation.isURL(store ?? file.storeName ?? "")
        let nodeFile = isShared ? file.withoutOnLines : file
        let ownFile = nodeFile.asRead(by: node)
        mistakes += read(ownFile.lines, of: ownFile, flows)
        for namedNode in namedNodes where namedNode != node {
            // The lines of other nodes are only checked, as those nodes would read them.
            var otherOptions = Options()
            let otherFile = nodeFile.asRead(by: namedNode)
            let otherMistakes = otherOptions.read(otherFile.lines, of: otherFile, flows)
            mistakes += otherMistakes.filter { !mistakes.contains($0) }
        }
        let sharedFile = file.sharedLines
        let sharedOnLines = isShared ? sharedFile.lines.filter { $0.name.text == "on" } : []
        mistakes += read(sharedOnLines, of: sharedFile, flows)
        room.connectionNodes = file.connectionNodes
        nodeNote = file.noteThatNoLineIsFor(node)?.sentence
        for line in ownFile.lines + sharedOnLines {
            let name = line.name.text
            let words =
                Self.table.first { $0.name == name }?
                .effectiveWords(of: line, in: file.asWritten(line)) ?? []
            givenLines[name, default: []].append(
                GivenLine(words: words, path: line.path ?? file.path, number: line.number))
        }
        mistakes.sort(by: ConfigurationError.isOrdered)
        return (file, mistakes)
    }

    /// Reads these lines of a file into these options. Returns the mistakes.
    private mutating func read(
        _ lines: [ConfigurationFile.Line], of file: ConfigurationFile, _ flows: KnownFlows
    ) -> [ConfigurationError] {
        var mistakes: [ConfigurationError] = []
        for line in lines {
            do throws(ConfigurationError) {
                try read(line, of: file.asWritten(line), flows)
            } catch { mistakes.append(error) }
        }
        return mistakes
    }

    /// Reads a line into these options.
    private mutating func read(
        _ line: ConfigurationFile.Line, of file: ConfigurationFile, _ flows: KnownFlows
    ) throws(ConfigurationError) {
        let name = line.name.text
        let lineOptions = Self.table.filter(\.isLine)
        guard let option = lineOptions.first(where: { $0.name == name }) else {
            let similar = DidYouMean.suggest(name, lineOptions.map(\.name))
            let hint =
                name.contains("=")
                ? "; put a space between the name and its value"
                : similar.isEmpty ? "" : "; did you mean \(similar[0])?"
            throw file.mistake(line, nil, "\(name): unknown\(hint)")
        }
        try option.read(line, of: file, into: &self, flows)
        // The words of the lines of the room that name files with secrets and certificates.
        for word in line.words {
            guard case .line = option.reader, let (key, value) = word.pair,
                RoomKinds.fileKeys.contains(key)
            else { continue }
            notePath(key, value, at: word, of: line, in: file)
            namedFiles.append(ServiceCredential.path(file.resolvedPath(value)))
        }
    }
}

extension Options {
    /// The text that `gamed --help` prints.
    static func help(flows: [AnyFlow]) -> String {
        var defaults = Options()
        defaults.sessions.useStandardFlow(of: flows)
        let limits = Limit.settable.map { ($0.setting ?? "", $0.sentence) }
        let forms = table.filter(\.isOption).map { option in
            var form = option.form
            if form.name == "flow" { form.defaultValue = defaults.sessions.flow }
            return form
        }
        let lines = table.filter { !$0.isOption }.map { line in
            ("\(line.name) \(line.form.value ?? "")", "\(line.form.sentence) \(line.form.details)")
        }
        return """
            gamed: the referee of live games and app flows. It receives events at sockets and fires timers.

            Examples:
              gamed                                   run the game; clients find it at
                                                      \(SocketPath.defaultPath)
              gamed --socket /tmp/g.sock              listen somewhere else
              gamed --config room.conf                serve a web page; `gamectl token add desk` makes its token:
                                                      http 127.0.0.1:8080
                                                      allow token:desk operate
              gamed --bluetooth sim:hall.radio        simulate buzzers; `gamectl bluetooth` shows them
              gamed --clock virtual                   move time only by `gamectl advance 90s`
              echo status | nc -N -U /tmp/g.sock      send a request; gamectl does the same

            Options:
            \(HelpText.options(forms))

            Flows: \(flows.map(\.name).joined(separator: ", ")).

            Limits of --limit:
            \(HelpText.rows(limits))

            Lines of the configuration are these options without the dashes, and:
            \(HelpText.rows(lines))

            Signals: SIGTERM and SIGINT end the daemon cleanly; a second one ends it at once. At SIGHUP, the daemon reads
            again: rules, limits, tokens, certificates, flow files, and all lines of the configuration except options.
            Exit status: 0 ended cleanly, 1 could not run, 2 usage.
            """
    }
}
