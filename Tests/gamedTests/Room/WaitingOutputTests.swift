import Glibc
import TestSupport
import Testing

/// Outputs that wait while the configuration is read again, and over restarts.
@Suite struct WaitingOutputTests {
    private let folder = Folder()

    private func daemon(_ lines: String, flow: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(
            ["--config", path, "--flow", flow, "--state-dir", "\(folder.path)/state"])
    }

    private func kill(_ daemon: DaemonProcess) {
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    /// Asks for the outputs until the answer has these words; returns the last answer.
    private func outputs(_ daemon: DaemonProcess, until words: String) throws -> String {
        let answer = try Client(daemon.socket).ask("outputs", until: words)
        #expect(answer.contains(words))
        return answer
    }

    /// A program that waits for a line from a pipe, and then appends the name of the entered state to the file `seen`.
    private func gatedProgram() throws -> (path: String, gate: Int32) {
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
        `after SIGHUP, waiting outputs of kept lines are delivered, and those of removed lines are given up`()
        throws
    {
        let (program, gate) = try gatedProgram()
        defer { close(gate) }
        let staying = """
            on enter=question run=\(program) max-age=1h
            on enter=reveal run=\(program) max-age=1h

            """
        let removed = "on enter=locked run=\(program) max-age=59m\n"
        let first = try daemon(staying + removed, flow: "quiz")
        let client = try Client(first.socket)
        for event in ["start rounds=2", "buzz player=ann", "judge correct=true"] {
            #expect(client.ask("send \(event)").hasPrefix("OK"))
        }
        // The program runs for the first line, and the two others wait behind it.
        _ = try outputs(first, until: #""waiting":1"#)
        folder.write("gamed.conf", staying)
        first.signal(SIGHUP)
        #expect(first.waitFor("configuration reloaded"))
        #expect(first.waitFor("an output is given up: its line was removed"))
        write(gate, "1\n2\n3\n", 6)
        let response = try outputs(first, until: #""waiting":0,"delivered":1"#)
        // One entry, with its text, for each line of the configuration; the removed line has none.
        #expect(response.ranges(of: #""text":"#).count == 2, "\(response)")
        _ = client.ask("outputs") { $0.ranges(of: #""delivered":1"#).count == 2 }
        #expect(ShellCommand.run("cat '\(folder.path)/seen'") == "question\nreveal\n")
        kill(first)
        // The journal says that the output was given up, so it is not sent although the configuration has its line again.
        let second = try daemon(staying + removed, flow: "quiz")
        _ = try outputs(second, until: #""recovering":false"#)
        #expect(try Client(second.socket).ask("outputs").ranges(of: #""waiting":0"#).count == 3)
        #expect(ShellCommand.run("cat '\(folder.path)/seen'") == "question\nreveal\n")
    }

    @Test func `outputs that wait at a restart arrive in order with their old ids`()
        throws
    {
        // targets.py receives requests at two ports, A and B. It answers 503 until it reads a line, and then 200, and writes
        // `A 503 ID` or `A 200 ID` to the file for each request. A target takes at most a thousand waiting outputs.
        let half = TestLength.count(100, long: 500)
        let receiver = try ChildProcess(
            [
                "\(RepositoryFile.root)/.venv/bin/python",
                "\(RepositoryFile.root)/Tests/gamedTests/Clients/targets.py",
                "\(folder.path)/received", "\(half)",
            ], [], connecting: [0, 2])
        defer { receiver.signal(SIGKILL) }
        #expect(receiver.waitFor("ready\n"))
        let ports = receiver.output.split(whereSeparator: \.isWhitespace).dropFirst().prefix(2)
        let lines = ports.enumerated().map { index, port in
            "on enter=lobby session=\(index == 0 ? "main" : "b") http=http://127.0.0.1:\(port)/ max-age=1h allow-special=yes\n"
        }.joined()
        let first = try daemon(lines, flow: "quiz")
        let client = try Client(first.socket)
        // Session main enters `lobby`, which has no timers, 2 * half times and session b half times, with the openings.
        try #require(client.ask("open session=b flow=quiz").hasPrefix("OK"))
        for number in 1..<half {
            client.write("goto @main lobby\ngoto @b lobby\n")
            // The replies are read after 20 rounds of two requests, and after the last one: with up to 40 requests in flight,
            // a commit has several rows.
            guard number % 20 == 0 || number == half - 1 else { continue }
            for _ in 0..<(number % 20 == 0 ? 40 : 2 * ((half - 1) % 20)) {
                try #require(client.line()?.hasPrefix("OK") == true)
            }
        }
        for _ in 0..<half { try #require(client.ask("goto @main lobby").hasPrefix("OK")) }
        let waiting = try outputs(first, until: #""waiting":\#(2 * half),"#)
        #expect(waiting.contains(#""waiting":\#(half),"#), "\(waiting)")
        for prefix in ["A 503 ", "B 503 "] {
            #expect(Wait.until { !ids(prefix).isEmpty })
        }
        kill(first)

        receiver.writeLine("go")
        let second = try daemon(lines, flow: "quiz")
        #expect(receiver.waitFor("A has \(2 * half)") && receiver.waitFor("B has \(half)"))
        _ = try outputs(second, until: #""waiting":0,"delivered":\#(2 * half),"#)
        for (target, count) in [("A", 2 * half), ("B", half)] {
            let old = ids("\(target) 503 ")
            let arrived = ids("\(target) 200 ")
            // An answer that comes late may cause a repetition, which follows with the same id.
            let unique = arrived.indices.filter { $0 == 0 || arrived[$0] != arrived[$0 - 1] }
                .map { arrived[$0] }
            #expect(unique.count == count && Set(unique).count == count)
            let positions = unique.compactMap { Int($0.split(separator: ":")[2]) }
            #expect(positions == positions.sorted() && positions.count == count)
            #expect(Set(old) == [unique.first ?? ""], "the first attempts had the id \(old)")
            let instance = unique.first?.prefix { $0 != ":" } ?? ""
            let session = target == "A" ? "main" : "b"
            #expect(unique == positions.map { "\(instance):\(session):\($0):1" })
        }
    }

    /// The ids of the received requests whose lines in the file begin with `prefix`.
    private func ids(_ prefix: String) -> [String] {
        let received = ShellCommand.run("cat '\(folder.path)/received'")
        return received.split(separator: "\n").filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.utf8.count)) }
    }

    @Test
    func
        `waiting outputs of stuck sessions are sent after a restart, also if the session is no longer stuck`()
        throws
    {
        let lines = """
            serial door \(folder.path)/tty
            on stuck serial=door line="$session $state" max-age=1h

            """
        let first = try daemon(lines, flow: "game")
        let client = try Client(first.socket)
        // Another session visits the state `help` 25 times and is closed; later visits are compared with these.
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
        kill(first)
        // No change of the session causes the output, so the journal has a record of its own that it was accepted.
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        #expect(exported.contains(#""outcome":"accepted","session":"stays""#), "\(exported)")

        let tty = try SerialPort(link: "\(folder.path)/tty")
        let second = try daemon(lines, flow: "game")
        #expect(second.waitFor("serial door: connected"))
        var arrived: Set<String> = []
        for _ in 0..<50 where !arrived.isSuperset(of: ["stays help\n", "leaves help\n"]) {
            let line = tty.line()
            if line.isEmpty { break }
            arrived.insert(line)
        }
        #expect(arrived.isSuperset(of: ["stays help\n", "leaves help\n"]), "\(arrived)")
        _ = try outputs(second, until: #""waiting":0"#)
        // This reply is sent when its row is durable. The records of the deliveries were written before that row.
        #expect(try Client(second.socket).ask("label @stays a=b").hasPrefix("OK"))
        kill(second)
        let again = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        let line = again.split(separator: "\n").last { $0.contains(#""outcome":"delivered""#) }
        #expect(line != nil, "\(again.suffix(2000))")
    }
}
