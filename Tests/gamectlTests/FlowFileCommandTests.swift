import FlowAnalysis
import FlowFiles
import GameFlow
import Glibc
import Shell
import Support
import TestSupport
import Testing

@testable import GamectlTool

/// Flow files on the command line of gamectl.
@Suite struct FlowFileCommandTests {
    private static let exampleFolder = RepositoryFile.root + "/Examples/flows"

    private func failure(_ words: String...) -> CommandError? {
        do throws(CommandError) {
            _ = try Command.read(words)
            return nil
        } catch { return error }
    }

    @Test func `a word with a slash or the ending yaml is a file`() {
        for word in ["vault.yaml", "./vault", "/a/b.yml"] { #expect(FlowArgument.isFile(word)) }
        for word in ["vault", "vault.yml", "yaml"] { #expect(!FlowArgument.isFile(word)) }
    }

    @Test(arguments: ["lint", "races", "paths", "graph"])
    func `verbs that analyze a flow accept a file`(_ verb: String) throws {
        let path = "\(Self.exampleFolder)/quiz.yaml"
        guard case .analyze(let options, _) = try Command.read([verb, path]) else {
            Issue.record("no analysis")
            return
        }
        let expected: AnalysisOptions =
            switch verb {
            case "lint": .lint(flow: path)
            case "races": .races(flow: path)
            case "paths": .paths(flow: path, to: nil)
            default: .graph(flow: path, .text(.mermaid))
            }
        #expect(options == expected)
        #expect(try AnalysisOptions.validFlow(path, []).name == "quiz-file")
    }

    @Test func `races and a scenario report an invariant of a flow file that does not hold`() throws
    {
        let folder = Folder()
        let file = folder.write(
            "lamp.yaml",
            """
            flow: lamp
            start: dark
            events: {push: , smash: }
            states:
              dark:
                on: {push: {to: lit, with: {pushes: 1}}, smash: broken}
              lit:
                data: {pushes: integer}
                on: {push: {if: pushes < 3, with: {pushes: =pushes + 1}}, smash: broken}
              broken: {final: true}
            always: [{that: pushes < 3, why: a lamp is pushed twice at most}]

            """)
        let flow = try AnalysisOptions.validFlow(file, [])
        let report = RacesReport(Races(flow), Terminal(-1))
        #expect(
            report.lines.suffix(3) == [
                "broken: a lamp is pushed twice at most", "  in     lit pushes=3",
                "  after  push · push · push",
            ])
        guard case .array(let broken) = report.json["brokenInvariants"] else {
            Issue.record("no invariants")
            return
        }
        #expect(broken.map { $0.find("state") } == [.string("lit")])
        let racesError = #expect(throws: CommandError.self) {
            try AnalysisCommand(isJSON: true, []).run(.races(flow: file))
        }
        #expect(racesError == .check("1 invariant does not hold"))
        let scenario = folder.write(
            "lamp.scenario", "flow lamp.yaml\nsend push\nsend push\nsend push\n")
        let scenarioError = #expect(throws: CommandError.self) {
            try AnalysisCommand(isJSON: true, []).run(.test(files: [scenario], coverage: false))
        }
        #expect(scenarioError?.status == .check)
    }

    @Test func `a file with warnings alone exits with 6, and with mistakes with 2`() throws {
        let folder = Folder()
        let warned = folder.write(
            "warned.yaml", "flow: w\nstart: a\ntitle: Room #1\nstates: {a: {final: true}}\n")
        let broken = folder.write(
            "broken.yaml", "flow: w\nstart: b\ntitle: Room #1\nstates: {a: }\n")
        let sound = folder.write("sound.yaml", "flow: w\nstart: a\nstates: {a: {final: true}}\n")
        func check(_ files: String...) -> CommandError? {
            do throws(CommandError) {
                try FlowFileCommand.run(.check(files: files), [], isJSON: true)
                return nil
            } catch { return error }
        }
        #expect(check(sound) == nil)
        #expect(check(warned) == .check("1 warning"))
        #expect(check(sound, warned)?.status == .check)
        #expect(check(warned, broken)?.status == .usage)
        let result = FlowFileResult(warned, [])
        #expect(result.name == "w" && result.findings.isEmpty && result.warnings.count == 1)
        guard case .array(let warnings) = result.json["warnings"] else {
            Issue.record("no warnings")
            return
        }
        #expect(
            warnings.first?.find("line") == .int(3) && warnings.first?.find("column") == .int(8))
        #expect(FlowFileResult(broken, []).warnings.count == 1)
    }

    @Test func `a search that is incomplete fails only with --complete`() throws {
        let path = "\(Self.exampleFolder)/quiz.yaml"
        func error(_ words: String...) throws -> CommandError? {
            let words = words + [path, "--moves", "3000"]
            guard case .analyze(let options, _) = try Command.read(words) else {
                return .usage("no analysis")
            }
            do throws(CommandError) {
                try AnalysisCommand(isJSON: true, []).run(options)
                return nil
            } catch { return error }
        }
        for verb in ["lint", "races", "paths"] {
            #expect(try error(verb) == nil)
            #expect(try error(verb, "--complete")?.status == .check)
        }
    }

    @Test func `texts of a flow file do not reach the terminal unescaped`() throws {
        let folder = Folder()
        let file = folder.write(
            "f.yaml",
            """
            flow: f
            start: a
            events: {say: {word: {type: text, samples: ["x \\e[31m\\u202E\\u009B"]}}}
            states:
              a:
                data: {n: integer = 0, word: text = x}
                on:
                  say: {if: word != state.word, with: {n: =n + 1, word: =word}, else: {refuse: {word: "\\e[31m\\u202E\\u009B"}}}
            always: [{that: n < 1, why: "no \\e[31m\\u202E\\u009B"}]

            """)
        let flow = try AnalysisOptions.validFlow(file, [])
        let lint = LintReport(Lint(flow, moves: 500), Terminal(-1)).lines
        let races = RacesReport(Races(flow, moves: 500), Terminal(-1)).lines
        let paths = PathsReport(flow, to: nil, moves: 500, Terminal(-1)).lines
        let tour = Tour(flow, moves: 500, named: file).text
        for text in [lint, races, paths, [tour]].map({ $0.joined(separator: "\n") }) {
            #expect(
                !text.unicodeScalars.contains {
                    $0 != "\n" && TerminalText.isInterpreted($0)
                }, "\(text.debugDescription)")
        }
        // The scenarios can be read again.
        let reader = ScenarioReader(
            Array(tour.utf8), file: "tour.scenario", flows: [],
            readFlowFile: FlowArgument.forScenario)
        #expect(reader.errors == [])
    }

    @Test func `paths --scenario says that a flow without a transition has no scenario`() throws {
        let folder = Folder()
        func error(_ state: String) -> CommandError? {
            let path = folder.write(
                "f.yaml", "flow: f\nstart: a\nevents: {go: }\nstates: {a: {\(state)}}\n")
            do throws(CommandError) {
                try AnalysisCommand(isJSON: false, []).run(.coveringScenario(flow: path))
                return nil
            } catch { return error }
        }
        #expect(error("") == .check("f has no transition; there is no scenario to write"))
        let refused = "data: {n: integer = 0}, on: {go: {if: n > 0, with: {n: 1}}}"
        #expect(
            error(refused)
                == .check("no path was found to a → a by go; there is no scenario to write"))
        #expect(Tour(try AnalysisOptions.validFlow("\(folder.path)/f.yaml", [])).text.isEmpty)
    }

    @Test func `the option --flow of replay takes a flow file`() throws {
        let path = "\(Self.exampleFolder)/quiz.yaml"
        guard case .journal(let options, _) = try Command.read(["replay", "--flow", path, "j"])
        else {
            Issue.record("no replay")
            return
        }
        #expect(options == .replay(path: "j", flow: path))
        #expect(failure("replay", "--flow", "/nowhere/a.yaml", "j")?.status == .usage)
    }

    @Test func `a file that cannot be read is an error with exit status 2`() {
        // The command line is valid. The file is read only when the command runs.
        for verb in ["lint", "races", "paths", "graph"] {
            #expect(failure(verb, "/nowhere/a.yaml") == nil)
        }
        let error = #expect(throws: CommandError.self) {
            try AnalysisOptions.flow("/nowhere/a.yaml", [])
        }
        #expect(error?.status == .usage)
        #expect(error?.why.hasPrefix("/nowhere/a.yaml:1:1: the file cannot be read") == true)
    }
}

