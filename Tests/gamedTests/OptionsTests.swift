import Access
import Connections
import GameFlow
import Net
import Parts
import RPC
import Shards
import ShippedFlows
import Support
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The command line, and the configuration, which has the same options and also rules.
@Suite struct OptionsTests {
    private let folder = Folder()

    private func read(_ arguments: [String]) throws(Options.OptionsError) -> Options.Command {
        try Options.read(arguments, flows: [AnyFlow(Game()), AnyFlow(Quiz())])
    }

    /// The options of a daemon that is started with a configuration and a command line.
    private func options(_ text: String, _ arguments: [String] = []) throws -> Options {
        let file = folder.write("gamed.conf", text)
        guard case .run(let options) = try read(["--config", file] + arguments) else {
            throw Options.OptionsError.usage("the command does not start the daemon")
        }
        return options
    }

    /// The errors of a configuration, without its path.
    private func mistakes(_ text: String) -> [String] {
        let file = folder.write("gamed.conf", text)
        do throws(Options.OptionsError) { _ = try read(["--config", file]) } catch {
            return error.lines.map { String($0.dropFirst(file.count + 1)) }
        }
        return []
    }

    /// The first error of a command line; nil if it is valid.
    private func firstError(_ arguments: String...) -> String? {
        do throws(Options.OptionsError) { _ = try read(arguments) } catch {
            return error.lines.first
        }
        return nil
    }

