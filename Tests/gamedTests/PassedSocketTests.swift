import Glibc
import TestSupport
import Testing

/// A daemon that the service manager starts with listening sockets, as with gamed.socket.
@Suite struct PassedSocketTests {
    private let folder = Folder()
    /// A loopback address that no other test uses, so that ports can be fixed.
    private let host =
        "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 0...254)).\(UInt8.random(in: 1...254))"

    /// Starts the daemon with sockets such as `http=127.0.0.1:8080`.
    private func start(
        _ sockets: [String], _ configuration: String = "", socket: String? = nil,
        environment: [String] = [], until words: String = "listens at"
    ) throws -> DaemonProcess {
        let launcher =
            ["/usr/bin/python3", "\(RepositoryFile.root)/Tests/gamedTests/Clients/activate.py"]
            + sockets + ["--"]
        return try DaemonProcess(
            ["--config", folder.write("gamed.conf", configuration)],
            socket: socket ?? "\(folder.path)/own.sock", environment: environment, by: launcher,
            until: words)
    }

    private func curl(_ url: String, _ daemon: DaemonProcess, _ options: String = "") -> String {
        ShellCommand.run("curl -sS -m 120 \(options) '\(url)'", daemon)
    }

    @Test func `a passed UNIX socket replaces the one at its path, and its file stays`() throws {
        let path = "\(folder.path)/passed.sock"
        let daemon = try start(["unix=\(path)"], socket: path)
        #expect(daemon.output.contains("listens at \(path) (from the service manager)"))
        #expect(try Client(path).ask("ping").hasPrefix("OK "))
        let mode = ShellCommand.run("stat -c %a '\(path)'")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(ShellCommand.run("stat -c %a '\(path)'") == mode)
    }

    @Test func `a passed UNIX socket is used beside a socket that the command line names`() throws {
        let path = "\(folder.path)/passed.sock"
        let daemon = try start(["unix=\(path)", "unix=\(path)2"])
        for path in [path, "\(path)2", daemon.socket] {
            #expect(try Client(path).ask("ping").hasPrefix("OK "), "\(path)")
        }
    }

    @Test func `the default socket is not opened if a UNIX socket was passed`() throws {
        let path = "\(folder.path)/passed.sock"
        let command = """
            RUNTIME_DIRECTORY='\(folder.path)' timeout 60 python3 Tests/gamedTests/Clients/activate.py unix='\(path)' -- \
                \(DaemonProcess.programDirectory)/gamed --config /dev/null 2>'\(folder.path)/log' &
            for _ in $(seq 500); do grep -q 'listens at' '\(folder.path)/log' 2>/dev/null && break; sleep 0.05; done
            ls '\(folder.path)'; kill %1
            """
        let files = ShellCommand.run(command)
        #expect(files.contains("passed.sock") && !files.contains("gamed.sock"), "\(files)")
    }

