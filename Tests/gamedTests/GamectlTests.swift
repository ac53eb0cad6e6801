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

    @Test func `wait goes on when the daemon is started again`() {
        let output = run(
            """
            cd '\(runtimeFolder.path)'
            start() {
                gamed --socket "$PWD/s" --state-dir "$PWD/state" --config /dev/null >log 2>&1 & p=$!
                for i in $(seq 2000); do $ctl ping >/dev/null 2>&1 && break; sleep 0.02; done
            }
            ctl="gamectl --socket $PWD/s"; start
            $ctl wait --state choosingEpisode --within 100s 2>warnings & w=$!
            for i in $(seq 2000); do $ctl --json clients | grep -q '"watches":\\[{' && break; sleep 0.02; done
            kill -9 $p; for i in $(seq 2000); do [ -s warnings ] && break; sleep 0.02; done
            start; $ctl send startPlaying >/dev/null; wait $w; echo $?; cat warnings
            $ctl wait --state paused --within 3s & w=$!
            for i in $(seq 2000); do $ctl --json clients | grep -q '"watches":\\[{' && break; sleep 0.02; done
            kill $p; wait $w; echo $?
            """)
        #expect(
            output == """
                0
                gamectl: connection lost; trying again
                gamectl: connection lost; trying again
                gamectl: timed out: main was in choosingEpisode when the connection was lost
                gamectl: Try 'gamectl ping'.
                4

                """)
    }

    @Test func `wait notices a state that the session has left before the connection is back`() {
        // Until the socket is renamed, `gamectl wait` cannot connect to the daemon that was started again.
        let output = run(
            """
            cd '\(runtimeFolder.path)'
            start() {
                gamed --socket "$PWD/$1" --state-dir "$PWD/state" --config /dev/null >log 2>&1 & p=$!
                for i in $(seq 2000); do gamectl --socket "$PWD/$1" ping >/dev/null 2>&1 && break; sleep 0.02; done
            }
            start s
            gamectl --socket "$PWD/s" wait --state choosingEpisode --within 100s 2>warnings & w=$!
            for i in $(seq 2000); do gamectl --socket "$PWD/s" --json clients | grep -q '"watches":\\[{' && break; sleep 0.02; done
            kill -9 $p; for i in $(seq 2000); do [ -s warnings ] && break; sleep 0.02; done
            start hidden
            for e in startPlaying returnHome; do gamectl --socket "$PWD/hidden" send $e >/dev/null; done
            mv hidden s; wait $w; echo $?; kill $p
            """)
        #expect(output == "0\n")
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

    @Test(arguments: [
        ("de_DE.UTF-8", "Anfang"), ("en_GB.UTF-8", "Start"), ("fr_FR.UTF-8", "Start"),
        ("C", "Start"),
    ])
    func `a flow is described in the reader's language`(_ locale: String, _ title: String) throws {
        runtimeFolder.write(
            "room.yaml",
            """
            flow: room
            languages: [en, de]
            start: a
            events: {go: }
            states: {a: {title: {en: Start, de: Anfang}, on: {go: a}}}
            """)
        let daemon = try DaemonProcess(["--flows", runtimeFolder.path])
        let output = run("LC_ALL=\(locale) gamectl --socket $S describe room", daemon)
        #expect(output.contains("a      \(title)\n"), "\(output)")
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

    /// Runs a command on a terminal of a given locale, and returns what it writes there. `script` makes the terminal.
    private func runOnTerminal(_ command: String, locale: String, _ daemon: DaemonProcess) -> String
    {
        run(
            "LC_ALL=\(locale) TERM=xterm NO_COLOR= script -qec '\(command)' /dev/null </dev/null",
            daemon)
    }

    @Test func `follow rewrites two lines, the state and the clock, until the session is closed`()
        throws
    {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let folder = Folder()
        let output = run(
            """
            export GAMED_SOCKET="$S"; gamectl send start rounds=1 >/dev/null
            LC_ALL=C.UTF-8 TERM=xterm NO_COLOR= script -qec 'gamectl follow' '\(folder.path)'/out \
                >/dev/null </dev/null & gamectl follow >'\(folder.path)'/plain &
            for i in $(seq 500); do grep -q timeUp '\(folder.path)'/out '\(folder.path)'/plain && break; sleep 0.02; done
            for i in $(seq 500); do grep -q timeUp '\(folder.path)'/plain && break; sleep 0.02; done
            gamectl send buzz player=ann >/dev/null
            for i in $(seq 500); do grep -q answerTimedOut '\(folder.path)'/out && break; sleep 0.02; done
            for i in $(seq 500); do grep -q answerTimedOut '\(folder.path)'/plain && break; sleep 0.02; done
            gamectl close >/dev/null; wait; cat '\(folder.path)'/out; echo =====; cat '\(folder.path)'/plain
            """, daemon)
        let parts = output.split(separator: "=====\n", maxSplits: 1).map(String.init)
        try #require(parts.count == 2, "\(output)")
        // The lines end with a carriage return and a line feed on a terminal; an escape sequence moves the cursor up.
        let rewriting = "0:20 of 0:20\r\u{1B}[K\u{1B}[A\u{1B}[Kmain · "
        #expect(parts[0].contains(rewriting), "\(output)")
        #expect(parts[0].contains("main · locked  round=1"), "\(output)")
        #expect(parts[0].contains("answerTimedOut ▕█████████████▏ 0:08 of 0:08"), "\(output)")
        let lines = parts[1].split(separator: "\n")
        #expect(lines.count == 4, "\(output)")
        #expect(lines.first == "main · question  round=1 rounds=1 scores={} out=[]")
    }

    @Test func `watch goes on when its session is opened again, and ends when it is closed`() throws
    {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let folder = Folder()
        let output = run(
            """
            export GAMED_SOCKET="$S" out='\(folder.path)'/out
            gamectl --json watch >"$out" &
            for i in $(seq 500); do gamectl label n=$i >/dev/null; grep -q label "$out" && break; sleep 0.02; done
            gamectl open @main again=true >/dev/null; gamectl close >/dev/null; wait
            grep -oE '"kind":"(open|close)"' "$out"
            """, daemon)
        #expect(
            output == """
                "kind":"close"
                "kind":"open"
                "kind":"close"

                """)
    }

    @Test func `a terminal without UTF-8 gets plain characters`() throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let send = "gamectl --socket \(daemon.socket) send start rounds=1"
        #expect(
            runOnTerminal(send, locale: "C", daemon).contains("lobby -> "))
        let status = "gamectl --socket \(daemon.socket) status"
        #expect(runOnTerminal(status, locale: "C", daemon).contains("[#############]"))
        #expect(runOnTerminal(status, locale: "C.UTF-8", daemon).contains("▕█████████████▏"))
        #expect(run("LC_ALL=C \(status)", daemon).contains("▕█████████████▏"))
    }
}
