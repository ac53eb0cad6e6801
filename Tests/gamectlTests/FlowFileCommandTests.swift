import FlowAnalysis
import FlowFiles
import GameFlow
import Testing

@testable import GamectlTool

/// Flow files on the command line of gamectl.
@Suite struct FlowFileCommandTests {
    private static let files =
        "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        + "/FlowFilesTests/Files"

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
        let path = "\(Self.files)/quiz.yaml"
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
        #expect(try AnalysisOptions.soundFlow(path, []).name == "quiz")
    }

    @Test func `a file that cannot be read is an error with exit status 2`() {
        for verb in ["lint", "races", "paths", "graph"] {
            #expect(failure(verb, "/nowhere/a.yaml") == nil)
        }
        let error = #expect(throws: CommandError.self) {
            try AnalysisOptions.flow("/nowhere/a.yaml", [])
        }
        #expect(error?.status == .usage)
        #expect(error?.message.hasPrefix("/nowhere/a.yaml:1:1: the file cannot be read") == true)
    }
}
