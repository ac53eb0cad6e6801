import Connections
import Glibc
import Journal
import SQLiteStore
import Testing
import Timers

/// The daemon with a state directory.
@Suite struct StateDirectoryTests {
    private let folder = StateFolder()
    private let backupFolder = StateFolder()

    /// Starts a daemon with the state directory `folder`. No file that the daemon writes can grow beyond `fileSize` bytes.
    private func start(_ options: [String] = [], fileSize: Int? = nil) throws -> DaemonProcess {
        try DaemonProcess(
            ["--clock", "virtual", "--state-dir", folder.path] + options, fileSize: fileSize)
    }

    /// Sends requests to a daemon, one after the other, and returns the last answer.
    @discardableResult private func ask(_ lines: String..., to daemon: DaemonProcess) throws
        -> String
    {
        let client = try Client(daemon.socket)
        return lines.map { client.ask($0) }.last ?? ""
    }

    @Test(arguments: [Int64.min, -1_000_000_000, .max])
    func `a row with an impossible instant quarantines only its session`(
        _ instant: Int64
    ) throws {
        let firstDaemon = try start()
        try ask("send startPlaying", "open session=q flow=quiz", to: firstDaemon)
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        try folder.rewriteTimes { $0.session == "main" && $0.seq == 2 ? instant : $0.atNs }
        let check = ShellCommand.run("gamectl journal check \(folder.path); echo $?")
        #expect(check.contains("its numbers are out of range") && check.hasSuffix("6\n"))
        #expect(ShellCommand.run("gamectl replay \(folder.path); echo $?").hasSuffix("6\n"))
        #expect(ShellCommand.run("gamectl journal export \(folder.path) | wc -l") == "4\n")
        let secondDaemon = try start()
        #expect(
            secondDaemon.output.contains(
                "session main is quarantined: row 3: its numbers are out of range; "),
            "\(secondDaemon.output)")
        #expect(try ask("status session=q", to: secondDaemon).hasPrefix("OK "))
        secondDaemon.signal(SIGTERM)
        #expect(secondDaemon.waitForEnd() == 0)
    }

    @Test func `a daemon killed during a game continues where it was`() throws {
        let firstDaemon = try start()
        let statusBefore = try ask(
            "send startPlaying", "send id=k1 chooseEpisode episode=2", "send chooseLevel level=3",
            "open session=q flow=quiz", "advance 10s", "status", to: firstDaemon)
        #expect(statusBefore.contains(#""remainingMs":80000"#))
        let helloAnswer = try ask("hello", to: firstDaemon)
        firstDaemon.signal(SIGKILL)
        firstDaemon.waitForEnd()
        let secondDaemon = try start()
        #expect(try ask("status", to: secondDaemon) == statusBefore)
        #expect(try ask("hello", to: secondDaemon) == helloAnswer)
        #expect(secondDaemon.output.contains("2 sessions restored"), "\(secondDaemon.output)")
        #expect(try ask("send id=k1 returnHome", to: secondDaemon).contains(#""seq":3,"pos":3"#))
        #expect(
            try ask("advance 80s", to: secondDaemon).contains(#""fires":"timeUp","atMs":90000"#))
        let history = try ask("history limit=3", to: secondDaemon)
        #expect(history.contains(#""seq":5"#) && history.contains(#""seq":3"#))
        #expect(history.contains(#""more":true,"next":{"before":3}"#))
    }

    @Test func `refusals are recorded if the option is set`() throws {
        let firstDaemon = try start(["--audit", "refusals"])
        try ask("send pause", "send resume", "send displayHelp", to: firstDaemon)
        firstDaemon.signal(SIGTERM)
        #expect(firstDaemon.waitForEnd() == 0)
        let secondDaemon = try start(["--audit", "refusals"])
        // The first four letters of each kind. `history` has the kinds of records and of sources; only the kinds of records are
        // compared.
        let kinds = try ask("history", to: secondDaemon).textsAfter("\"kind\":\"")
            .map { $0.prefix(4) }
        #expect(
            kinds.filter { ["ente", "refu", "open"].contains($0) } == [
                "ente", "refu", "refu", "open",
            ])
        let page = try ask("history limit=2", to: secondDaemon)
        #expect(page.contains(#""more":true,"next":{"before":2,"refusal":"#), "\(page)")
    }

    @Test func `a journal that is in use, or was written with another clock, is an error`() throws {
        let firstDaemon = try start()
        let secondDaemon = try start()
        #expect(secondDaemon.waitForEnd() == 1)
        #expect(secondDaemon.output.contains("another gamed is using it"), "\(secondDaemon.output)")
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        let realClockDaemon = try DaemonProcess(["--state-dir", folder.path])
        #expect(realClockDaemon.waitForEnd() == 1)
        #expect(
            realClockDaemon.output.contains("its journal was written with the virtual clock"),
            "\(realClockDaemon.output)")
    }

    @Test(arguments: ["journal.mark", "journal.lock", "journal.db", "tokens"])
    func `a pipe in place of a file is an error, and the daemon does not wait for the pipe`(
        _ name: String
    ) throws {
        mkfifo("\(folder.path)/\(name)", 0o600)
        let daemon = try start()
        #expect(daemon.waitForEnd() == 1)
        #expect(daemon.output.contains("\(name)") && daemon.output.contains("not a regular file"))
    }

    @Test func `only the damaged session is quarantined, and it keeps its name until it is closed`()
        throws
    {
        let firstDaemon = try start()
        try ask("open session=q flow=quiz", "send displayHelp", to: firstDaemon)
        firstDaemon.signal(SIGKILL)
        firstDaemon.waitForEnd()
        try folder.corruptRows { row in
            guard row.session == "main" else { return row.body }
            var body = row.body
            body[body.count / 2] ^= 4
            return body
        }
        let secondDaemon = try start()
        #expect(
            secondDaemon.output.contains(
                "session main is quarantined: row 2: its checksum is wrong"))
        let refused =
            #"ERR storage {"why":"main could not be restored after the restart: row 2: its checksum is wrong; `gamectl close @main` discards it","outcome":"undone"}"#
        for line in ["status", "send displayHelp", "open session=main flow=game"] {
            #expect(try ask(line, to: secondDaemon) == refused)
        }
        #expect(try ask("status session=q", to: secondDaemon).hasPrefix("OK"))
        // The daemon's positions continue after the positions of the quarantined session.
        #expect(try ask("send @q start rounds=1", to: secondDaemon).contains(#""seq":2,"pos":4,"#))
        #expect(try ask("close session=main", to: secondDaemon).contains(#""quarantined":"row 2"#))
        #expect(try ask("open session=main flow=game", to: secondDaemon).contains(#""seq":1"#))
        secondDaemon.signal(SIGKILL)
        secondDaemon.waitForEnd()
        let thirdDaemon = try start()
        #expect(try ask("status", to: thirdDaemon).contains(#""state":"introduction""#))
        #expect(!thirdDaemon.output.contains("quarantined"))
        #expect(try folder.rowsAfterEnd(of: thirdDaemon).count { $0.session == "main" } == 4)
    }

    @Test func `a shortened journal is noticed`() throws {
        let firstDaemon = try start()
        let helloAnswer = try ask("send displayHelp", "send dismissHelp", "hello", to: firstDaemon)
        // The id of an instance has 16 digits and two quotation marks.
        let instance = helloAnswer.textsAfter("\"instance\":")[0].prefix(18)
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        do { try JournalFile(folder.path).removeRows(after: 3) }
        let secondDaemon = try start()
        #expect(secondDaemon.waitForEnd() == 1)
        #expect(
            secondDaemon.output.contains("the journal ends at row 3, but had reached row 4"),
            "\(secondDaemon.output)")
        let thirdDaemon = try start(["--accept-loss"])
        #expect(try ask("status", to: thirdDaemon).contains(#""state":"help""#))
        // Clients have seen positions that the daemon will use again, so the daemon has another instance id.
        #expect(
            try ask("hello", to: thirdDaemon).textsAfter("\"instance\":")[0].prefix(18) != instance)
        thirdDaemon.signal(SIGTERM)
        thirdDaemon.waitForEnd()
        #expect(try ask("ping", to: start()) == #"OK {"pong":true}"#)
    }

    @Test(arguments: [3, 0])
    func `a loss that was accepted is no loss after a kill`(_ keptRows: Int) throws {
        let firstDaemon = try start()
        for _ in 0..<10 { _ = try ask("send displayHelp", "send dismissHelp", to: firstDaemon) }
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        if keptRows > 0 {
            try JournalFile(folder.path).removeRows(after: keptRows)
        } else {
            unlink("\(folder.path)/journal.db")
        }
        let secondDaemon = try start(["--accept-loss"])
        #expect(try ask("ping", to: secondDaemon) == #"OK {"pong":true}"#)
        secondDaemon.signal(SIGKILL)
        secondDaemon.waitForEnd()
        #expect(try ask("ping", to: start()) == #"OK {"pong":true}"#)
    }

    @Test func `the state directory of systemd is used`() throws {
        let daemon = try DaemonProcess(
            ["--clock", "virtual"], environment: ["STATE_DIRECTORY=\(folder.path)"])
        #expect(daemon.output.contains("a new journal was created in \(folder.path)"))
    }

    @Test func `the first start says that the journal is new, and later ones do not`() throws {
        let first = try start()
        #expect(first.output.contains("a new journal was created in \(folder.path)"))
        first.signal(SIGTERM)
        first.waitForEnd()
        let second = try start()
        #expect(second.output.contains("; journal in \(folder.path)"))
        #expect(second.output.contains("restored; down for 0 seconds;"), "\(second.output)")
    }

    @Test func `a damaged journal names the ways back`() throws {
        let first = try start()
        first.signal(SIGTERM)
        first.waitForEnd()
        let output = ShellCommand.run(
            "dd if=/dev/urandom of='\(folder.path)/journal.db' bs=1 seek=100 count=9000 conv=notrunc 2>/dev/null; "
                + "gamed --socket '\(folder.path)/s' --state-dir '\(folder.path)'; echo $?")
        #expect(output.contains("`gamectl restore FILE \(folder.path)`"), "\(output)")
        #expect(output.contains("`gamectl journal export \(folder.path)`"))
        #expect(output.hasSuffix("\n1\n"))
    }

    @Test func `a daemon can continue from a backup`() throws {
        let firstDaemon = try start()
        let name = folder.path.split(separator: "/").last ?? ""
        let copyPath = "\(backupFolder.path)/copy.db"
        let backupRequest = "backup onServer=true to="
        for line in [
            "backup", "backup \(copyPath)", backupRequest, backupRequest + "copy.db",
            "backup onServer=true",
        ] {
            #expect(try ask(line, to: firstDaemon).hasPrefix("ERR invalidParams"))
        }
        for path in ["tokens", "journal.db2", "../\(name)/x"].map({ "\(folder.path)/\($0)" }) {
            let answer = try ask(backupRequest + path, to: firstDaemon)
            #expect(answer.contains("is inside the state directory"), "\(answer)")
        }
        let backupAnswer = try ask("send displayHelp", backupRequest + copyPath, to: firstDaemon)
        #expect(
            backupAnswer.hasPrefix(#"OK {"to":"\#(copyPath)","bytes":"#)
                && backupAnswer.hasSuffix(#""verified":true}"#))
        #expect(try ask(backupRequest + copyPath, to: firstDaemon).hasPrefix("ERR storage"))
        firstDaemon.signal(SIGKILL)
        firstDaemon.waitForEnd()
        unlink("\(folder.path)/journal.db-wal")
        unlink("\(folder.path)/journal.mark")
        rename(copyPath, "\(folder.path)/journal.db")
        #expect(try ask("status", to: start()).contains(#""state":"help""#))
    }

    @Test func `gamectl writes a backup with the hashes of tokens to a relative path`()
        throws
    {
        let firstDaemon = try start()
        let tokenAnswer = try ask("send displayHelp", "token add desk", to: firstDaemon)
        func gamectl(_ words: String) -> String {
            ShellCommand.run(
                "cd '\(backupFolder.path)' && gamectl --socket $S \(words)",
                firstDaemon)
        }
        let output = gamectl("backup tonight.db")
        #expect(output.hasPrefix("tonight.db: 3 rows, all sound; 1 session, "), "\(output)")
        #expect(gamectl("backup tonight.db").contains("tonight.db exists already"))
        #expect(gamectl("backup nowhere/x.db").contains("nowhere/x.db.part: No such file"))
        #expect(gamectl("backup '\(folder.path)/x.db'").contains("is inside the state directory"))
        #expect(gamectl("journal check tonight.db").hasSuffix("sound\n"))
        #expect(
            ShellCommand.run("ls '\(backupFolder.path)'; ls '\(folder.path)' | grep back")
                == "tonight.db\n")
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        let restored = StateFolder()
        rename("\(backupFolder.path)/tonight.db", "\(restored.path)/journal.db")
        let secondDaemon = try DaemonProcess(["--clock", "virtual", "--state-dir", restored.path])
        #expect(try ask("status", to: secondDaemon).contains(#""state":"help""#))
        let token = tokenAnswer.textsAfter("\"token\":\"")[0].prefix(64)
        #expect(try ask("auth \(token)", to: secondDaemon).hasPrefix("OK"))
        #expect(try ask("token list", to: secondDaemon).contains("desk"))
    }

    @Test func `a descriptor that is passed for a backup must refer to an empty file`() throws {
        let daemon = try start()
        let output = ShellCommand.run(
            ".venv/bin/python Tests/gamedTests/Clients/pass_file.py $S '\(backupFolder.path)' \(daemon.pid)",
            daemon)
        #expect(output == "")
        #expect(try ask("ping", to: daemon) == #"OK {"pong":true}"#)
    }

    @Test func `if the clock is far ahead, an operator must confirm the removal of rows`() throws {
        let firstDaemon = try DaemonProcess(["--state-dir", folder.path, "--keep", "1d"])
        try ask("send startPlaying", "send returnHome", "send startPlaying", to: firstDaemon)
        firstDaemon.signal(SIGTERM)
        firstDaemon.waitForEnd()
        // The journal looks as if it had been written a year ago.
        try folder.makeOlder(by: .seconds(365 * 86_400))
        let rowCount = try folder.rows.count
        // The first start reports the difference and suspends the removal of old rows. After the second start the removal is
        // still suspended.
        for isFirst in [true, false] {
            let daemon = try DaemonProcess(["--state-dir", folder.path, "--keep", "1d"])
            if isFirst {
                #expect(daemon.waitFor("days ahead"))
                #expect(daemon.waitFor("`gamectl journal prune --yes`"))
            }
            let prune = ShellCommand.run("gamectl --socket $S journal prune; echo $?", daemon)
            #expect(prune.hasSuffix("2\n") && prune.contains("--yes"))
            daemon.signal(SIGTERM)
            daemon.waitForEnd()
        }
        #expect(try folder.rows.count > rowCount)
        let lastDaemon = try DaemonProcess(["--state-dir", folder.path, "--keep", "1d"])
        let prune = ShellCommand.run("gamectl --socket $S journal prune --yes", lastDaemon)
        // The newest row of the open session `main` is needed, and so are the rows of the earlier starts.
        let lines = prune.split(separator: "\n")
        #expect(
            lines.first == "the removal of old rows was suspended; from now on they go each hour")
        #expect(lines.contains("3 rows older than 1d removed"), "\(prune)")
        #expect(lines.contains("1 older row is needed for open sessions"), "\(prune)")
        let secondPrune = ShellCommand.run("gamectl --socket $S journal prune --yes", lastDaemon)
        #expect(secondPrune.hasPrefix("0 rows older than 1d removed\n"), "\(secondPrune)")
        lastDaemon.signal(SIGTERM)
        lastDaemon.waitForEnd()
        #expect(try folder.rows.count { $0.session == "main" } == 1)
    }

    @Test func `without a state directory a backup is an error`() throws {
        let daemon = try DaemonProcess()
        #expect(daemon.output.contains("no journal"))
        #expect(
            try ask("backup onServer=true to=/tmp/x.db", to: daemon).hasPrefix("ERR storage"))
        #expect(try ask("history", to: daemon).hasPrefix("OK"))
    }

    @Test
    func `during a disk failure no other daemon can start, and afterwards the session main exists`()
        throws
    {
        let earlierDaemon = try start(["--no-main"])
        earlierDaemon.signal(SIGTERM)
        earlierDaemon.waitForEnd()
        // The first commit, which contains `main`, fails: not even one page of the WAL file can be written.
        let daemon = try start(fileSize: 4000)
        let client = try Client(daemon.socket)
        #expect(client.ask("ping", until: "storage").contains("storage"))
        let secondDaemon = try start()
        #expect(secondDaemon.waitForEnd() == 1)
        #expect(secondDaemon.output.contains("another gamed is using it"), "\(secondDaemon.output)")
        limitFileSize(of: daemon, to: .max)
        _ = client.ask("ping") { !$0.contains("storage") }
        #expect(client.ask("status").contains(#""state":"introduction""#))
    }

    @Test func `a closed session main stays closed after a disk failure`() throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        #expect(client.ask("open session=other flow=game").hasPrefix("OK"))
        #expect(client.ask("close session=main").hasPrefix("OK"))
        limitFileSize(of: daemon, to: 4000)
        #expect(client.ask("send @other displayHelp").hasPrefix("ERR storage"))
        limitFileSize(of: daemon, to: .max)
        #expect(client.ask("send @other displayHelp", until: "OK").hasPrefix("OK"))
        #expect(client.ask("status session=main").hasPrefix("ERR unknownSession"))
    }

    @Test func `the daemon ends cleanly while timers fire`() throws {
        let daemon = try DaemonProcess(["--state-dir", folder.path, "--no-main"])
        let client = try Client(daemon.socket)
        // Each session has a time-out of 5 s. Some time-outs are due while the journal is being closed.
        for number in 0..<1000 { _ = client.ask("open session=s\(number) flow=startup") }
        let firstSession = client.ask("list limit=1") { !$0.contains("launching") }
        #expect(!firstSession.contains("launching"))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `a JSON-RPC notification can request a backup`() throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        client.write(
            #"{"jsonrpc":"2.0","method":"backup","params":{"to":"\#(backupFolder.path)/copy.db","onServer":true}}"#
                + "\n")
        #expect(Wait.until { access("\(backupFolder.path)/copy.db", F_OK) == 0 })
    }

    /// The test limits the size of files, which has the same effect on the daemon as a full disk.
    @Test func `a full disk rolls back changes, and the daemon continues when there is space`()
        throws
    {
        let daemon = try start()
        try ask("send displayHelp", to: daemon)
        var walStatus = stat()
        stat("\(folder.path)/journal.db-wal", &walStatus)
        limitFileSize(of: daemon, to: UInt(walStatus.st_size) + 20_000)
        let client = try Client(daemon.socket)
        var lastAnswer = ""
        for number in 0..<200 where !lastAnswer.contains("storage") {
            lastAnswer = client.ask("send \(number % 2 == 0 ? "dismissHelp" : "displayHelp")")
        }
        #expect(
            lastAnswer.hasPrefix("ERR storage") && lastAnswer.hasSuffix(#""outcome":"undone"}"#),
            "\(lastAnswer)")
        let status = client.ask("status")
        #expect(status.hasPrefix("OK"))
        limitFileSize(of: daemon, to: .max)
        // The daemon tries to write again each second.
        let event = status.contains(#""state":"help""#) ? "dismissHelp" : "displayHelp"
        let answer = client.ask("send \(event)") { !$0.contains("storage") }
        let seq = Int(status.textsAfter("\"seq\":")[0].prefix { $0.isNumber })!
        #expect(answer.contains("\"seq\":\(seq + 1),"), "\(answer)")
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        #expect(try ask("status", to: start()).contains("\"seq\":\(seq + 1),"))
    }

    /// Limits the size of the daemon's files, with prlimit(1).
    private func limitFileSize(of daemon: DaemonProcess, to bytes: UInt) {
        let size = bytes == .max ? "unlimited" : "\(bytes)"
        let stream = popen("prlimit --pid \(daemon.pid) --fsize=\(size):unlimited", "r")
        #expect(stream != nil && pclose(stream!) == 0)
    }
}

extension String {
    /// For each occurrence of `piece`, the text that follows it.
    fileprivate func textsAfter(_ piece: String) -> [Substring] {
        ranges(of: piece).map { self[$0.upperBound...] }
    }
}

extension StateFolder {
    /// Ends the daemon, and returns the rows of its journal.
    fileprivate func rowsAfterEnd(of daemon: DaemonProcess) throws -> [JournalRow] {
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        return try rows
    }
}
