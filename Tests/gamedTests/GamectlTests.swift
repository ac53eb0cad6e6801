import Glibc
import TestSupport
import Testing

/// gamectl, with a running daemon.
@Suite struct GamectlTests {
    private let folder = Folder()

    private func run(_ command: String, _ daemon: DaemonProcess? = nil) -> String {
        ShellCommand.run(
            "unset GAMED_SOCKET; export XDG_RUNTIME_DIR=\(folder.path); \(command)", daemon)
    }

    @Test func `words are parsed by the flow's types`() throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let ctl = "gamectl --socket $S"
        _ = run("\(ctl) send start rounds=1", daemon)
        #expect(run("\(ctl) --json send buzz player=4711", daemon).contains(#""player":"4711""#))
        let data = "round=1 rounds=2 scores={} out=[] remainingMs=500"
        let moved = run("\(ctl) --json goto locked '\(data)' player=true", daemon)
        #expect(moved.contains("round"), "\(moved)")
        #expect(
            run(
                "\(ctl) --json goto locked round=1 rounds=2 'scores={}' 'out=[]' remainingMs=500 player=true",
                daemon
            )
            .contains(#""player":"true""#))
        #expect(
            run("\(ctl) open foo; echo $?", daemon)
                == "gamectl: foo is not a state of game; name a session with @foo\ngamectl: Try 'gamectl --help'.\n2\n"
        )
        #expect(
            run("\(ctl) send buzz palyer=1", daemon) == "gamectl: invalid: buzz palyer: unknown\n")
        #expect(run("\(ctl) send @nobody buzz player=1", daemon).contains("unknownSession"))
    }

    @Test func `the socket is the first that exists, unless GAMED_SOCKET names one`() throws {
        let daemon = try DaemonProcess(socket: "\(folder.path)/gamed.sock")
        #expect(run("gamectl status", daemon).contains("introduction"))
        #expect(
            run("mv $S $S.moved; GAMED_SOCKET=$S.moved gamectl ping; mv $S.moved $S", daemon)
                == "pong\n")
        let refused = run("GAMED_SOCKET=/nowhere/x gamectl status; echo $?", daemon)
        #expect(
            refused.hasPrefix("gamectl: nothing listens at /nowhere/x: No such file"), "\(refused)")
        #expect(refused.contains("$GAMED_SOCKET (/nowhere/x, does not exist)"))
        #expect(refused.contains("$XDG_RUNTIME_DIR/gamed.sock (\(folder.path)/gamed.sock, exists)"))
        #expect(refused.contains("/run/gamed/gamed.sock ("))
        #expect(refused.hasSuffix("\n3\n"))
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
