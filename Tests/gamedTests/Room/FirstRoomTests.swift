import TestSupport
import Testing

/// A tour of docs/first-room.md: from an empty folder to a played room of three puzzles. The files, the lines of the configuration and the
/// commands are those of the page. Stand-ins replace the two boards.
@Suite struct FirstRoomTests {
    /// The computer of the page: a shell whose home folder is empty. Addresses that other tests may use are replaced.
    private final class Computer {
        let folder = Folder()
        private let shell: ChildProcess
        private let replacements: [(old: String, new: String)]
        private var commandCount = 0

        init(_ replacements: [(String, String)]) throws {
            self.replacements = replacements.map { (old: $0.0, new: $0.1) }
            shell = try ChildProcess(
                ["/bin/bash"],
                environment: [
                    "HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)", "TZ=UTC",
                    "PATH=\(DaemonProcess.programDirectory):/usr/bin:/bin",
                ], connecting: [0, 1, 2])
        }

        deinit {
            run("kill $(jobs -p); wait")
        }

        private func replaced(_ text: String) -> String {
            replacements.reduce(text) { $0.replacing($1.old, with: $1.new) }
        }

        /// Runs a command of the page, and returns its output.
        @discardableResult func run(_ command: String) -> String {
            let start = shell.output.count
            commandCount += 1
            shell.writeLine(replaced(command))
            shell.writeLine("echo end of command \(commandCount)")
            guard shell.waitFor("end of command \(commandCount)\n") else { return "no answer" }
            return String(shell.output.dropFirst(start))
        }

        /// Adds lines to the configuration.
        func configure(_ block: CodeBlock) {
            let old = folder.text("room/gamed.conf")
            folder.write(
                "room/gamed.conf", old + replaced(block.lines.joined(separator: "\n")) + "\n")
        }

        /// Repeats a command until its output contains `words`.
        func expect(_ words: String, from command: String) {
            var output = ""
            #expect(
                Wait.until {
                    output = run(command)
                    return output.contains(words)
                }, "\(command): \(output)")
        }
    }

    /// The blocks of sections 1 and 2 of the page that are in a language; the configuration is in none.
    private func blocks(_ language: String) -> [CodeBlock] {
        let page = RepositoryFile.text("docs/first-room.md")
        let sections = page.prefix(
            upTo: page.firstRange(of: "\n## 3. ")?.lowerBound ?? page.startIndex)
        return CodeBlock.blocks(of: String(sections)).filter { $0.language == language }
    }

    /// A command without the comment behind it.
    private func withoutComment(_ line: String) -> String {
        line.firstRange(of: "  #").map { String(line[..<$0.lowerBound]) } ?? line
    }

    /// The text in quotation marks behind `start` in the program of the Arduino.
    private func text(in program: CodeBlock, after start: String) throws -> String {
        let code = program.lines.joined()
        let begin = try #require(code.firstRange(of: start)?.upperBound)
        return String(code[begin...].prefix { $0 != "\"" })
    }

    @Test func `the first room is built and played as its page says`() throws {
        let (webPort, brokerPort) = (LoopbackPort.findUnused(), LoopbackPort.findUnused())
        let devices = Folder()
        let board = try SerialPort(link: "\(devices.path)/board")
        let broker = try ChildProcess.startMosquitto("-p", "\(brokerPort)")
        defer { broker.signal(15) }
        let computer = try Computer([
            ("PATH/Examples", "\(RepositoryFile.root)/Examples"),
            ("http 0.0.0.0:8080", "http 127.0.0.1:\(webPort)"),
            ("/dev/serial/by-id/usb-Arduino_Uno-if00", "\(devices.path)/board"),
            ("127.0.0.1:1883", "127.0.0.1:\(brokerPort)"), ("-p 1883", "-p \(brokerPort)"),
            // A late line of the log would be among the output of the next command.
            ("gamed --config gamed.conf &", "gamed --config gamed.conf 2>log &"),
        ])
        let commands = blocks("sh").map { $0.lines.map(withoutComment) }
        let configuration = blocks("")
        let sketch = try #require(blocks("cpp").first)
        let (press, open) = (
            try text(in: sketch, after: "println(\""), try text(in: sketch, after: "== \"")
        )
        try #require(commands.map(\.count) == [2, 3, 7, 1, 2, 3] && configuration.count == 4)

        // 1. Without devices.
        for command in commands[0] { computer.run(command) }
        computer.configure(configuration[0])
        #expect(computer.run("\(commands[1][0]) && echo no mistake").contains("no mistake"))
        computer.run(commands[1][1])
        computer.expect("vault", from: "gamectl list")
        #expect(computer.run(commands[1][2]).split(separator: "\n")[0].count >= 26)
        for path in ["", "play/vault"] {
            let page = computer.run(
                "curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:\(webPort)/\(path)")
            #expect(page.hasPrefix("200\n"), "\(path): \(page)")
        }
        let game = commands[2]
        for command in game.dropLast() { computer.run("\(command) || echo refused") }
        let status = computer.run(try #require(game.last))
        #expect(status.contains("won") && !status.contains("refused"), "\(status)")

        // 2. The button and the lock at the Arduino.
        computer.configure(configuration[1])
        computer.run("gamectl reload")
        computer.expect("up", from: "gamectl sources props")
        computer.run("\(commands[3][0]) >watched 2>&1 & watching=$!")
        // The program watches when it has read the present state, so the first press may be earlier.
        #expect(
            Wait.until {
                board.write(press + "\n")
                return computer.run("cat watched").contains(press)
            })
        computer.run("kill $watching")
        computer.configure(configuration[2])
        computer.run("gamectl reload")
        _ = board.readAvailable()
        computer.run(commands[4][0])
        #expect(board.nextLine() == open + "\n")
        #expect(computer.run(commands[4][1]).contains("solve"))

        // The laser's board, over the network.
        computer.configure(configuration[3])
        computer.run(commands[5][0])
        computer.expect("up", from: "gamectl sources hall")
        computer.run(commands[5][1])
        computer.expect("solve", from: commands[5][2])

        // The whole game with the devices.
        #expect(!computer.run("gamectl open @vault again=true").contains("error"))
        for command in game.prefix(4) { computer.run(command) }
        board.write(press + "\n")
        computer.expect("bookcase", from: "gamectl --json status @vault")
        computer.run(commands[5][1])
        computer.expect("won", from: "gamectl status @vault")
        #expect(board.nextLine() == open + "\n")
        #expect(
            computer.run("gamed --check --config gamed.conf && echo no mistake").contains(
                "no mistake"))
    }
}
