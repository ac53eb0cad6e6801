import Glibc
import TestSupport
import Testing

/// gamectl, with a running daemon.
@Suite struct GamectlTests {
    private let runtimeFolder = Folder()

    /// Runs a shell command with the test's own directory as `XDG_RUNTIME_DIR`, so that gamectl looks for its socket there.
    private func run(_ command: String, _ daemon: DaemonProcess? = nil) -> String {
        ShellCommand.run(
            "unset GAMED_SOCKET; export XDG_RUNTIME_DIR=\(runtimeFolder.path); \(command)", daemon)
    }

    @Test func `arguments of gamectl are parsed by the types that the flow declares`() throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let gamectl = "gamectl --socket $S"
        _ = run("\(gamectl) send start rounds=1", daemon)
        #expect(
            run("\(gamectl) --json send buzz player=4711", daemon)
                .contains(#""player":"4711""#))
        // In quotation marks the words are one argument: the value of `round`, which is not an integer.
        let data = "round=1 rounds=2 scores={} out=[] remainingMs=500"
        let output = run("\(gamectl) --json goto locked '\(data)' player=true", daemon)
        #expect(output.contains("round"), "\(output)")
        #expect(
            run(
                "\(gamectl) --json goto locked round=1 rounds=2 'scores={}' 'out=[]' remainingMs=500 player=true",
                daemon
            )
            .contains(#""player":"true""#))
        // `open` without the name of a flow uses the first flow, `game`.
        #expect(
            run("\(gamectl) open foo; echo $?", daemon)
                == "gamectl: foo is not a state of game; name a session with @foo\ngamectl: Try 'gamectl help open'.\n2\n"
        )
        #expect(
            run("\(gamectl) send buzz palyer=1", daemon)
                == "gamectl: invalid: buzz palyer: unknown\ngamectl: Try 'gamectl describe'.\n")
        #expect(run("\(gamectl) send @nobody buzz player=1", daemon).contains("unknownSession"))
    }

    @Test func `gamectl uses the first socket that exists, unless GAMED_SOCKET names one`() throws {
        let daemon = try DaemonProcess(socket: "\(runtimeFolder.path)/gamed.sock")
        #expect(run("gamectl status", daemon).contains("introduction"))
        #expect(
            run("mv $S $S.moved; GAMED_SOCKET=$S.moved gamectl ping; mv $S.moved $S", daemon)
                == "pong\n")
        let output = run("GAMED_SOCKET=/nowhere/x gamectl status; echo $?", daemon)
        #expect(
            output.hasPrefix("gamectl: nothing listens at /nowhere/x: No such file"), "\(output)")
        #expect(output.contains("$GAMED_SOCKET (/nowhere/x, does not exist)"))
        #expect(
            output.contains(
                "$XDG_RUNTIME_DIR/gamed.sock (\(runtimeFolder.path)/gamed.sock, exists)"))
        #expect(output.contains("/run/gamed/gamed.sock ("))
        #expect(output.hasSuffix("\n3\n"))
    }

    @Test func `gamectl escapes control characters in its output`() {
        for words in [
            "--x$(printf '\\033[31m')", "test $(printf '/\\033c')", "lint $(printf '\\033c')",
        ] {
            let output = run("gamectl \(words)")
            #expect(!output.unicodeScalars.contains("\u{1B}"), "\(words)")
            #expect(output.contains("gamectl: ") || output.contains("u001b"), "\(output)")
        }
    }
}