/// The verb `flow`.
@Suite struct FlowVerbTests {
    private func options(_ words: String...) throws(CommandError) -> FlowFileOptions? {
        guard case .flowFile(let options, _) = try Command.read(words) else { return nil }
        return options
    }

    @Test func `the verb flow takes check with files, and new with a name`() throws {
        #expect(try options("flow", "check", "a.yaml", "b") == .check(files: ["a.yaml", "b"]))
        #expect(try options("flow", "new", "vault") == .new(name: "vault"))
        for words in [["flow"], ["flow", "check"], ["flow", "new"], ["flow", "new", "a", "b"]] {
            let error = #expect(throws: CommandError.self) { try Command.read(words) }
            #expect(error?.status == .usage)
        }
        let error = #expect(throws: CommandError.self) { try options("flow", "chekc", "a") }
        #expect(error?.why.contains("did you mean check?") == true)
        let unknown = #expect(throws: CommandError.self) { try options("flow", "frob") }
        #expect(
            unknown == .usage("flow frob: unknown; expected one of check, new, schema, list, move"))
    }

    @Test(arguments: ["", "1a", "a b", "a # b", "\"a\"", "a\nstart: b", "a.b", "a/b"])
    func `gamectl flow new refuses an invalid name`(_ name: String) {
        #expect(throws: CommandError.self) { try options("flow", "new", name) }
    }

    @Test(arguments: [
        ("if", "flow new: if is a word of the language; choose another name"),
        ("game", "flow new: game is the name of a built-in flow; choose another"),
        ("on", "flow new: on has a meaning of its own in YAML; choose another name"),
        (
            "1a",
            "flow new: \"1a\" is not a name; a name is a letter, then letters, digits, - and _"
        ),
    ])
    func `gamectl flow new says why it refuses a name`(_ name: String, _ why: String) {
        let error = #expect(throws: CommandError.self) { try options("flow", "new", name) }
        #expect(error == .usage(why))
    }

    @Test func `a file with the name of a built-in flow has a mistake`() throws {
        let folder = Folder()
        let path = folder.write("a.yaml", "start: a\nflow: quiz\nstates: {a: {final: true}}\n")
        let error = #expect(throws: CommandError.self) {
            try FlowFileCommand.run(.check(files: [path]), AnyFlow.shipped(), isJSON: false)
        }
        let why = "\(folder.path)/a.yaml:2:7: quiz is the name of a built-in flow; choose another"
        #expect(error == .malformed([why]))
        #expect(FlowFileResult(path, []).name == "quiz")
        #expect(FlowFileResult("\(folder.path)/a.yaml", AnyFlow.shipped()).name == nil)
    }

    @Test func `the mistakes of all files are reported together`() {
        let files = ["/nowhere/a.yaml", "/nowhere/b.yaml"]
        let error = #expect(throws: CommandError.self) {
            try FlowFileCommand.run(.check(files: files), [], isJSON: false)
        }
        #expect(error?.status == .usage)
        #expect(error?.why.split(separator: "\n").count == 2)
    }

    @Test func `each mistake has its position, as text and as JSON`() throws {
        var template = Array("/tmp/gamectl-flow-XXXXXX.yaml".utf8CString)
        let descriptor = mkstemps(&template, 5)
        #expect(descriptor >= 0)
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer {
            close(descriptor)
            unlink(path)
        }
        let text = "flow: bad\nstart: lobbby\nstates:\n  lobby:\n    on: {go: nowhere}\n"
        #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
        let result = FlowFileResult(path, [])
        #expect(result.name == nil)
        #expect(result.findings.count >= 2)
        let error = #expect(throws: CommandError.self) { try AnalysisOptions.flow(path, []) }
        #expect(error == .malformed(result.findings.map(\.description)))
        #expect(error?.why.hasPrefix("\(path):2:8: ") == true)
        let json = result.json
        #expect(json.map(\.name.description) == ["file", "findings", "warnings"])
    }

    @Test func `a file written by gamectl flow new has no mistakes and no findings of lint`()
        throws
    {
        let text = Array(FlowFileTemplate.text("my-flow").utf8)
        let file = try FlowFile(text: text, file: "my-flow.yaml")
        #expect(file.name == "my-flow")
        let flow = file.flow
        #expect(flow.mistakes.isEmpty)
        #expect(Lint(flow).findings.map(\.sentence) == [])
    }
}
