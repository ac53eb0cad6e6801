import TestSupport
import Testing

/// The completions for bash, run by bash.
@Suite struct CompletionTests {
    private static let completionsFolder = RepositoryFile.root + "/Completions"

    /// The completions that bash offers for the last word of a command line.
    private func completions(_ words: String...) -> [String] {
        let commandLine = words.map { "'\($0)'" }.joined(separator: " ")
        let script =
            "source \(Self.completionsFolder)/\(words[0]).bash; COMP_WORDS=(\(commandLine)); "
            + "COMP_CWORD=\(words.count - 1); _\(words[0]); printf \"%s\\n\" \"${COMPREPLY[@]}\""
        return ShellCommand.run(
            "bash -c \"\(script.replacing("\"", with: "\\\"").replacing("$", with: "\\$"))\""
        )
        .split(separator: "\n").map(String.init)
    }

    @Test func `options of the daemon and their values are completed`() {
        #expect(completions("gamed", "--tls-c") == ["--tls-cert", "--tls-client-ca"])
        #expect(completions("gamed", "--clock", "") == ["real", "virtual"])
        #expect(completions("gamed", "--flow", "q") == ["quiz"])
        #expect(completions("gamed", "--limit", "unix") == ["unixRequests="])
        #expect(completions("gamed", "--state-dir", "/pro") == ["/proc"])
    }

    @Test func `verbs of gamectl, their arguments and their options are completed`() {
        #expect(completions("gamectl", "st") == ["status", "stats"])
        #expect(completions("gamectl", "--socket", "/tmp/x", "des") == ["describe"])
        #expect(completions("gamectl", "token", "r") == ["remove"])
        #expect(completions("gamectl", "graph", "--f") == ["--format"])
        #expect(completions("gamectl", "graph", "--format", "s") == ["scxml", "svg"])
        #expect(completions("gamectl", "status", "--f") == [])
        #expect(completions("gamectl", "journal", "ex") == ["export"])
        #expect(completions("gamectl", "test", "/pro") == ["/proc"])
    }
}