    @Test func `a configuration has one option or rule per line`() throws {
        let options = try options(
            """
            # the quiz in the hall
            flow quiz
            clock virtual     # for the rehearsal
            http 127.0.0.1:8080
            http-host "hall.example"
            limit requests=50
            limit header=2s
            no-main
            allow token:desk operate
            allow uid:7 play session=red-* event=buzz*
            """)
        #expect(options.sessions.flow == "quiz")
        #expect(options.sessions.isVirtual)
        #expect(!options.sessions.opensMain)
        #expect(options.web.addresses == [.network(host: "127.0.0.1", port: 8080)])
        #expect(options.web.hosts == ["hall.example"])
        #expect(options.limits.requests == 50)
        #expect(options.limits.requestTime == .seconds(2))
        #expect(
            options.access.rules == [
                Rule(.token("desk"), Grant(.operate)),
                Rule(.uid(7), Grant(.play, session: Glob("red-*"), event: Glob("buzz*"))),
            ])
    }

    @Test func `the command line takes precedence over the configuration`() throws {
        let options = try options("flow quiz\nlimit requests=50\n", ["--flow", "game"])
        #expect(options.sessions.flow == "game")
        #expect(options.limits.requests == 50)
    }

    @Test func `each http or listen line adds an address, in order`() throws {
        let text = "http 127.0.0.1:1\nhttp [::1]:1\nlisten 127.0.0.1:2\nlisten localhost:2\n"
        #expect(try options(text).web.addresses.map(\.text) == ["127.0.0.1:1", "[::1]:1"])
        #expect(try options(text).network.listen.map(\.text) == ["127.0.0.1:2", "localhost:2"])
        let overridden = try options(text, ["--http", "unix:/tmp/a", "--http", "127.0.0.1:3"])
        #expect(overridden.web.addresses.map(\.text) == ["unix:/tmp/a", "127.0.0.1:3"])
        #expect(overridden.network.listen.count == 2)
        // Port 0 may be given twice: each address gets its own port.
        #expect(try options("http 127.0.0.1:0\nhttp 127.0.0.1:0\n").web.addresses.count == 2)
    }

    @Test func `a repeated address or too many addresses are an error`() {
        #expect(
            mistakes("http [::1]:1\nhttp 127.0.0.1:1\nhttp [::1]:1\n")
                == ["3:6: [::1]:1 is given twice"])
        #expect(
            firstError("--listen", "127.0.0.1:1", "--listen", "127.0.0.1:1")
                == "--listen 127.0.0.1:1: 127.0.0.1:1 is given twice")
        #expect(
            firstError("--listen", "127.0.0.1:1", "--http", "127.0.0.1:1")
                == "--listen and --http have the same address, 127.0.0.1:1")
        #expect(
            firstError("--http", "127.0.0.1:1", "--http", "0.0.0.0:2")?.contains("--insecure")
                == true)
        let seventeenLines = (1...17).map { "http 127.0.0.1:\($0)\n" }.joined()
        #expect(mistakes(seventeenLines) == ["17:6: at most 16 addresses"])
    }

    @Test func `all errors are reported together, with line and column`() {
        let errors = mistakes(
            """
            flow quizz
              nosuch 3
            allow token:a
            allow token:a play session=
            allow desk play
            allow token:a rule
            clock real now
            flow "quiz
            limit requests=many
            allow token:a play event=a event=b
            """)
        #expect(
            errors == [
                "1:6: no such flow; did you mean quiz?", "2:3: nosuch: unknown",
                "3:1: expected allow PRINCIPAL ROLE [session=GLOB] [event=GLOB] [args=JSON] [get=yes] [age=D]",
                "4:20: expected session=GLOB, event=GLOB, args=JSON, get=yes or age=D",
                "5:7: desk: expected uid:, group:, token:, cert: or source:",
                "6:15: rule: expected observe, play, operate", "7:12: unexpected word",
                "8:6: an unclosed quote",
                "9:7: expected 0 to 10000000 a second; 0 means no limit",
                "10:28: event is given twice",
            ])
    }

    @Test func `a right says how much of an event's age counts, up to a second`() {
        #expect(mistakes("allow token:a play age=300ms\n") == [])
        for age in ["2s", "soon", "-1s"] {
            #expect(
                mistakes("allow token:a play age=\(age)\n")
                    == ["1:20: age: expected a duration up to 1s, such as 300ms"])
        }
    }

    @Test(arguments: ["help", "version", "check", "config x"])
    func `an option that only the command line has is an error in a configuration`(_ line: String) {
        #expect(
            mistakes(line).first?.hasPrefix("1:1: \(line.prefix { $0 != " " }): unknown") == true)
    }

    @Test func `a missing configuration file is an error unless it is the default file`() {
        #expect(
            firstError("--config", "/nowhere/x.conf")
                == "/nowhere/x.conf: No such file or directory")
        #expect(firstError() == nil)
    }

    @Test func `an address that other hosts can reach requires TLS or --insecure`() {
        for option in ["--listen", "--http"] {
            #expect(firstError(option, "0.0.0.0:7001")?.contains("--insecure") == true)
            #expect(firstError(option, "0.0.0.0:7001", "--insecure") == nil)
            for loopback in ["127.0.0.1:7001", "[::1]:7001", "localhost:7001", "127.1.2.3:0"] {
                #expect(firstError(option, loopback) == nil)
            }
        }
        #expect(firstError("--http", "unix:/tmp/x.sock") == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1:70000", ":7001", "::1:7001", "[::1]", "a:b"])
    func `an invalid address is an error`(_ address: String) {
        #expect(firstError("--listen", address)?.hasPrefix("--listen \(address): expected") == true)
    }

    @Test func `an option without another option that it requires is an error`() {
        #expect(firstError("--tls-cert", "a") == "--tls-cert and --tls-key require each other")
        #expect(firstError("--tls-key", "a") == "--tls-cert and --tls-key require each other")
        #expect(firstError("--tls-client-ca", "a") == "--tls-client-ca requires --tls-cert")
    }

    @Test(arguments: [
        "requests=-1", "requests=", "clients=0", "idle=0s", "header=soon", "nosuch=1", "requests",
    ])
    func `an invalid limit is an error`(_ limit: String) {
        #expect(firstError("--limit", limit)?.hasPrefix("--limit \(limit): expected") == true)
    }

    @Test func `--check reads all named files and exits`() throws {
        let good = folder.write("good.conf", "allow token:a play\n")
        let bad = folder.write("bad.conf", "allow token:a plays\n")
        let cert = folder.write("cert.pem", "nothing\n")
        func check(_ arguments: String) -> String {
            ShellCommand.run("gamed --check \(arguments); echo $?")
        }
        #expect(check("--config \(good)") == "0\n")
        #expect(
            check("--config \(bad)")
                == "gamed: \(bad):1:15: plays: expected observe, play, operate\n2\n")
        #expect(check("--tls-cert \(cert) --tls-key \(cert)").hasSuffix("2\n"))
        #expect(check("--tls-cert \(cert) --tls-key \(cert)").contains("gamed: \(cert): "))
        let tokens = folder.write("tokens", "desk nothing\n")
        #expect(
            check("--tokens \(tokens)")
                == "gamed: \(tokens):1:1: expected a name and 64 hexadecimal digits\n2\n")
    }

    /// The output of `gamed --check` for a configuration, without the path, followed by the exit status.
    private func checkOutput(_ configuration: String, _ arguments: String = "") -> String {
        let path = folder.write("checked.conf", configuration)
        return ShellCommand.run("gamed --check --config \(path) \(arguments); echo $?")
            .replacing("gamed: \(path):", with: "")
    }

    @Test func `--check finds unknown events`() {
        #expect(
            checkOutput("allow token:a play event=buzz\nallow token:b play event=b*\n") == "0\n")
        #expect(
            checkOutput("allow token:a play event=buz\n")
                == "1:20: event: no flow has an event buz; did you mean buzz?\n2\n")
        #expect(
            checkOutput("\nallow token:a play session=* event=xyzzy*\n")
                == "2:30: event: no flow has an event xyzzy*\n2\n")
    }

    @Test
    func `--check refuses impossible or misspelled session names, and notes unopened sessions`() {
        #expect(checkOutput("allow token:a play session=main\n") == "0\n")
        #expect(checkOutput("allow token:a play session=room-*\n") == "0\n")
        #expect(checkOutput("allow token:a play session=room[1-3]\n") == "0\n")
        #expect(
            checkOutput("allow token:a observe session=mian\n")
                == "1:23: session: mian is not opened at the start; did you mean main?\n2\n")
        #expect(
            checkOutput("allow token:a observe session=room/*\n")
                == "1:23: session: no session matches room/*: no name has a /\n2\n")
        #expect(
            checkOutput("allow token:a observe session=room/1\n")
                == "1:23: session: no session can be called room/1: expected 1 to 64 of A-Z a-z 0-9 . _ -\n2\n"
        )
        let note =
            "gamed: note: CONF:1:23: session: room-1 is not opened at the start\n0\n"
        let path = folder.write("noted.conf", "allow token:a observe session=room-1\n")
        #expect(
            ShellCommand.run("gamed --check --config \(path); echo $?")
                == note.replacing("CONF", with: path))
        let map = "map device=* service=FFE0 characteristic=FFE1 value=01 event=buzz session=mian"
        #expect(
            checkOutput(map + " args={\"player\":\"a\"}\n")
                == "1:67: session: mian is not opened at the start; did you mean main?\n2\n")
    }

    @Test func `--check reports a state directory or a token file that cannot be written`() {
        let file = folder.write("file", "")
        func check(_ arguments: String) -> String {
            ShellCommand.run("gamed --check \(arguments); echo $?")
        }
        #expect(check("--state-dir \(folder.path)/new") == "0\n")
        #expect(ShellCommand.run("ls \(folder.path)") == "file\n")
        #expect(
            check("--state-dir \(folder.path)/no/such")
                == "gamed: --state-dir \(folder.path)/no/such: cannot make it: No such file or directory\n2\n"
        )
        #expect(
            check("--state-dir \(file)")
                == "gamed: --state-dir \(file): cannot make a file in it: Not a directory\n2\n")
        #expect(
            check("--tokens /proc/x").hasPrefix(
                "gamed: --tokens /proc/x: its directory: cannot make"))
        #expect(check("--tokens \(folder.path)/tokens") == "0\n")
        #expect(ShellCommand.run("ls -A \(folder.path)") == "file\n")
    }

    @Test func `control characters are escaped in an error message`() {
        let path = folder.write("escape.conf", "x\u{1B}[31m\nhttp \u{9B}31m\nallow \u{202E}\n")
        for arguments in [
            "--x$(printf '\\033[31m')", "$(printf '\\033c')", "--config \(path)",
            "--clock $(printf '\\033c')", "--flow $(printf '\\033c')",
            "--config $(printf '\\033c')",
            "--check --state-dir $(printf '/\\033c/x')", "--check --tokens $(printf '/\\033c/x')",
            "--check --bluetooth sim:$(printf '/\\033c/x')",
            "--socket $(printf '/\\033c/x')",
        ] {
            let output = ShellCommand.run("gamed \(arguments)")
            // What fails before the daemon serves is a message for a person, and what fails at its start is an entry of the log.
            #expect(output.contains("gamed: ") || output.contains(" [start] "), "\(arguments)")
            let controlCharacters = output.unicodeScalars.filter {
                $0 != "\n" && TerminalText.isInterpreted($0)
            }
            #expect(controlCharacters.isEmpty, "\(arguments): \(output.debugDescription)")
        }
    }
}
