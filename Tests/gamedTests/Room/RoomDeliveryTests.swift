import Connections
import Glibc
import TestSupport
import Testing

/// Outputs are delivered or given up: at a restart, after an undo, while they are switched off, and in a test by an operator.
@Suite struct RoomDeliveryTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(
            ["--config", path, "--flow", "quiz", "--state-dir", "\(folder.path)/state"] + options)
    }

    private func ask(_ daemon: DaemonProcess, _ words: String) throws -> String {
        try Client(daemon.socket).ask(words)
    }

    private func kill(_ daemon: DaemonProcess) {
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    /// Waits until the list of outputs contains these words. The test fails if the list never contains them.
    private func expectOutputs(_ daemon: DaemonProcess, _ words: String) throws {
        let answer = try Client(daemon.socket).ask("outputs", until: words)
        #expect(answer.contains(words))
    }

    @Test
    func `an output that waits at a kill is sent once after the restart, with the old values`()
        throws
    {
        let lines = """
            serial door \(folder.path)/tty
            on enter=* serial=door line="$session $state $data.round" max-age=60s

            """
        let firstRun = try startDaemon(lines)
        #expect(try ask(firstRun, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(firstRun, #""waiting":1"#)
        kill(firstRun)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let secondRun = try startDaemon(lines)
        #expect(tty.nextLine() == "main question 1\n")
        try expectOutputs(secondRun, #""delivered":1"#)
        // The reply to a later request proves that the record of the delivery is durable.
        #expect(try ask(secondRun, "send buzz player=ann").hasPrefix("OK"))
        #expect(tty.nextLine() == "main locked 1\n")
        try expectOutputs(secondRun, #""delivered":2"#)
        kill(secondRun)
        let thirdRun = try startDaemon(lines)
        #expect(thirdRun.waitFor("serial door: connected"))
        #expect(try ask(thirdRun, "send judge correct=true").hasPrefix("OK"))
        #expect(tty.nextLine() == "main reveal 1\n")
        kill(thirdRun)
        let checked = ShellCommand.run("gamectl journal check '\(folder.path)/state'; echo $?")
        #expect(checked.hasSuffix("\n0\n"), "\(checked)")
        let replayed = ShellCommand.run("gamectl replay '\(folder.path)/state'; echo $?")
        #expect(replayed.hasSuffix("\n0\n"), "\(replayed)")
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        #expect(exported.contains(#""kind":"delivery""#), "\(exported)")
        #expect(exported.contains(#""outcome":"delivered""#))
    }

    @Test func `a restart applies newly added lines to the last changes`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let firstRun = try startDaemon("serial door \(folder.path)/tty\n")
        #expect(try ask(firstRun, "send start rounds=2").hasPrefix("OK"))
        kill(firstRun)
        let secondRun = try startDaemon(
            """
            serial door \(folder.path)/tty
            on enter=question serial=door line="new $state" max-age=60s

            """)
        #expect(secondRun.waitFor("serial door: connected"))
        #expect(tty.nextLine() == "new question\n")
    }

    @Test func `an output with once=yes that was tried is not tried again after a restart`() throws
    {
        let lines = """
            serial door \(folder.path)/tty
            on enter=question serial=door line=ONCE once=yes max-age=60s
            on enter=locked serial=door line=LOCKED max-age=60s

            """
        let firstRun = try startDaemon(lines)
        #expect(try ask(firstRun, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(firstRun, #""givenUp":1"#)
        #expect(try ask(firstRun, "outputs").contains("tried once"))
        kill(firstRun)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let secondRun = try startDaemon(lines)
        #expect(secondRun.waitFor("serial door: connected"))
        #expect(try ask(secondRun, "send buzz player=ann").hasPrefix("OK"))
        #expect(tty.nextLine() == "LOCKED\n")
    }

    @Test func `an undo gives up the outputs of the undone changes, also after a restart`() throws {
        let lines = """
            serial door \(folder.path)/tty
            on enter=question serial=door line="$state" max-age=60s
            on enter=locked serial=door line="$state" max-age=60s

            """
        let firstRun = try startDaemon(lines)
        #expect(try ask(firstRun, "send start rounds=2").hasPrefix("OK"))
        #expect(try ask(firstRun, "send buzz player=ann").hasPrefix("OK"))
        #expect(try ask(firstRun, "undo").hasPrefix("OK"))
        try expectOutputs(firstRun, "its change was undone")
        kill(firstRun)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let secondRun = try startDaemon(lines)
        #expect(secondRun.waitFor("serial door: connected"))
        // The first line is for the start. The second line is for the undo, which enters the state again.
        #expect(tty.nextLine() == "question\n")
        #expect(tty.nextLine() == "question\n")
    }

    @Test func `all outputs, or the outputs of one connection, can be switched off and on`() throws
    {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            on enter=locked serial=door line="$state"
            on enter=question serial=door line="$state"

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let doorOutput = ShellCommand.run("gamectl --socket \"$S\" outputs off door", daemon)
        #expect(doorOutput.contains("off"), "\(doorOutput)")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(daemon, #""withheld":1"#)
        #expect(try ask(daemon, "outputs off nothing").contains("no output uses a connection"))
        #expect(try ask(daemon, "outputs on door").hasPrefix("OK"))
        #expect(try ask(daemon, "send buzz player=ann").hasPrefix("OK"))
        #expect(tty.nextLine() == "locked\n")
        let allOutput = ShellCommand.run("gamectl --socket \"$S\" outputs off", daemon)
        #expect(allOutput.contains("Outputs are off"), "\(allOutput)")
    }

    @Test func `outputs test sends the output of one line and reports the outcome`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            on effect=openDoor serial=door line="$effect $args.number $session"

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let testCommand = "gamectl --socket \"$S\" outputs test"
        #expect(
            ShellCommand.run("\(testCommand) openDoor", daemon)
                == "delivered to serial door: openDoor test main\n")
        #expect(tty.nextLine() == "openDoor test main\n")
        #expect(ShellCommand.run("\(testCommand) 1", daemon).hasPrefix("delivered"))
        #expect(ShellCommand.run("\(testCommand) 2", daemon).contains("no line has the number"))
        tty.unplug()
        #expect(daemon.waitFor("the device is gone"))
        #expect(ShellCommand.run("\(testCommand) 1", daemon).contains("not delivered"))
    }

    @Test func `a refusal causes an output, and a program gets effect and state as JSON`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let program = folder.write(
            "show", "#!/bin/sh\ncat > input.json\nenv > env.txt\npwd > pwd.txt\n", mode: 0o755)
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            on refused serial=door line="late $args.player in $state"
            on effect=* run=\(program)

            """)
        #expect(daemon.waitFor("serial door: connected"))
        #expect(try ask(daemon, "send buzz player=ann").hasPrefix("ERR"))
        #expect(tty.nextLine() == "late ann in lobby\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(daemon, #""delivered":1,"givenUp":0,"withheld":0,"failures":[]}]"#)
        let input = ShellCommand.run("cat \(folder.path)/input.json")
        for words in [
            #""session":"main","flow":"quiz","effect":"ask""#, #""state":"question""#,
            #""data":{"round":1"#, #""seq":2"#, #""id":""#, #""time":""#,
        ] {
            #expect(input.contains(words), "\(input)")
        }
        let environment = ShellCommand.run("cat \(folder.path)/env.txt")
        #expect(!environment.contains("HOME=") && environment.contains("PATH="), "\(environment)")
        #expect(ShellCommand.run("cat \(folder.path)/pwd.txt").contains(folder.path))
    }

    @Test
    func `a program that fails is reported, and the text that it prints is logged up to a limit`()
        throws
    {
        let program = folder.write(
            "fail", "#!/bin/sh\nhead -c 100000 /dev/zero | tr '\\0' x\necho sorry\nexit 3\n",
            mode: 0o755)
        let daemon = try startDaemon("on effect=ask run=\(program) once=yes\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(daemon, "tried once: the program ended with status 3")
        #expect(daemon.waitFor("xxxx"))
        #expect(daemon.output.utf8.count < 20_000)
    }

    @Test func `what a program prints is not logged if the program succeeds`() throws {
        let program = folder.write("chatty", "#!/bin/sh\necho chatter\n", mode: 0o755)
        let daemon = try startDaemon("on effect=ask run=\(program)\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(daemon, #""delivered":1"#)
        #expect(!daemon.output.contains("chatter"))
    }

    @Test
    func `a process that has left the group of its program is killed when the program ends`() throws
    {
        let program = folder.write(
            "leaver",
            """
            #!/bin/sh
            setsid sh -c 'echo $$ > pid.new; mv pid.new pid; trap "" TERM; while :; do sleep 0.1; done' &
            while [ ! -e pid ]; do sleep 0.02; done

            """, mode: 0o755)
        let daemon = try startDaemon("on effect=ask run=\(program)\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        let pid = pidOfEndlessProgram()
        try expectOutputs(daemon, #""delivered":1"#)
        #expect(pid > 1)
        for _ in 0..<600 where isRunning(pid) { usleep(100_000) }
        #expect(!isRunning(pid))
        // No entry of an ended process remains.
        #expect(zombies(childrenOf: "\(daemon.pid)") == "")
    }

    /// The states of the ended children of a process whose end was not read; empty as soon as there are none.
    private func zombies(childrenOf process: String) -> String {
        ShellCommand.run(
            """
            for i in $(seq 600); do
                zombies=$(ps --ppid \(process) -o stat=,comm= | grep ^Z) || break; sleep 0.1
            done; printf %s "$zombies"
            """)
    }

    @Test func `as process 1, the daemon leaves no entries of the processes of its programs`()
        throws
    {
        let program = folder.write(
            "parent", "#!/bin/sh\n(sleep 60 & sleep 60 &)\nsetsid true &\n", mode: 0o755)
        folder.write("gamed.conf", "on effect=ask run=\(program)\n")
        let output = ShellCommand.run(
            """
            cd '\(folder.path)'
            unshare --pid --fork --mount-proc gamed --socket s --config gamed.conf --flow quiz >log 2>&1 &
            until gamectl --socket s ping >/dev/null 2>&1 || ! kill -0 $!; do sleep 0.05; done
            gamectl --socket s send start rounds=2 >/dev/null
            until gamectl --socket s --json outputs | grep -q '"delivered":1'; do sleep 0.05; done
            pgrep -P $!
            """)
        let pid = output.split(separator: "\n").last.map(String.init) ?? ""
        #expect(pid_t(pid) != nil, "\(output)")
        defer { if let pid = pid_t(pid) { Glibc.kill(pid, SIGKILL) } }
        #expect(zombies(childrenOf: pid) == "")
    }

    /// A program that does not end by itself, and ignores SIGTERM. It writes its process id to a file.
    private func endlessProgram() -> String {
        folder.write(
            "endless",
            "#!/bin/sh\ntrap '' TERM\necho $$ > pid.new\nmv pid.new pid\n"
                + "while :; do sleep 0.1; done\n", mode: 0o755)
    }

    /// The process id of the endless program, as soon as it runs.
    private func pidOfEndlessProgram() -> pid_t {
        let text = ShellCommand.run(
            "while [ ! -e '\(folder.path)/pid' ]; do sleep 0.02; done; cat '\(folder.path)/pid'")
        return pid_t(text.prefix { $0 != "\n" }) ?? 0
    }

    /// Whether a process runs. A process that has ended may still have an entry, until its parent has read its status.
    private func isRunning(_ pid: pid_t) -> Bool {
        let state = ShellCommand.run("sed 's/.*) //' /proc/\(pid)/stat 2>/dev/null")
        return !state.isEmpty && !state.hasPrefix("Z")
    }

    @Test func `a program has no descriptors but its standard streams`() throws {
        let program = folder.write("list", "#!/bin/sh\nexec ls /proc/self/fd >fds\n", mode: 0o755)
        let daemon = try startDaemon("on effect=ask run=\(program)\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        try expectOutputs(daemon, #""delivered":1"#)
        // `ls` reads the list with the descriptor 3.
        #expect(folder.text("fds") == "0\n1\n2\n3\n")
    }

    @Test func `a program that ignores SIGTERM ends with the daemon`() throws {
        let daemon = try startDaemon("on effect=ask run=\(endlessProgram())\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        let pid = pidOfEndlessProgram()
        #expect(pid > 1 && isRunning(pid))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(!isRunning(pid))
    }

    @Test func `when the daemon is killed, its programs still have their limit of time`() throws {
        let daemon = try startDaemon("on effect=ask run=\(endlessProgram())\n")
        #expect(try ask(daemon, "send start rounds=2").hasPrefix("OK"))
        let pid = pidOfEndlessProgram()
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        #expect(pid > 1 && isRunning(pid))
        // The program is gone at the latest after the limit of an attempt.
        for _ in 0..<600 where isRunning(pid) { usleep(100_000) }
        #expect(!isRunning(pid))
    }
}
