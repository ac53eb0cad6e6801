import TestSupport
import Testing

/// The products without a C library are also for Apple's platforms, where they cannot be compiled here.
@Suite struct PlatformTests {
    /// The modules of these products.
    private static let modules = [
        "Support", "Timers", "GameFlow", "JSONCoding", "ShippedFlows", "FlowAnalysis",
        "GameFlowTesting", "GameFlowHosting",
    ]
    /// What these modules may import: each other, and what all platforms have.
    private static let everywhere = Set(modules + ["CExecution", "Foundation", "Testing"])
    /// What they may import below a condition.
    private static let conditions = [
        "Observation": "canImport(Observation)", "Glibc": "canImport(Glibc)",
        "Musl": "canImport(Musl)", "Darwin": "canImport(Darwin)",
    ]

    /// A line of a source file, and the conditions of `#if` that hold there, the innermost last.
    private struct Line {
        let file: String
        let text: Substring
        let conditions: [String]
    }

    private static var lines: [Line] {
        // The listings of a documentation catalog are no sources.
        modules.flatMap { RepositoryFile.swiftFiles(in: "Sources/\($0)") }
            .filter { !$0.contains(".docc/") }.flatMap(lines(of:))
    }

    private static func lines(of file: String) -> [Line] {
        var conditions: [String] = []
        return RepositoryFile.text(file).split(separator: "\n").map { line in
            let text = line.drop { $0 == " " }
            if text.hasPrefix("#if ") {
                conditions.append(String(text.dropFirst(4)))
            } else if text.hasPrefix("#elseif ") {
                conditions[conditions.count - 1] = String(text.dropFirst(8))
            } else if text.hasPrefix("#else") {
                // In the files that use a C library, `#else` is Linux.
                let isLibrary = conditions.last == "canImport(Musl)"
                conditions[conditions.count - 1] = isLibrary ? "canImport(Glibc)" : "else"
            } else if text.hasPrefix("#endif") {
                conditions.removeLast()
            }
            return Line(file: file, text: text, conditions: conditions)
        }
    }

    /// The module that a line imports; nil if it imports none.
    private static func imported(_ line: Line) -> String? {
        let words = line.text.split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "import"), index < 2, words.count == index + 2,
            index == 0 || ["public", "package", "internal", "private"].contains(words[0])
        else { return nil }
        return words[index + 1]
    }

    @Test func `every import exists on all platforms, or is below its condition`() {
        var count = 0
        for line in Self.lines {
            guard let module = Self.imported(line) else { continue }
            count += 1
            if Self.everywhere.contains(module) { continue }
            let condition = Self.conditions[module]
            #expect(
                condition != nil && line.conditions.last == condition,
                "\(line.file): import \(module)")
        }
        #expect(count > 100)
    }

    @Test func `every condition asks for a module and not for a platform`() {
        let allowed = Set(Self.conditions.values)
        for line in Self.lines {
            for directive in ["#if ", "#elseif "] where line.text.hasPrefix(directive) {
                let condition = String(line.text.dropFirst(directive.count))
                #expect(allowed.contains(condition), "\(line.file): \(line.text)")
            }
        }
    }

    @Test func `no source uses what iOS 17 does not have`() {
        for line in Self.lines
        where !line.text.hasPrefix("//") && line.conditions != ["canImport(Glibc)"] {
            for name in ["Mutex(", "Mutex<", "Atomic(", "Atomic<", "InlineArray"] {
                #expect(!line.text.contains(name), "\(line.file): \(line.text)")
            }
        }
    }

    @Test func `the header includes only POSIX and C, and on Linux what Linux has`() {
        let header = RepositoryFile.text("Sources/CExecution/shim.h")
        let ofLinux = """
            #if defined(__linux__)
            #include <sys/syscall.h>
            #include <unistd.h>
            #endif

            """
        #expect(header.contains(ofLinux))
        let included = header.replacing(ofLinux, with: "").split(separator: "\n").filter {
            $0.hasPrefix("#include")
        }
        #expect(
            included.map { String($0.dropFirst(9)) } == ["<pthread.h>", "<stdint.h>", "<stdlib.h>"])
    }

    @Test func `the package names the platforms`() {
        let manifest = RepositoryFile.text("Package.swift")
        #expect(manifest.contains("platforms: [.macOS(.v14), .iOS(.v17)"))
    }
}
