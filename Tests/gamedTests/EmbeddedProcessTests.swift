import EventLoop
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The program `embed`, in which the daemon is a guest: it must leave to the program what belongs to the whole process.
@Suite struct EmbeddedProcessTests {
    private let folder = Folder()

    private var socket: String { "\(folder.path)/s" }

    /// Starts the program with the daemon's options, and waits until its output contains `words`. A `launcher` is a command to which
    /// the command line is appended.
    private func start(
        _ options: [String], _ environment: [String] = [], by launcher: [String] = [],
        until words: String = "listens at"
    ) throws -> ChildProcess {
        let program = try ChildProcess(
            launcher + ["\(DaemonProcess.programDirectory)/embed", "--socket", socket] + options,
            environment: environment, connecting: [0, 1, 2])
        _ = program.waitFor(words)
        return program
    }

    /// Ends the daemon, and returns the whole output of the program.
    private func end(_ program: ChildProcess) -> String {
        program.writeLine("end")
        let output = program.outputUntilEnd()
        #expect(program.waitForEnd() == 0, "\(output)")
        return output
    }

    /// The lines of an output that begin with a word, without the word.
    private func lines(_ word: String, of output: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix("\(word) ") }.map {
            String($0.dropFirst(word.count + 1))
        }
    }

    @Test func `signals, umask, directory, environment and children stay the program's`() throws {
        let script = folder.write(
            "run.sh", "#!/bin/sh\necho >>'\(folder.path)/runs'\n", mode: 0o755)
        let configuration = folder.write(
            "gamed.conf",
            "on enter=help run=\(script)\nhttp unix:\(folder.path)/web\nhttp-mode 0666\n")
        let program = try start(
            ["--config", configuration, "--state-dir", "\(folder.path)/state"],
            by: ["/bin/sh", "-c", #"umask 077; exec "$@""#, "sh"])
        #expect(ShellCommand.run("stat -c %a '\(socket)' '\(folder.path)/web'") == "660\n666\n")
        // The program starts a child after a first output of the daemon, and the child lives on after a second one.
        let client = try Client(socket)
        #expect(client.ask("send displayHelp").hasPrefix("OK "))
        #expect(Wait.until { folder.text("runs") == "\n" })
        program.writeLine("child")
        #expect(program.waitFor("child started"))
        #expect(client.ask("send dismissHelp").hasPrefix("OK "))
        #expect(client.ask("send displayHelp").hasPrefix("OK "))
        #expect(Wait.until { folder.text("runs") == "\n\n" })
        // Clients that do not read their answers: SIGPIPE does not end the program.
        for _ in 0..<20 { try Client(socket).write(String(repeating: "status\n", count: 1000)) }
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
        let output = end(program)
        #expect(output.contains("\nreturned\n"), "\(output)")
        #expect(lines("call", of: output) == [], "\(output)")
        #expect(lines("lost", of: output) == [], "\(output)")
    }

    @Test func `the service manager hears nothing, and sockets of the program stay unused`() throws
    {
        let path = "\(folder.path)/notify.sock"
        let manager = try NotifySocket(path)
        let launcher = [
            "/usr/bin/python3", "\(RepositoryFile.root)/Tests/gamedTests/Clients/activate.py",
            "unix=\(folder.path)/passed", "--",
        ]
        let host =
            "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 1...254)).\(UInt8.random(in: 1...254))"
        let program = try start(
            ["--http", "\(host):8080"], ["NOTIFY_SOCKET=\(path)", "WATCHDOG_USEC=20000"],
            by: launcher)
        #expect(try Client(socket).ask("ping") == #"OK {"pong":true}"#)
        let output = end(program)
        #expect(output.contains("\nreturned\n"), "\(output)")
        #expect(lines("call", of: output) == [], "\(output)")
        #expect(!output.contains("from the service manager"), "\(output)")
        let sent = ShellCommand.run(
            "python3 -c 'import socket; socket.socket(1, 2).sendto(b\"first\", \"\(path)\")'")
        #expect(manager.nextMessage() == "first", "\(sent)")
    }

    @Test func `a start that waits for its database ends when the task is cancelled`() throws {
        let program = try start(
            ["--store", "postgresql://nobody@127.0.0.1:1/none"], until: "no connection to the store"
        )
        let output = end(program)
        #expect(output.contains("\nreturned\n"), "\(output)")
        #expect(lines("call", of: output) == [], "\(output)")
    }

    @Test(.enabled(if: PostgresServer.absence == nil))
    func `a node with a database ends when the task is cancelled`() throws {
        let server = PostgresServer.shared
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let program = try start(["--store", url, "--node", "a"])
        #expect(try Client(socket).ask("send displayHelp").hasPrefix("OK "))
        let output = end(program)
        #expect(output.contains("\nreturned\n"), "\(output)")
        #expect(lines("call", of: output) == [], "\(output)")
        let next = try start(["--store", url, "--node", "a"])
        #expect(try Client(socket).ask("status").contains(#""state":"help""#))
        #expect(end(next).contains("\nreturned\n"))
    }

    // MARK: errors

    /// Starts the program `embed` and the program gamed with the same options, and expects that both say the same.
    private func expectSame(_ options: [String], _ beginning: String) throws {
        let embedded = try start(options, until: "threw").outputUntilEnd()
        let daemon = try DaemonProcess(options, socket: socket, until: "\n\n")
        daemon.waitForEnd()
        let sentences = lines("threw", of: embedded)
        #expect(sentences.first?.hasPrefix(beginning) == true, "\(embedded)")
        for sentence in sentences {
            #expect(daemon.output.contains(" \(sentence)\n"), "\(daemon.output)")
        }
    }

    @Test func `the error of a damaged journal names the journal and what helps`() throws {
        let state = "\(folder.path)/state"
        mkdir(state, 0o700)
        _ = folder.write("state/journal.db", String(repeating: "no journal", count: 1000))
        try expectSame(["--state-dir", state], "the journal in \(state): ")
    }

    @Test func `the error of a state directory names the directory`() throws {
        let file = folder.write("file", "")
        try expectSame(["--state-dir", file], "the state directory \(file): ")
    }

    @Test(.enabled(if: PostgresServer.absence == nil))
    func `the error of a store says that it is the store's`() throws {
        let server = PostgresServer.shared
        let url = server.url(server.makeDatabase())
        try expectSame(["--store", url, "--node", "a"], "the store: ")
    }
}
