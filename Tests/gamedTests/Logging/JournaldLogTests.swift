import Glibc
import Parts
import PostgresTestSupport
import TestSupport
import Testing

/// Entries for journald.
@Suite struct JournaldLogTests {
    @Test func `an entry has the fields of journald, and its own fields in capitals`() {
        #expect(
            JournaldLog.fields(of: .sample) == [
                "MESSAGE=token:hall has reached\\u001b[2J the \"limit\"\\u000arequests",
                "PRIORITY=4", "KIND=limited", "CODE_FILE=Module/File.swift", "CODE_LINE=12",
                "CODE_FUNC=report()", "SOURCE=token:hall", "TOKEN=hall",
            ])
    }

    /// A program that takes the place of journald: it prints the datagrams at a socket, until one of them has a text.
    private static let journald = """
        import socket, sys
        journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        journal.bind('/run/systemd/journal/socket')
        print('ready', flush=True)
        text = ''
        while sys.argv[1] not in text:
            text = journal.recv(65536).decode()
            print(text, flush=True)
        """

    /// Runs a shell command in a space of mounts of its own, with a socket in the place of journald's. Returns what arrived at the
    /// socket up to the first entry that contains `last`, and the output of the command.
    private func run(_ command: String, upTo last: String) -> String {
        let folder = Folder()
        let program = folder.write("journald.py", Self.journald)
        let script = folder.write(
            "run.sh",
            """
            mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal && mkfifo \(folder.path)/ready
            timeout 60 python3 \(program) '\(last)' >\(folder.path)/ready & reader=$!
            exec 3<\(folder.path)/ready
            read -r line <&3
            \(command)
            cat <&3
            wait $reader
            """)
        return ShellCommand.run("unshare --user --map-root-user --mount sh \(script) 2>&1")
    }

    @Test func `journald gets the entries with their fields, and standard error gets nothing`() {
        let output = run(
            """
            gamed --log-format journal --log-level debug --socket /run/s 2>/run/errors &
            while read -r line <&3; do case $line in *'listens at'*) break ;; esac; done
            gamectl --socket /run/s send displayHelp >/dev/null
            kill $!
            cat /run/errors
            """, upTo: "MESSAGE=ended")
        #expect(
            output.contains("MESSAGE=session main: displayHelp: introduction to help\n"),
            "\(output)")
        #expect(output.contains("\nKIND=transition\n") && output.contains("\nPRIORITY=7\n"))
        #expect(output.contains("\nSESSION=main\nEVENT=displayHelp\nSTATE=help\nFLOW=game\n"))
        #expect(output.contains("\nCODE_FILE=Shards/TransitionLog.swift\n"))
        #expect(output.contains("\nSYSLOG_IDENTIFIER=gamed\n"))
        #expect(!output.contains("[start]"), "\(output)")
    }

    @Test(.enabled(if: PostgresServer.absence == nil))
    func `lines about shards have the name of the node`() throws {
        let server = PostgresServer.shared
        // A test of root runs the server as another user, who does not exist in the namespace of the daemon.
        chmod(server.folder, 0o711)
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let output = run(
            """
            gamed --log-format journal --socket /run/s --store '\(url)' --node hall 2>/run/errors &
            while read -r line <&3; do echo "$line"; case $line in KIND=shard) break ;; esac; done
            while read -r line <&3; do echo "$line"; case $line in '') break ;; esac; done
            kill $!
            cat /run/errors
            """, upTo: "MESSAGE=ended")
        let entries = output.split(separator: "\n\n").map { $0.split(separator: "\n") }
        let shards = entries.filter { $0.contains("KIND=shard") }
        #expect(!shards.isEmpty && shards.allSatisfy { $0.contains("NODE=hall") }, "\(output)")
        // A line that is about no node has no such field.
        let started = entries.filter { $0.contains("KIND=start") }
        #expect(!started.isEmpty)
        #expect(started.allSatisfy { !$0.contains { $0.hasPrefix("NODE=") } }, "\(output)")
    }

    @Test func `the daemon logs to journald by itself if journald reads standard error`() {
        let command = """
            exec 2>/run/errors
            export JOURNAL_STREAM=$(stat -L -c %d:%i /run/errors)
            gamed --socket /run/s &
            while read -r line <&3; do case $line in *'listens at'*) break ;; esac; done
            kill $!
            wait $!
            cat /run/errors
            """
        let output = run(command, upTo: "MESSAGE=ended")
        #expect(output.contains("MESSAGE=ended"), "\(output)")
        #expect(output.contains("\nSYSLOG_IDENTIFIER=gamed\n"), "\(output)")
        #expect(!output.contains("[start]") && !output.contains("<6>"), "\(output)")
    }

    @Test func `the daemon does not start if it must log to journald and journald does not run`() {
        let output = ShellCommand.run(
            "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs tmpfs /run && gamed --log-format journal --socket /run/s'; echo $?"
        )
        #expect(
            output.hasSuffix(
                " --log-format journal: journald does not listen at /run/systemd/journal/socket\n1\n"
            ),
            "\(output)")
    }
}
