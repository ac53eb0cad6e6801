import TestSupport
import Testing

/// `make run`: the output of Scripts/run, and the files that it keeps between runs.
@Suite(.serialized) struct RunScriptTests {
    private let folder = Folder()
    /// The first port that the script tries. The port is random, because other tests use ports of the same range.
    private let port = Int.random(in: 20_000...29_000)

    /// Runs the script until it has printed the page's address, and ends the script. Returns the token in the address: 64
    /// digits, followed by a newline. Returns an empty text if the script printed no token. In the options, `$d` is the folder.
    private func tokenOfRun(_ options: String) -> String {
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
        let firstToken = tokenOfRun("--state-dir $d/state")
        #expect(firstToken.utf8.count == 65)
        #expect(tokenOfRun("--state-dir $d/state") == firstToken)
        let otherToken = tokenOfRun("--state-dir $d/other")
        #expect(
            otherToken.utf8.count == 65 && otherToken != firstToken,
            "two state directories have the same token")
        #expect(tokenOfRun("--state-dir=$d/state") == firstToken)
    }

    @Test func `without a state directory the token is kept in a file of mode 0600`() {
        let firstToken = tokenOfRun("--clock virtual")
        #expect(firstToken.utf8.count == 65)
        #expect(tokenOfRun("--clock virtual") == firstToken)
        let modes = ShellCommand.run("stat -c %a '\(folder.path)'/build/desk-*.token | sort -u")
        #expect(modes == "600\n")
    }

    @Test func `a new token is created if the daemon no longer knows the earlier token`() {
        let firstToken = tokenOfRun("--state-dir $d/state")
        _ = ShellCommand.run("rm '\(folder.path)/state/tokens'")
        let secondToken = tokenOfRun("--state-dir $d/state")
        #expect(secondToken.utf8.count == 65 && secondToken != firstToken)
        #expect(tokenOfRun("--state-dir $d/state") == secondToken)
    }

    @Test func `a token is made for a configuration with an address and a rule for the desk`() {
        _ = ShellCommand.run(
            """
            port=8100; while bash -c ": <>/dev/tcp/127.0.0.1/$port"; do port=$((port + 1)); done
            sed "s/^http .*/http 127.0.0.1:$port/; s,sim:,sim:$PWD/Examples/buzzers/," Examples/buzzers/gamed.conf >'\(folder.path)/conf'
            """)
        #expect(tokenOfRun("--clock virtual --config $d/conf").utf8.count == 65)
    }
}
