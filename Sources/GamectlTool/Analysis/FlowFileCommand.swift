import FlowFiles
import GameFlow
import JSONCoding
import Shell
import Support

/// The verb `flow`: checks flow files, writes a flow file to start from, and writes the JSON schema of flow files.
enum FlowFileCommand {
    /// `flows` are the flows that are compiled into the program.
    static func run(_ options: FlowFileOptions, _ flows: [AnyFlow], isJSON: Bool)
        throws(CommandError)
    {
        switch options {
        case .check(let files): try check(files, flows, isJSON: isJSON)
        case .new(let name): try write(name, isJSON: isJSON)
        case .schema: Output.json(JSONWriter.bytes { $0.object(FlowFileSchema.members) })
        }
    }

    /// Checks all files and prints the results, with the warnings. Throws one error with the mistakes in all files; if there are
    /// only warnings, throws their number.
    private static func check(_ files: [String], _ flows: [AnyFlow], isJSON: Bool)
        throws(CommandError)
    {
        var (mistakes, warningCount): ([String], Int) = ([], 0)
        for path in files {
            let result = FlowFileResult(path, flows)
            mistakes += result.findings.map(\.description)
            warningCount += result.warnings.count
            if isJSON {
                Output.json(JSONWriter.bytes { $0.object(result.json) })
                continue
            }
            for warning in result.warnings {
                Output.line("warning: \(TerminalSafe.escaped(warning.description))")
            }
            if let name = result.name {
                Output.line("\(TerminalSafe.escaped(path)): flow \(name), no mistakes")
            }
        }
        guard mistakes.isEmpty else { throw .malformed(mistakes) }
        if warningCount > 0 {
            throw .check(CountText.write(warningCount, "warning"))
        }
    }

    /// Writes a new flow file with this flow name to standard output.
    private static func write(_ name: String, isJSON: Bool) throws(CommandError) {
        let text = FlowFileTemplate.text(name)
        if isJSON {
            let members = [Member("flow", name), Member("text", text)]
            Output.json(JSONWriter.bytes { $0.object(members) })
        } else {
            Output.write(Array(text.utf8))
        }
    }
}

/// The options of the verb `flow`.
enum FlowFileOptions: Equatable {
    case check(files: [String])
    /// Writes a flow file with this flow name.
    case new(name: String)
    /// Writes the JSON schema of flow files, for editors.
    case schema

    /// The words that may follow `flow`. The daemon carries out `list` and `move`, which therefore are no options of this type.
    static let verbs = ["check", "new", "schema", "list", "move"]

    /// Reads a command line, whose first word is `flow`. `flows` are the flows that are compiled into the program.
    init(_ line: LongOptions, _ flows: [AnyFlow]) throws(CommandError) {
        let words = Array(line.words.dropFirst())
        guard let verb = words.first else {
            throw .usage("flow: expected one of \(Self.verbs.joined(separator: ", "))")
        }
        let arguments = Array(words.dropFirst())
        switch verb {
        case "check":
            guard !arguments.isEmpty else { throw .usage("flow check: a flow file is missing") }
            self = .check(files: arguments)
        case "new":
            guard arguments.count == 1 else { throw .usage("flow new: expected one name") }
            if let mistake = FlowFileTemplate.mistake(ofName: arguments[0], flows) {
                throw .usage("flow new: \(TerminalSafe.escaped(mistake))")
            }
            self = .new(name: arguments[0])
        case "schema":
            guard arguments.isEmpty else { throw .usage("flow schema: unexpected word") }
            self = .schema
        default:
            let hint = DidYouMean.hint(verb, Self.verbs)
            throw .usage("flow \(TerminalSafe.escaped(verb)): unknown; \(hint)")
        }
    }
}

/// The result of checking one flow file.
struct FlowFileResult {
    private let path: String
    /// The name of the flow; nil if the file has mistakes.
    let name: String?
    /// The mistakes in the file.
    let findings: [FileFinding]
    /// The possible mistakes. The daemon plays the flow nevertheless.
    let warnings: [FileFinding]

    /// Reads and checks a file. `flows` are the flows that are compiled into the program; a file cannot use their names.
    init(_ path: String, _ flows: [AnyFlow]) {
        self.path = path
        do {
            let file = try FlowFile(path: path)
            findings = [file.mistake(beside: flows)].compactMap { $0 }
            (name, warnings) = (findings.isEmpty ? file.name : nil, file.allWarnings(file.flow))
        } catch { (name, findings, warnings) = (nil, error.findings, error.warnings) }
    }

    var json: [Member] {
        let flow = name.map { [Member("flow", $0)] } ?? []
        return [Member("file", path)] + flow + [
            Member("findings", .array(findings.map(json))),
            Member("warnings", .array(warnings.map(json))),
        ]
    }

    /// A finding; one in the file of a table has the path of that file.
    private func json(_ finding: FileFinding) -> Value {
        let file = finding.file == path ? [] : [Member("file", finding.file)]
        return .object(
            file + [
                Member("line", finding.position.line), Member("column", finding.position.column),
                Member("says", finding.sentence),
            ])
    }
}

/// The flow file that `gamectl flow new` writes.
enum FlowFileTemplate {
    /// Why a new flow file cannot have this flow name; nil if it can. `flows` are the flows that are compiled into the program.
    static func mistake(ofName name: String, _ flows: [AnyFlow]) -> String? {
        if let mistake = FlowFile.mistake(ofName: name, beside: flows) { return mistake }
        // In the template the name has no quotes, and YAML reads some words, such as `on`, as something else.
        let file = try? FlowFile(text: Array(text(name).utf8), file: "new.yaml")
        return file?.name == name
            ? nil : "\(name) has a meaning of its own in YAML; choose another name"
    }

    /// The text of the flow file with this flow name.
    static func text(_ name: String) -> String {
        """
        # A flow for gamed. Lines that begin with # are comments.
        #
        # After each change:
        #   gamectl flow check FILE    shows all mistakes, with line and column
        #   gamectl lint FILE          shows what each state takes, and defects such as dead ends
        #   gamectl graph FILE         draws the flow
        #
        # An editor with a YAML language server completes keys and shows mistakes after
        #   gamectl flow schema >flow.schema.json
        # and with this line at the beginning of the file:
        #   yaml-language-server: $schema=flow.schema.json

        # The name that clients use, and the state in which a session begins.
        flow: \(name)
        start: lobby

        # Values that an operator may change for each session. The default gives the type.
        settings:
          time: 60m

        # What can happen from outside, such as a button. In braces: what the event carries.
        events:
          begin: {team: text 1..32}
          solve:
          goHome:

        # What gamed asks other programs to do.
        effects: [music, lights]

        states:
          lobby:
            on:
              begin: {to: playing, do: [music]}

          playing:
            # What the state remembers. `team` comes from the event `begin`, which has an argument of this name.
            data: {team: text}
            # A countdown. With `restart: remaining` it keeps its remaining time if gamed restarts.
            timers:
              timeUp: {after: =settings.time, restart: remaining}
            # Each row: an event or a timer, and the next state. A value that begins with = is computed.
            on:
              solve: {to: won, with: {left: =left(timeUp)}, do: [lights: {scene: victory}]}
              timeUp: {to: lost, do: [lights: {scene: lost}]}

          won:
            data: {team: text, left: duration}

          lost:
            data: {team: text}

        # Rows for all states except those named.
        everywhere:
          except: [lobby]
          on: {goHome: lobby}

        """
    }
}
