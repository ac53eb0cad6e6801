import TestSupport
import Testing

/// `make run`: the output of Scripts/run, and the files that it keeps between runs.
@Suite(.serialized) struct RunScriptTests {
    private let folder = Folder()
    /// The first port that the script tries. No other test uses it.
    private let port = Int.random(in: 20_000...29_000)

    /// Runs the script until it has printed the page's address, ends it, and returns the token of the address.
    private func token(_ options: String) -> String {
        ShellCommand.run(
            """
            d='\(folder.path)'; mkdir -p $d/build; b=$(dirname $(command -v gamed))
            ln -sf $b/gamed $b/gamectl $d/build; : >$d/out
            PORT=\(port) BUILD=$d/build Scripts/run --socket $d/s \(options) >$d/out 2>$d/log & run=$!
            for i in $(seq 2000); do grep -q '#token=' $d/out && break; sleep 0.05; done
            { kill $run; wait $run; } 2>/dev/null
            sed -n 's/.*#token=//p' $d/out
            """)
    }

    @Test func `the second run with a state directory has the token of the first`() {
        let first = token("--state-dir $d/state")
        #expect(first.utf8.count == 65)
        #expect(token("--state-dir $d/state") == first)
        let other = token("--state-dir $d/other")
        #expect(
            other.utf8.count == 65 && other != first, "two state directories have the same token")
        #expect(token("--state-dir=$d/state") == first)
    }

    @Test func `without a state directory the token stays too, in a file of mode 0600`() {
        let first = token("--clock virtual")
        #expect(first.utf8.count == 65)
        #expect(token("--clock virtual") == first)
        let modes = ShellCommand.run("stat -c %a '\(folder.path)'/build/desk-*.token | sort -u")
        #expect(modes == "600\n")
    }

    @Test func `a token that the daemon no longer knows is created again`() {
        let first = token("--state-dir $d/state")
        _ = ShellCommand.run("rm '\(folder.path)/state/tokens'")
        let second = token("--state-dir $d/state")
        #expect(second.utf8.count == 65 && second != first)
        #expect(token("--state-dir $d/state") == second)
    }

    @Test func `a configuration with an address and a rule for the desk gets a token`() {
        _ = ShellCommand.run(
            """
            port=8100; while bash -c ": <>/dev/tcp/127.0.0.1/$port"; do port=$((port + 1)); done
            sed "s/^http .*/http 127.0.0.1:$port/" Examples/quiz-night/gamed.conf >'\(folder.path)/conf'
            """)
        #expect(token("--clock virtual --config $d/conf").utf8.count == 65)
    }
}
