import Glibc
import TestSupport
import Testing

/// `gamectl top` on terminals of tmux, a program that others wrote.
@Suite struct TopTerminalTests {
    private let folder = Folder()

    /// Runs a script of the shell with the functions below. `$T` runs tmux with a server of its own.
    private func run(_ script: String, _ daemon: DaemonProcess, keepsTerminal: Bool = false)
        -> String
    {
        ShellCommand.run(
            """
            unset GAMED_SOCKET TMUX; export LC_ALL=C.UTF-8
            T='tmux -S \(folder.path)/tmux -f /dev/null'
            # start COLUMNS ROWS [COMMAND]: runs top on a new terminal; the shell around it says how it has ended.
            start() {
                $T new-session -d -s top -x "$1" -y "$2" "${3:-} gamectl --socket $S top; echo status \\$?; sleep 60"
            }
            # see TEXT: waits until the screen has the text.
            see() {
                for each in $(seq 100); do
                    if $T capture-pane -p -t top | grep -qF -- "$1"; then return; fi
                    sleep 0.1
                done
                echo "the screen lacks '$1':"; $T capture-pane -p -t top; $T kill-server; exit
            }
            press() { $T send-keys -t top "$@"; }
            \(script)
            \(keepsTerminal ? "" : "$T kill-server")
            """, daemon)
    }

    @Test(arguments: [(80, 24), (200, 60)])
    func `keys play a game, and the terminal is given back`(_ columns: Int, _ rows: Int) throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let output = run(
            """
            gamectl --socket $S open @hall flow=quiz >/dev/null
            start \(columns) \(rows)
            see 'gamed · 2 sessions'
            see '@hall #1 · lobby'
            press Down
            see '@main #1 · lobby'; see '[1] start'
            press 1; see 'rounds: _'
            press 2 Enter
            see '@main #2 · '
            press U; see 'undone'
            see '@main #3 · lobby'
            press Z; press M; see 'Message'; press 'Hé' Enter; see 'message: Hé'
            gamectl --socket $S close @hall >/dev/null; see 'gamed · 1 session'
            $T resize-window -t top -x 100 -y 30; see 'gamed · 1 session'
            press q
            see 'status 0'
            # The cursor is shown, and the alternate screen is left.
            $T display-message -p -t top '#{cursor_flag}#{alternate_on}'
            """, daemon)
        #expect(output == "10\n", "\(output)")
    }

    /// The settings before are not those of a new terminal, so that top cannot give back the wrong ones.
    @Test(arguments: ["q", "Control and C", "SIGTERM", "SIGINT", "SIGHUP"])
    func `the terminal has its settings again`(_ end: String) throws {
        let action =
            switch end {
            case "q": "press q"
            case "Control and C": "press C-c"
            default: "kill -\(end.dropFirst(3)) $top"
            }
        let output = run(
            """
            $T new-session -d -s top -x 80 -y 24 "stty -ixon -echoe; stty -g >'\(folder.path)/before'
                gamectl --socket $S top; echo status \\$?
                stty -g >'\(folder.path)/after'; echo complete; sleep 60"
            see '@main #1'
            shell=$($T display-message -p -t top '#{pane_pid}'); top=$(ps --ppid $shell -o pid= | tr -d ' ')
            stty -g <$($T display-message -p -t top '#{pane_tty}') | cmp -s - '\(folder.path)/before' && echo 'top changes nothing'
            \(action)
            see 'status 0'; see complete
            cmp '\(folder.path)/before' '\(folder.path)/after' && test -s '\(folder.path)/after'
            $T display-message -p -t top '#{cursor_flag}#{alternate_on}'
            """, try DaemonProcess())
        #expect(output == "10\n", "\(output)")
    }

    @Test(arguments: [
        ("dumb", "top needs a cursor that moves, and the terminal 'dumb' has none: set TERM"),
        ("unheard-of", "top does not know the terminal 'unheard-of': set TERM"),
    ])
    func `top refuses a terminal that cannot show a screen`(_ name: String, _ reason: String)
        throws
    {
        let output = run(
            """
            start 120 24 'TERM=\(name)'
            see 'status 2'
            $T capture-pane -p -t top | grep -v '^$'
            """, try DaemonProcess())
        #expect(output.hasPrefix("gamectl: \(reason)\n"), "\(output)")
        #expect(output.hasSuffix("status 2\n"), "\(output)")
    }

    @Test func `top works without UTF-8 and without colours`() throws {
        let output = run(
            """
            start 80 24 'LC_ALL=C TERM=vt100'
            see 'gamed - 1 session'
            press C-c
            see 'status 0'
            """, try DaemonProcess())
        #expect(output == "", "\(output)")
    }

    @Test func `top connects again after a kill of the daemon`() throws {
        let stateFolder = Folder()
        let options = ["--state-dir", stateFolder.path]
        let socket = "\(folder.path)/gamed.sock"
        let killed = try DaemonProcess(options, socket: socket)
        #expect(run("start 80 24; see '@main #1'", killed, keepsTerminal: true) == "")
        killed.signal(SIGKILL)
        killed.waitForEnd()
        #expect(run("see 'no connection'; see '@main #1'", killed, keepsTerminal: true) == "")
        let restarted = try DaemonProcess(options, socket: socket)
        let output = run(
            """
            gamectl --socket $S send startPlaying >/dev/null
            see '@main #2'
            press q
            see 'status 0'
            """, restarted)
        #expect(output == "", "\(output)")
    }

    /// If the screen is to change, look at the new one and keep it: the files have the whole screens.
    @Test(arguments: [(80, 24), (200, 60)])
    func `the whole screen is the kept one`(_ columns: Int, _ rows: Int) throws {
        let daemon = try DaemonProcess(["--flow", "quiz", "--clock", "virtual"])
        let screen = run(
            """
            {
                gamectl --socket $S open @hall flow=quiz; gamectl --socket $S send @hall start rounds=2
                gamectl --socket $S advance 5s; gamectl --socket $S send @hall start rounds=1
            } >/dev/null 2>&1
            start \(columns) \(rows)
            see 'timeUp ▕'; see 'refused noTransition'; see 'q leave'
            $T capture-pane -p -t top | sed 's/pid [0-9]*/pid N/g'
            """, daemon)
        let kept = RepositoryFile.text("Tests/gamedTests/Clients/top-\(columns)x\(rows).txt")
        #expect(!kept.isEmpty && screen == kept, "\(screen)")
    }

    /// SIGHUP is ignored in the second case, as after nohup(1): then only the terminal itself tells that it has gone.
    @Test(arguments: ["", "trap '' HUP;"])
    func `top ends when its terminal vanishes`(_ before: String) throws {
        let daemon = try DaemonProcess()
        let output = run(
            """
            start 80 24 "\(before)"
            see '@main #1'
            shell=$($T display-message -p -t top '#{pane_pid}'); top=$(ps --ppid $shell -o pid= | tr -d ' ')
            test -n "$top" || echo 'top has no process'
            $T kill-server
            for each in $(seq 100); do kill -0 $top 2>/dev/null || exit; sleep 0.1; done
            echo 'top runs without a terminal'; kill -9 $top
            """, daemon, keepsTerminal: true)
        #expect(output == "", "\(output)")
    }

    @Test func `top needs a terminal, and says so`() throws {
        let daemon = try DaemonProcess()
        let output = ShellCommand.run(
            "gamectl --socket $S top | cat; gamectl --socket $S --json top", daemon)
        #expect(output.contains("top needs a terminal"), "\(output)")
        #expect(output.contains("top has no JSON"), "\(output)")
    }
}
