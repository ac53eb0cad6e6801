import FlowAnalysis
import GameFlow
import Glibc
import Shell
import ShippedFlows
import TestSupport
import Testing

@testable import GamectlTool

/// Diagrams, races, excerpts and links in the documentation are up to date. `Scripts/diagrams` rewrites the
/// diagrams.
@Suite struct DocumentationTests {
    private static let root = RepositoryFile.root

    private static func lines(_ path: String) throws -> [String] {
        let bytes = try FileText.read("\(root)/\(path)")
        return String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func pages() throws -> [String] {
        let pages = RepositoryFile.files(in: "docs", ".md")
        try #require(!pages.isEmpty)
        return ["README.md"] + pages
    }

    /// The code blocks of a page. A block's `mark` is the text of the comment before the block, such as `gamectl graph game`.
    private static func codeBlocks(_ page: String) throws -> [CodeBlock] {
        CodeBlock.blocks(of: try lines(page).joined(separator: "\n"))
    }

    /// The pages in docs that describe a shipped flow and have its name.
    private static func flowPages() throws -> [String] {
        let pages = try pages().filter { page in
            AnyFlow.shipped().contains { page == "docs/\($0.name).md" }
        }
        #expect(pages.count >= 6)
        return pages
    }

    private static func flow(_ name: String) throws -> AnyFlow {
        try #require(AnyFlow.shipped().first { $0.name == name })
    }

    @Test func `each diagram on a page matches the flow`() throws {
        var seen: [String] = []
        for page in try Self.pages() {
            for block in try Self.codeBlocks(page) where block.mark.hasPrefix("gamectl graph ") {
                let name = String(block.mark.dropFirst("gamectl graph ".count))
                let text = Diagram(try Self.flow(name)).text(.mermaid)
                #expect(
                    block.lines.joined(separator: "\n") + "\n" == text,
                    "\(page) is out of date: run Scripts/diagrams")
                seen.append("\(page) \(name)")
            }
        }
        #expect(seen.contains("README.md game"))
        for page in try Self.flowPages() { #expect(seen.contains { $0.hasPrefix(page + " ") }) }
    }

    @Test func `each flow's page lists the flow's settings and their defaults`() throws {
        for flow in AnyFlow.shipped() {
            let rows = try Self.lines("docs/\(flow.name).md")
                .drop { $0 != "| setting | default | |" }.dropFirst(2)
                .prefix { $0.hasPrefix("|") }
                .map { $0.split(separator: "|").prefix(2).map { $0.filter { !"` ".contains($0) } } }
            #expect(rows == flow.settings.map { [$0.name, $0.value] }, "docs/\(flow.name).md")
        }
    }

    @Test func `each race that a page shows is found by the analysis`() throws {
        var flows: Set<String> = []
        for page in try Self.pages() {
            for block in try Self.codeBlocks(page)
            where block.mark.hasPrefix("part of: gamectl races ") {
                let name = String(block.mark.dropFirst("part of: gamectl races ".count))
                let report = RacesReport(Races(try Self.flow(name)), Terminal(-1))
                let reportText = report.lines.joined(separator: "\n")
                #expect(
                    reportText.contains(block.lines.joined(separator: "\n")),
                    "\(page): no such race")
                flows.insert(name)
            }
        }
        #expect(flows.count == (try Self.flowPages()).count)
    }

    @Test func `each excerpt on a page is in its source`() throws {
        var count = 0
        for page in try Self.pages() {
            for block in try Self.codeBlocks(page) where block.mark.hasPrefix("part of: ") {
                let path = String(block.mark.dropFirst("part of: ".count))
                guard ["Sources/", "Examples/"].contains(where: path.hasPrefix) else { continue }
                let source = try Self.lines(path).joined(separator: "\n")
                #expect(
                    source.contains(block.lines.joined(separator: "\n")),
                    "\(page): not in \(path) as it is")
                count += 1
            }
        }
        #expect(count >= 5)
    }

    @Test func `the page about writing a flow contains the quiz's code in order`() throws {
        let page = try Self.codeBlocks("docs/writing-a-flow.md").filter { $0.language == "swift" }
        let source = try Self.lines("Sources/ShippedFlows/Quiz.swift")
        #expect(page.flatMap(\.lines).filter { !$0.isEmpty } == source.filter { !$0.isEmpty })
        let sourceText = source.joined(separator: "\n")
        for block in page { #expect(sourceText.contains(block.lines.joined(separator: "\n"))) }
    }

    @Test func `each link to a file has a target`() throws {
        for page in try Self.pages() {
            let folder = page.contains("/") ? "docs/" : ""
            for line in try Self.lines(page) {
                for match in line.matches(of: /\]\((?<path>[^):#\s]+)(#[^)]*)?\)/) {
                    let path = "\(Self.root)/\(folder)\(match.path)"
                    #expect(access(path, F_OK) == 0, "\(page) links to \(match.path)")
                }
            }
        }
    }

    /// The comment above the case of a state lists the states that can follow it, in any order: `/// → help, playing`.
    @Test func `the successors in the flows' comments match the selector`() throws {
        var flows = 0
        let paths = RepositoryFile.files(in: "Sources/ShippedFlows", ".swift")
        try #require(!paths.isEmpty)
        for path in paths {
            let lines = try Self.lines(path)
            let file = path.split(separator: "/").last?.split(separator: ".").first ?? ""
            guard let flow = AnyFlow.shipped().first(where: { $0.name == file.lowercased() }) else {
                continue
            }
            var documented: [String: Set<String>] = [:]
            for (comment, next) in zip(lines, lines.dropFirst()) {
                guard let match = next.wholeMatch(of: /\s+case (\w+)(\(.*\))?/) else { continue }
                let text = comment.drop { $0 == " " }
                if text.hasPrefix("/// → ") {
                    let names = text.dropFirst("/// → ".count).split(separator: ", ")
                    documented[String(match.1)] = Set(names.map(String.init))
                } else if text.hasPrefix("/// The end") {
                    documented[String(match.1)] = []
                }
            }
            for state in flow.survey {
                #expect(
                    documented[state.state] == Set(state.successors), "\(path): \(state.state)")
            }
            #expect(Set(documented.keys) == Set(flow.stateNames), "\(path)")
            flows += 1
        }
        #expect(flows == AnyFlow.shipped().count)
    }
}
