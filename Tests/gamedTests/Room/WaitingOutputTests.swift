import Connections
import Glibc
import TestSupport
import Testing

/// Outputs that wait while the configuration is read again, or while the daemon restarts.
@Suite struct WaitingOutputTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, flow: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(
            ["--config", path, "--flow", flow, "--state-dir", "\(folder.path)/state"])
    }

    private func kill(_ daemon: DaemonProcess) {
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    /// Asks for the list of outputs until the answer contains these words; returns the last answer.
    private func waitForOutputs(_ daemon: DaemonProcess, until words: String) throws -> String {
        let answer = try Client(daemon.socket).ask("outputs", until: words)
        #expect(answer.contains(words))
        return answer
    }

    /// Creates a program that waits for a line from a pipe. The program then appends the name of the entered state to the file
    /// `seen`. Returns the program's path and the descriptor of the pipe.
    private func makeGatedProgram() throws -> (path: String, gate: Int32) {
        let pipe = "\(folder.path)/gate"
        #expect(mkfifo(pipe, 0o600) == 0)
        let gate = open(pipe, O_RDWR | O_CLOEXEC)
        let path = folder.write(
            "show",
            "#!/bin/sh\nread -r line <gate\nsed 's/.*\"state\":\"\\([a-z]*\\)\".*/\\1/' >>seen\n",
            mode: 0o755)
        return (path, gate)
    }

    @Test
    func
        `SIGHUP gives up the waiting outputs of removed lines, and no outputs of other lines`()
        throws
    {
        let (program, gate) = try makeGatedProgram()
        defer { close(gate) }
        let keptLines = """
            on enter=question run=\(program) max-age=1h
            on enter=reveal run=\(program) max-age=1h

            """
        let removedLine = "on enter=locked run=\(program) max-age=59m\n"
        let firstRun = try startDaemon(keptLines + removedLine, flow: "quiz")
        let client = try Client(firstRun.socket)
        for event in ["start rounds=2", "buzz player=ann", "judge correct=true"] {
            #expect(client.ask("send \(event)").hasPrefix("OK"))
        }
        // All three outputs have the same target. While the program runs for the first output, the other two outputs wait.
        _ = try waitForOutputs(firstRun, until: #""waiting":1"#)
        folder.write("gamed.conf", keptLines)
        firstRun.signal(SIGHUP)
        #expect(firstRun.waitFor("configuration reloaded"))
        #expect(firstRun.waitFor("an output is given up: its line was removed"))
        write(gate, "1\n2\n3\n", 6)
        let response = try waitForOutputs(firstRun, until: #""waiting":0,"delivered":1"#)
        // The answer has an entry, with a text, for each line of the configuration, but not for the removed line.
        #expect(response.ranges(of: #""text":"#).count == 2, "\(response)")
        _ = client.ask("outputs") { $0.ranges(of: #""delivered":1"#).count == 2 }
        #expect(ShellCommand.run("cat '\(folder.path)/seen'") == "question\nreveal\n")
        kill(firstRun)
        // The journal says that the output was given up. So the output is not sent, although the configuration has its line
        // again.
        let secondRun = try startDaemon(keptLines + removedLine, flow: "quiz")
        _ = try waitForOutputs(secondRun, until: #""recovering":false"#)
        #expect(try Client(secondRun.socket).ask("outputs").ranges(of: #""waiting":0"#).count == 3)
        #expect(ShellCommand.run("cat '\(folder.path)/seen'") == "question\nreveal\n")
    }

    @Test func `programs beyond the limit run when others have ended`() throws {
        let (program, gate) = try makeGatedProgram()
        defer { close(gate) }
        let daemon = try startDaemon("on enter=lobby run=\(program) max-age=1h\n", flow: "quiz")
        let client = try Client(daemon.socket)
        #expect(client.ask("hello").contains(#""programs":256"#))
        // Each session is a target of its own. The session `main` is one of them.
        let count = 256 + 2
        for number in 1..<count {
            #expect(client.ask("open @s\(number) flow=quiz").hasPrefix("OK"))
        }
        _ = try waitForOutputs(daemon, until: "256 programs run already")
        let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: count)
        #expect(write(gate, lines, count) == count)
        _ = try waitForOutputs(daemon, until: #""delivered":\#(count)"#)
        #expect(folder.text("seen") == String(repeating: "lobby\n", count: count))
    }

    @Test func `outputs that wait at a restart arrive in order with their old ids`()
        throws
    {
        // targets.py receives requests at two ports, A and B. It answers 503 until it reads a line, and then 200. For each
        // request it writes a line such as `A 503 ID` to the file `received`. At most 1000 outputs can wait for a target.
        // Target A gets 2 * outputsOfB outputs, so outputsOfB is at most 500.
        let outputsOfB = TestLength.count(100, long: 300)
        let receiver = try ChildProcess(
            [
                "\(RepositoryFile.root)/.venv/bin/python",
                "\(RepositoryFile.root)/Tests/gamedTests/Clients/targets.py",
                "\(folder.path)/received", "\(outputsOfB)",
            ], connecting: [0, 2])
        defer { receiver.signal(SIGKILL) }
        #expect(receiver.waitFor("ready\n"))
        let ports = receiver.output.split(whereSeparator: \.isWhitespace).dropFirst().prefix(2)
        let lines = ports.enumerated().map { index, port in
            "on enter=lobby session=\(index == 0 ? "main" : "b") http=http://127.0.0.1:\(port)/ max-age=1h allow-special=yes\n"
        }.joined()
        let firstRun = try startDaemon(lines, flow: "quiz")
        let client = try Client(firstRun.socket)
        // Target A gets the outputs of session main, and target B the outputs of session b. Session main enters the state
        // `lobby` 2 * outputsOfB times, and session b enters it outputsOfB times. The first entry of each is at its opening.
        // `lobby` has no timers.
        try #require(client.ask("open session=b flow=quiz").hasPrefix("OK"))
        for number in 1..<outputsOfB {
            client.write("goto @main lobby\ngoto @b lobby\n")
            // The test reads the replies after every 20 rounds of two requests, and after the last round. Up to 40 requests are
            // in flight, so that a commit has several rows.
            guard number % 20 == 0 || number == outputsOfB - 1 else { continue }
            for _ in 0..<(number % 20 == 0 ? 40 : 2 * ((outputsOfB - 1) % 20)) {
                try #require(client.line()?.hasPrefix("OK") == true)
            }
        }
        for _ in 0..<outputsOfB { try #require(client.ask("goto @main lobby").hasPrefix("OK")) }
        let waiting = try waitForOutputs(firstRun, until: #""waiting":\#(2 * outputsOfB),"#)
        #expect(waiting.contains(#""waiting":\#(outputsOfB),"#), "\(waiting)")
        for prefix in ["A 503 ", "B 503 "] {
            #expect(Wait.until { !requestIDs(prefix).isEmpty })
        }
        kill(firstRun)

        receiver.writeLine("go")
        let secondRun = try startDaemon(lines, flow: "quiz")
        #expect(
            receiver.waitFor("A has \(2 * outputsOfB)") && receiver.waitFor("B has \(outputsOfB)"))
        _ = try waitForOutputs(secondRun, until: #""waiting":0,"delivered":\#(2 * outputsOfB),"#)
        for (target, count) in [("A", 2 * outputsOfB), ("B", outputsOfB)] {
            let attemptedIDs = requestIDs("\(target) 503 ")
            let acceptedIDs = requestIDs("\(target) 200 ")
            // If an answer comes late, the daemon repeats the request. The repetition is the target's next request, and has
            // the same id.
            let uniqueIDs = acceptedIDs.indices
                .filter { $0 == 0 || acceptedIDs[$0] != acceptedIDs[$0 - 1] }
                .map { acceptedIDs[$0] }
            #expect(uniqueIDs.count == count && Set(uniqueIDs).count == count)
            let positions = uniqueIDs.compactMap { Int($0.split(separator: ":")[2]) }
            #expect(positions == positions.sorted() && positions.count == count)
            #expect(
                Set(attemptedIDs) == [uniqueIDs.first ?? ""],
                "the attempts before the restart had the ids \(attemptedIDs)")
            let instance = uniqueIDs.first?.prefix { $0 != ":" } ?? ""
            let session = target == "A" ? "main" : "b"
            #expect(uniqueIDs == positions.map { "\(instance):\(session):\($0):1" })
        }
    }

    /// The ids of the received requests whose lines in the file begin with `prefix`.
    private func requestIDs(_ prefix: String) -> [String] {
        let received = ShellCommand.run("cat '\(folder.path)/received'")
        return received.split(separator: "\n").filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.utf8.count)) }
    }

    @Test
    func
        `outputs for stuck sessions are sent after a restart, also if a session left the state`()
        throws
    {
        let lines = """
            serial door \(folder.path)/tty
            on stuck serial=door line="$session $state" max-age=1h

            """
        let firstRun = try startDaemon(lines, flow: "game")
        let client = try Client(firstRun.socket)
        // Another session visits the state `help` 25 times and is closed. Later visits are compared with these 25 visits.
        #expect(client.ask("open session=other flow=game").hasPrefix("OK"))
        for _ in 0..<25 {
            #expect(client.ask("send @other displayHelp").hasPrefix("OK"))
            #expect(client.ask("send @other dismissHelp").hasPrefix("OK"))
        }
        #expect(client.ask("close @other").hasPrefix("OK"))
        for name in ["stays", "leaves"] {
            #expect(client.ask("open session=\(name) flow=game state=help").hasPrefix("OK"))
            #expect(client.ask("status @\(name)", until: #""stuck":true"#).hasPrefix("OK"))
        }
        #expect(client.ask("send @leaves dismissHelp").hasPrefix("OK"))
        kill(firstRun)
        // No change of a session causes these outputs, so the journal has a separate record that an output was accepted.
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        #expect(exported.contains(#""outcome":"accepted","session":"stays""#), "\(exported)")

        let tty = try SerialPort(link: "\(folder.path)/tty")
        let secondRun = try startDaemon(lines, flow: "game")
        #expect(secondRun.waitFor("serial door: connected"))
        var receivedLines: Set<String> = []
        for _ in 0..<50 where !receivedLines.isSuperset(of: ["stays help\n", "leaves help\n"]) {
            let line = tty.nextLine()
            if line.isEmpty { break }
            receivedLines.insert(line)
        }
        #expect(
            receivedLines.isSuperset(of: ["stays help\n", "leaves help\n"]), "\(receivedLines)")
        _ = try waitForOutputs(secondRun, until: #""waiting":0"#)
        // The reply is sent when its own row is durable. The records of the deliveries were written before that row.
        #expect(try Client(secondRun.socket).ask("label @stays a=b").hasPrefix("OK"))
        kill(secondRun)
        let exportedAgain = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        let deliveryRecord = exportedAgain.split(separator: "\n").last {
            $0.contains(#""outcome":"delivered""#)
        }
        #expect(deliveryRecord != nil, "\(exportedAgain.suffix(2000))")
    }
}