    @Test func `a passed socket replaces the address to which it is bound, and others are opened`()
        throws
    {
        let daemon = try start(
            ["http=\(host):8080", "lines=\(host):7001", "http=\(folder.path)/web.sock"],
            """
            http \(host):8080
            http \(host):8081
            http unix:\(folder.path)/web.sock
            allow source:tcp observe
            """)
        for port in [8080, 8081] {
            #expect(curl("http://\(host):\(port)/livez", daemon) == "ok\n")
        }
        #expect(curl("http://x/livez", daemon, "--unix-socket \(folder.path)/web.sock") == "ok\n")
        // No line names the address for lines.
        #expect(
            daemon.output.contains(
                "\(host):7001 comes from the service manager; no line names it"))
        #expect(daemon.tcpAddress == "\(host):7001")
        #expect(try Client(tcp: daemon.tcpAddress).ask("ping").hasPrefix("OK "))
    }

    @Test(arguments: [
        (["gamed.socket=127.0.0.1:0"], "FileDescriptorName= must be one of unix, lines, http"),
        (["stored-x-1=127.0.0.1:0"], "FileDescriptorName= must be one of unix, lines, http"),
        (["http=dgram"], "passes as http is not a listening stream socket"),
        (["unix=127.0.0.1:0"], "a socket for unix is a UNIX socket"),
    ])
    func `a socket that the daemon cannot use is a mistake in the unit`(
        _ sockets: [String], _ why: String
    ) throws {
        let daemon = try start(sockets)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(why), "\(daemon.output)")
    }

    @Test(arguments: ["http", "lines", "metrics"])
    func `a passed socket that other machines can reach needs TLS as an address of a line does`(
        _ kind: String
    ) throws {
        let daemon = try start(["\(kind)=0.0.0.0:0"])
        #expect(daemon.waitForEnd() == 1)
        #expect(daemon.output.contains("requires --tls-cert and --tls-key"), "\(daemon.output)")
        let insecure = try start(["\(kind)=0.0.0.0:0"], "insecure\n")
        #expect(insecure.output.contains("listens at"), "\(insecure.output)")
    }

    // MARK: sockets that the service manager keeps

    /// The messages about kept sockets, up to the one that the daemon is ready.
    private func storeMessages(_ manager: NotifySocket) -> [String] {
        var messages: [String] = []
        while case let message = manager.nextMessage(), !message.isEmpty,
            !message.contains("READY=1")
        {
            messages.append(message)
        }
        return messages
    }

    @Test func `the service manager keeps the network sockets that the daemon opened itself`()
        throws
    {
        let path = "\(folder.path)/notify.sock"
        let manager = try NotifySocket(path)
        let daemon = try start(
            ["http=\(host):8080"],
            "http \(host):8080\nhttp \(host):8081\nlisten \(host):7001\nhttp 127.0.0.1:0\n",
            environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(
            storeMessages(manager) == [
                "FDSTORE=1\nFDNAME=stored-lines-\(host)_7001",
                "FDSTORE=1\nFDNAME=stored-http-\(host)_8081",
            ])
        withExtendedLifetime(daemon) {}
    }

    @Test func `a kept socket is used if a line names its address, and is otherwise removed`()
        throws
    {
        let path = "\(folder.path)/notify.sock"
        let manager = try NotifySocket(path)
        let daemon = try start(
            [
                "stored-http-\(host)_8080=\(host):8080", "stored-http-\(host)_8082=\(host):8082",
                "stored-metrics-\(host)_9464=\(host):9464",
            ],
            "http \(host):8080\nmetrics \(host):9464\n", environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(
            storeMessages(manager) == ["FDSTOREREMOVE=1\nFDNAME=stored-http-\(host)_8082"])
        #expect(curl("http://\(host):8080/livez", daemon) == "ok\n")
        #expect(curl("http://\(host):8082/livez", daemon, "2>&1 -o /dev/null").contains("connect"))
    }

    /// The file's type and mode, such as `srw-rw----`; empty without a file.
    private func mode(_ path: String) -> Substring {
        ShellCommand.run("stat -c %A '\(path)' 2>/dev/null").prefix { $0 != "\n" }
    }

    @Test func `a socket for HTTP at a path is kept with its file`() throws {
        let (path, web) = ("\(folder.path)/notify.sock", "\(folder.path)/a:wéb.sock")
        let manager = try NotifySocket(path)
        let daemon = try start(
            [], "http unix:\(web)\n", environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(
            storeMessages(manager) == [
                "FDSTORE=1\nFDNAME=stored-http-\(folder.path)/a_w_b.sock"
            ])
        #expect(curl("http://x/livez", daemon, "--unix-socket '\(web)'") == "ok\n")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(mode(web) == "srw-rw----")
        // If the service manager has not kept the socket, the next daemon replaces the file.
        let next = try start([], "http unix:\(web)\n")
        #expect(curl("http://x/livez", next, "--unix-socket '\(web)'") == "ok\n")
        next.signal(SIGTERM)
        #expect(next.waitForEnd() == 0)
        #expect(mode(web) == "")
    }

    @Test func `a kept socket at a path is used with the permissions of its line`() throws {
        let (path, web) = ("\(folder.path)/notify.sock", "\(folder.path)/web.sock")
        let manager = try NotifySocket(path)
        let daemon = try start(
            ["stored-http-web=\(web)"], "http unix:\(web)\nhttp-mode 0600\n",
            environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(storeMessages(manager) == [])
        #expect(curl("http://x/livez", daemon, "--unix-socket '\(web)'") == "ok\n")
        #expect(mode(web) == "srw-------")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(mode(web) == "srw-------")
    }

    @Test func `a kept socket at a path that no line names is removed with its file`() throws {
        let (path, web) = ("\(folder.path)/notify.sock", "\(folder.path)/web.sock")
        let manager = try NotifySocket(path)
        let daemon = try start(
            ["stored-http-web=\(web)"], environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(storeMessages(manager) == ["FDSTOREREMOVE=1\nFDNAME=stored-http-web"])
        #expect(mode(web) == "")
        withExtendedLifetime(daemon) {}
    }

    @Test func `a kept socket whose file is gone is opened again`() throws {
        let (path, web) = ("\(folder.path)/notify.sock", "\(folder.path)/web.sock")
        let manager = try NotifySocket(path)
        let daemon = try start(
            ["stored-http-web=\(web)=gone"], "http unix:\(web)\n",
            environment: ["NOTIFY_SOCKET=\(path)"])
        #expect(
            storeMessages(manager) == [
                "FDSTOREREMOVE=1\nFDNAME=stored-http-web",
                "FDSTORE=1\nFDNAME=stored-http-\(web)",
            ])
        #expect(curl("http://x/livez", daemon, "--unix-socket '\(web)'") == "ok\n")
    }

    @Test func `--metrics serves the metrics and nothing else`() throws {
        let daemon = try start(["metrics=\(host):9464"], "metrics \(host):9464\n")
        #expect(curl("http://\(host):9464/metrics", daemon).hasSuffix("# EOF\n"))
        for path in ["", "livez", "play/main", "v1/events"] {
            let status = curl(
                "http://\(host):9464/\(path)", daemon, "-o /dev/null -w '%{http_code}'")
            #expect(status == "404", "\(path)")
        }
        #expect(daemon.webAddresses.isEmpty)
    }
}
