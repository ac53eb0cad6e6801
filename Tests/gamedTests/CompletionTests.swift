import TestSupport
import Testing

/// The completions for bash, run by bash.
@Suite struct CompletionTests {
    private static let completionsFolder = RepositoryFile.root + "/Completions"

    private let folder = Folder()

    /// The completions that bash offers for the last word of a command line. bash puts them in place of the part of the word
    /// after the last `=` or `:`.
    private func completions(_ words: String...) -> [String] { completions(words) }

    private func completions(_ words: [String]) -> [String] {
        let quotedWords = words.map { "'\($0)'" }.joined(separator: " ")
        let script = folder.write(
            "script",
            """
            source \(Self.completionsFolder)/\(words[0]).bash
            COMP_WORDS=(\(quotedWords)) COMP_CWORD=\(words.count - 1)
            COMP_LINE='\(words.joined(separator: " "))' COMP_POINT=${#COMP_LINE}
            _\(words[0])
            printf '%s\\n' "${COMPREPLY[@]}"
            """)
        return ShellCommand.run("bash '\(script)'").split(separator: "\n").map(String.init)
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
        #expect(completions("gamectl", "flow", "check", "/pro") == ["/proc"])
        #expect(completions("gamectl", "ping", "/pro") == [])
    }

    @Test func `names that the daemon knows are completed`() throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        func offered(_ words: String...) -> [String] {
            completions(["gamectl", "--socket", daemon.socket] + words)
        }
        _ = ShellCommand.run(
            "gamectl --socket $S open @room-1 flow=game; gamectl --socket $S send start rounds=2",
            daemon)
        #expect(offered("status", "@") == ["@main", "@room-1"])
        #expect(offered("status", "@r") == ["@room-1"])
        #expect(offered("watch", "@") == ["@main", "@room-1", "@*"])
        #expect(offered("--session", "") == ["main", "room-1"])
        #expect(offered("send", "") == ["buzz", "abandon"])
        #expect(offered("send", "@room-1", "st") == ["startPlaying"])
        #expect(offered("send", "buzz", "") == ["player="])
        #expect(offered("send", "judge", "correct=") == ["true", "false"])
        #expect(offered("timer", "") == ["timeUp", "tick", "*"])
        #expect(offered("timer", "timeUp", "ex") == ["extend"])
        #expect(offered("timer", "timeUp", "extend", "") == ["by="])
        #expect(offered("goto", "re") == ["reveal"])
        #expect(offered("goto", "locked", "rou") == ["round=", "rounds="])
        #expect(offered("wait", "--state", "fin") == ["finished"])
        #expect(offered("open", "flow=q") == ["quiz"])
        #expect(offered("stats", "quiz", "") == [])
    }

    @Test func `the words suffice if there is no line, as in a test of a completion`() {
        let script =
            "source \(Self.completionsFolder)/gamectl.bash; COMP_WORDS=(gamectl token r) COMP_CWORD=2; "
            + "_gamectl; echo ${COMPREPLY[@]}"
        #expect(ShellCommand.run("bash -c '\(script)'") == "remove\n")
    }

    @Test func `without a daemon, its names are not completed, and no error is shown`() {
        #expect(completions("gamectl", "--socket", "/nowhere/x", "status", "@") == [])
        #expect(completions("gamectl", "--socket", "/nowhere/x", "send", "") == [])
    }
}
