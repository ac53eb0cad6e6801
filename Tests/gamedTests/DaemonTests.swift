import Connections
import Glibc
import Testing

/// The daemon as a process, with clients at its socket.
@Suite struct DaemonTests {
    @Test func `the daemon starts, answers, and ends cleanly on SIGTERM`() throws {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
        var status = stat()
        stat(daemon.socket, &status)
        #expect(status.st_mode & 0o777 == 0o660)
        daemon.signal(SIGTERM)
        #expect(client.line() == nil)
        #expect(daemon.waitForEnd() == 0)
        #expect(!daemon.socketExists)
    }

    @Test func `SIGINT ends the daemon`() throws {
        let daemon = try DaemonProcess()
        daemon.signal(SIGINT)
        #expect(daemon.waitForEnd() == 0)
        #expect(!daemon.socketExists)
    }

    @Test func `the socket file of a killed daemon is replaced`() throws {
        let killed = try DaemonProcess()
        killed.signal(SIGKILL)
        #expect(killed.waitForEnd() == -SIGKILL)
        #expect(killed.socketExists)
        let successor = try DaemonProcess(socket: killed.socket)
        #expect(try Client(successor.socket).ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `a socket in use is an error with the owner's pid, and the owner is not affected`()
        throws
    {
        let owner = try DaemonProcess()
        let refused = try DaemonProcess(socket: owner.socket)
        #expect(refused.waitForEnd() == 1)
        #expect(refused.output.contains("pid \(owner.pid)"), "\(refused.output)")
        #expect(owner.socketExists)
        #expect(try Client(owner.socket).ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `a missing directory is an error and is not created`() throws {
        let directory = DaemonProcess.freshSocketPath() + ".d"
        let daemon = try DaemonProcess(socket: directory + "/g.sock")
        #expect(daemon.waitForEnd() == 1)
        #expect(daemon.output.contains("No such file or directory"))
        #expect(access(directory, F_OK) != 0)
    }

    @Test func `a file that is not a socket is not replaced`() throws {
        let path = DaemonProcess.freshSocketPath()
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        let daemon = try DaemonProcess(socket: path)
        #expect(daemon.waitForEnd() == 1)
        #expect(daemon.output.contains("is not a socket"))
        #expect(access(path, F_OK) == 0)
    }

    @Test(arguments: [
        (["--sokcet", "x"], "did you mean --socket?"),
        (["--clock", "fast"], "expected real or virtual"),
        (["--flow", "gmae"], "did you mean game?"), (["word"], "takes only options"),
        (["--flow"], "needs a value"),
        (["--no-main=1"], "takes no value"),
        (["--socket", String(repeating: "x", count: 200)], "1 to 107 bytes"),
        (["--socket", ""], "1 to 107 bytes"),
    ])
    func `a wrong command line is a usage error with a hint`(_ arguments: [String], _ hint: String)
        throws
    {
        let daemon = try DaemonProcess(arguments)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(hint), "\(daemon.output)")
    }

    @Test func `every change contains the pid of its sender`() throws {
        let daemon = try DaemonProcess()
        let answer = try Client(daemon.socket).ask("send displayHelp")
        #expect(
            answer.contains(
                #""source":{"kind":"unix","peer":{"pid":\#(getpid()),"uid":\#(getuid()),"gid":\#(getgid())}}"#
            ))
    }

    @Test
    func
        `the daemon opens session main, with its own pid as the source, unless --no-main is given`()
        throws
    {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        client.write("watch since=0\n")
        _ = client.line()
        let opening = client.line() ?? ""
        #expect(opening.contains(#""source":{"kind":"terminal","peer":{"pid":\#(daemon.pid)"#))
        let daemonWithoutMain = try DaemonProcess(["--no-main"])
        #expect(
            try Client(daemonWithoutMain.socket).ask("list")
                == #"OK {"sessions":[],"more":false}"#)
    }

    @Test func `a state times out by itself on the real clock`() throws {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        _ = client.ask("goto paused episode=1 level=2 remainingMs=40")
        _ = client.ask("watch")
        _ = client.ask("send resume")
        #expect(client.line()?.contains(#""name":"resume""#) == true)
        let timeUp = client.line() ?? ""
        #expect(timeUp.contains(#""name":"timeUp""#))
        #expect(timeUp.contains(#""source":{"kind":"timer"}"#))
        #expect(
            timeUp.contains(
                #""to":{"state":"finishedLevel","data":{"episode":1,"level":2,"score":0}}"#))
    }

    @Test func `on the virtual clock a game that takes minutes ends immediately`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual"])
        let client = try Client(daemon.socket)
        _ = client.ask("goto playingLevel episode=1 level=2")
        let answer = client.ask("advance 1h")
        #expect(answer.hasSuffix(#""nowMs":3600000,"more":false}"#))
        #expect(
            answer.contains(
                #"{"session":"main","fires":"timeUp","atMs":90000},{"session":"main","fires":"idle","atMs":105000},{"session":"main","fires":"idle","atMs":165000}"#
            ))
        #expect(client.ask("status").contains(#""state":"introduction""#))
    }

    @Test func `unread replies are delivered after SIGTERM`() throws {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        // The replies exceed the socket's buffer, so the daemon still has replies to send when it gets the signal.
        let requestCount = 2000
        client.write(String(repeating: "describe\n", count: requestCount))
        #expect(try Client(daemon.socket).ask("ping") == #"OK {"pong":true}"#)
        daemon.signal(SIGTERM)
        let lines = client.textUntilEnd().split(separator: "\n")
        // The number of replies depends on the speed of the machine.
        #expect((1...requestCount).contains(lines.count))
        #expect(lines.allSatisfy { $0.hasPrefix("OK {") && $0.hasSuffix("}") })
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `the daemon notifies the service manager that it is ready, alive or stopping`()
        throws
    {
        let notifySocketPath = DaemonProcess.freshSocketPath()
        let manager = try NotifySocket(notifySocketPath)
        let daemon = try DaemonProcess(
            [], environment: ["NOTIFY_SOCKET=\(notifySocketPath)", "WATCHDOG_USEC=20000"])
        #expect(manager.nextMessage().hasPrefix("READY=1\nSTATUS=session main plays game"))
        #expect(manager.nextMessage() == "WATCHDOG=1")
        daemon.signal(SIGTERM)
        var message = manager.nextMessage()
        while message == "WATCHDOG=1" || message.hasPrefix("STATUS=") {
            message = manager.nextMessage()
        }
        #expect(message.hasPrefix("STOPPING=1"))
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `the daemon works and ends while its log is not read`() throws {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        // Each pair of requests logs two lines. All lines together exceed the buffer of 64 KiB between the daemon and the test.
        for _ in 0..<1500 {
            _ = client.ask("token action=add name=x")
            _ = client.ask("token action=remove name=x")
        }
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
    }
}
