import FlowAnalysis
import FlowFiles
import GameFlow
import Shell
import TestSupport
import Testing

@testable import GamectlTool

/// The page about flow files. Its files have no mistakes, except one that shows mistakes. The findings and the output of the
/// scenario on the page are those that gamectl prints.
@Suite struct FlowFilePageTests {
    /// A code block, and the comment before it.
    private struct Block {
        let mark: String
        let language: String
        let text: String
    }

    private static func blocks() throws -> [Block] {
        let page = String(
            decoding: try FileText.read("\(RepositoryFile.root)/docs/flow-files.md"), as: UTF8.self)
        // Every second part is the inside of a block.
        let parts = page.split(separator: "```", omittingEmptySubsequences: false).map(String.init)
        return stride(from: 1, to: parts.count, by: 2).map { index in
            let before = parts[index - 1].split(separator: "\n").last ?? ""
            let isMark = before.hasPrefix("<!-- ") && before.hasSuffix(" -->")
            let lines = parts[index].split(
                separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return Block(
                mark: isMark ? String(before.dropFirst(5).dropLast(4)) : "",
                language: String(lines[0]), text: String(lines[1]))
        }
    }

    private static func block(_ mark: String) throws -> String {
        try #require(try blocks().first { $0.mark == mark }).text
    }

    private func findings(_ text: String, _ file: String) -> [String] {
        do throws(FlowFileError) {
            _ = try FlowFile(text: Array(text.utf8), file: file)
            return []
        } catch { return error.findings.map(\.description) }
    }

    @Test func `every flow on the page has a mark that selects its test`() throws {
        let flows = try Self.blocks().filter { $0.language == "yaml" }
        #expect(flows.count >= 4)
        for block in flows {
            let kind = block.mark.split(separator: " ").first ?? ""
            #expect(["file", "mistakes", "part"].contains(kind), "\(block.text)")
        }
    }

    @Test func `the files on the page have no mistakes`() throws {
        for block in try Self.blocks() where block.mark.hasPrefix("file ") {
            #expect(findings(block.text, "f.yaml") == [], "\(block.mark)")
        }
    }

    @Test func `lint of the page's files has the findings that the page names`() throws {
        func lint(_ mark: String) throws -> [Finding] {
            let text = Array(try Self.block(mark).utf8)
            return Lint(try FlowFile(text: text, file: "f.yaml").flow).findings
        }
        #expect(try lint("file bell-1.yaml") == [.deadEnd("open")])
        #expect(try lint("file bell-2.yaml") == [])
        #expect(try lint("file bell.yaml") == [])
    }

    @Test func `the page shows the findings of its file with mistakes`() throws {
        let sentences = findings(try Self.block("mistakes bell.yaml"), "bell.yaml")
        #expect(sentences.joined(separator: "\n") + "\n" == (try Self.block("findings bell.yaml")))
        #expect(
            findings("", "bell.yaml")
                == ["bell.yaml:1:1: the file is empty; it begins with `flow: NAME`"])
    }

    @Test func `the page's scenario prints what the page says`() throws {
        let flow = try FlowFile(text: Array(Self.block("file bell.yaml").utf8), file: "bell.yaml")
            .flow
        let reader = ScenarioReader(
            Array(try Self.block("scenario bell.scenario").utf8), file: "bell.scenario", flows: []
        ) { path throws(FlowFileReadingError) in
            guard path == "bell.yaml" else { throw FlowFileReadingError(reasons: [path]) }
            return flow
        }
        #expect(reader.errors == [])
        let report = TAPReport(reader.scenarios.map { ScenarioRun($0) })
        #expect(
            report.lines.joined(separator: "\n") + "\n" == (try Self.block("output bell.scenario")))
    }
}
