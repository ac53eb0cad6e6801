import TestSupport
import Testing

/// The completions for bash, run by bash.
@Suite struct CompletionTests {
    private static let folder =
        RepositoryFile.root + "/Completions"

    /// The completions that bash offers for the last of the words.
    private func offered(_ words: String...) -> [String] {
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let script =
            "source \(Self.folder)/\(words[0]).bash; COMP_WORDS=(\(line)); "
            + "COMP_CWORD=\(words.count - 1); _\(words[0]); printf \"%s\\n\" \"${COMPREPLY[@]}\""
        return ShellCommand.run(
            "bash -c \"\(script.replacing("\"", with: "\\\"").replacing("$", with: "\\$"))\""
        )
        .split(separator: "\n").map(String.init)
    }

    @Test func `options of the daemon and their values are completed`() {
        #expect(offered("gamed", "--tls-c") == ["--tls-cert", "--tls-client-ca"])
        #expect(offered("gamed", "--clock", "") == ["real", "virtual"])
        #expect(offered("gamed", "--flow", "q") == ["quiz"])
        #expect(offered("gamed", "--limit", "unix") == ["unixRequests="])
        #expect(offered("gamed", "--state-dir", "/pro") == ["/proc"])
    }

    @Test func `verbs of gamectl, their words and their options are completed`() {
        #expect(offered("gamectl", "st") == ["status", "stats"])
        #expect(offered("gamectl", "--socket", "/tmp/x", "des") == ["describe"])
        #expect(offered("gamectl", "token", "r") == ["remove"])
        #expect(offered("gamectl", "graph", "--f") == ["--format"])
        #expect(offered("gamectl", "graph", "--format", "s") == ["scxml", "svg"])
        #expect(offered("gamectl", "status", "--f") == [])
        #expect(offered("gamectl", "journal", "ex") == ["export"])
        #expect(offered("gamectl", "test", "/pro") == ["/proc"])
    }
}
