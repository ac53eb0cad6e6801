import TestSupport
import Testing

/// `gamectl doctor` with planted faults: it names each fault and what helps, and its exit status is 6.
@Suite struct DoctorTests {
    private let folder = Folder()

    /// The output of `gamectl doctor` for a socket, followed by the exit status.
    private func examine(_ socket: String, _ options: String = "", _ launcher: String = "")
        -> String
    {
        ShellCommand.run("\(launcher) gamectl --socket \(socket) doctor \(options); echo status $?")
    }

    /// Starts a daemon with this configuration.
    private func start(_ configuration: String, _ arguments: [String] = []) throws -> DaemonProcess
    {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(["--config", file] + arguments)
    }

    /// Expects a fault with this text and a remedy with that text.
    private func expectFault(_ output: String, _ subject: String, _ text: String, _ remedy: String)
    {
        let lines = output.split(separator: "\n")
        let index = lines.firstIndex {
            $0.hasPrefix("fault") && $0.contains(" \(subject) ") && $0.contains(text)
        }
        guard let index, index + 1 < lines.count else {
            Issue.record("no fault of \(subject) with \(text): \(output)")
            return
        }
        #expect(lines[index + 1].contains(remedy), "\(output)")
        #expect(output.hasSuffix("status 6\n"), "\(output)")
    }

    @Test func `a daemon without faults gets the status 0, also as JSON`() throws {
        let daemon = try start("no-main\n", ["--state-dir", "\(folder.path)/state"])
        let output = examine(daemon.socket)
        #expect(output.hasSuffix("status 0\n") && !output.contains("fault"), "\(output)")
        for subject in [
            "socket", "rights", "unit", "configuration", "disk", "clock", "versions",
            "certificates", "devices", "database", "outputs",
        ] {
            #expect(output.contains(" \(subject) "), "\(subject): \(output)")
        }
        let json = examine(daemon.socket, "--json")
        #expect(
            json.hasPrefix(#"{"findings":[{"check":"socket","result":"ok","text":""#), "\(json)")
        #expect(json.contains(#""faults":0,"#))
    }

    // MARK: the socket and the rights

    @Test func `fault 1: there is no socket`() {
        expectFault(
            examine("\(folder.path)/none"), "socket", "there is no socket at",
            "systemctl start gamed")
    }

    @Test func `fault 2: a killed daemon has left its socket`() throws {
        let daemon = try start("no-main\n")
        daemon.signal(9)
        daemon.waitForEnd()
        expectFault(
            examine(daemon.socket), "socket", "nothing listens at", "says why it has ended")
    }

    @Test func `fault 3: another file is at the path of the socket`() {
        let path = folder.write("file", "text")
        expectFault(examine(path), "socket", "is not a socket", "remove the file")
    }

    @Test(.enabled(if: ShellCommand.run("id -u") == "0\n"))
    func `fault 4: the user may not connect`() throws {
        let daemon = try start("no-main\n")
        expectFault(
            examine(daemon.socket, "", "setpriv --reuid 65534 --regid 65534 --clear-groups"),
            "socket", "you may not connect to", "adduser")
    }

    @Test(.enabled(if: ShellCommand.run("id -u") == "0\n"))
    func `fault 5: the user may connect, but not operate`() throws {
        let daemon = try start("allow uid:65534 observe\n")
        let output = ShellCommand.run(
            "chmod 0666 $S; setpriv --reuid 65534 --regid 65534 --clear-groups gamectl --socket $S doctor; echo status $?",
            daemon)
        expectFault(output, "rights", "you may not operate the daemon", "allow uid:USER operate")
    }

    // MARK: the configuration

    @Test func `an instance that is down is examined with its own configuration`() {
        let output = ShellCommand.run(
            """
            unshare --user --map-root-user --mount sh -c '
                mount -t tmpfs tmpfs /etc && mount -t tmpfs tmpfs /run && mkdir /etc/gamed
                echo no-main >/etc/gamed/gamed.conf; echo "htp 127.0.0.1:80" >/etc/gamed/hall.conf
                env -u STATE_DIRECTORY gamectl --socket /run/gamed-hall/gamed.sock doctor'
            """)
        #expect(output.contains("/etc/gamed/hall.conf:1:1: htp: unknown"), "\(output)")
        #expect(output.contains("systemctl start gamed@hall"), "\(output)")
    }

    @Test func `fault 6: the configuration has a mistake since the start`() throws {
        let daemon = try start("no-main\n")
        let file = folder.write("gamed.conf", "htp 127.0.0.1:80\n")
        expectFault(
            examine(daemon.socket), "configuration", "\(file):1:1: htp: unknown", "gamectl reload")
    }

    @Test func `fault 7: a certificate has ended`() throws {
        let made = ShellCommand.run(
            """
            cd \(folder.path) && touch index && echo 01 >serial && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 \
            -nodes -keyout key.pem -out ca.pem -subj /CN=hall -days 400 2>/dev/null && \
            openssl req -new -key key.pem -subj /CN=hall -out request.pem && \
            printf '[ca]\ndefault_ca=x\n[x]\ndatabase=index\nserial=serial\nnew_certs_dir=.\npolicy=p\n[p]\ncommonName=supplied\n' >ca.conf && \
            openssl ca -batch -config ca.conf -md sha256 -keyfile key.pem -cert ca.pem -in request.pem -out old.pem -notext \
            -startdate 20200101000000Z -enddate 20210101000000Z 2>&1 >/dev/null || echo failed
            """)
        #expect(!made.contains("failed"), "\(made)")
        let file = folder.write(
            "gamed.conf",
            "listen 127.0.0.1:0\ntls-cert \(folder.path)/old.pem\ntls-key \(folder.path)/key.pem\n")
        let output = examine("\(folder.path)/none", "--config \(file)")
        expectFault(output, "certificates", "the certificate has ended", "renew the certificate")
    }

    @Test func `fault 8: the state directory is missing`() {
        let file = folder.write("gamed.conf", "state-dir \(folder.path)/no/such\n")
        let output = examine("\(folder.path)/none", "--config \(file)")
        expectFault(output, "disk", "No such file or directory", "correct state-dir")
    }

    // MARK: the machine

    @Test(.enabled(if: ShellCommand.run("id -u") == "0\n")) func `fault 9: the disk is full`() {
        let file = folder.write("gamed.conf", "state-dir \(folder.path)/full\n")
        let output = ShellCommand.run(
            """
            mkdir \(folder.path)/full && unshare --mount sh -c 'mount -t tmpfs -o size=1M tmpfs \(folder.path)/full && \
            gamectl --socket \(folder.path)/none doctor --config \(file)'; echo status $?
            """)
        expectFault(output, "disk", "the disk is full", "make room")
    }

    @Test func `fault 10: the unit has failed`() {
        folder.write(
            "systemctl",
            "#!/bin/sh\necho LoadState=loaded\necho ActiveState=failed\necho Result=exit-code\n",
            mode: 0o755)
        let output = ShellCommand.run(
            "PATH=\(folder.path):$PATH gamectl --socket /run/gamed-doctor-test/gamed.sock doctor; echo status $?"
        )
        expectFault(
            output, "unit", "gamed@doctor-test.service has failed (exit-code)", "journalctl -u")
    }

    // MARK: what the daemon says

    @Test func `fault 11: a device is away`() throws {
        let daemon = try start("mqtt hall mqtt://127.0.0.1:1\n")
        #expect(daemon.waitFor("[alert]"))
        expectFault(examine(daemon.socket), "devices", "mqtt hall", "look at the device")
    }

    @Test func `fault 12: the journal cannot be written`() throws {
        let arguments = ["--state-dir", "\(folder.path)/state"]
        let earlierDaemon = try DaemonProcess(arguments + ["--no-main"])
        earlierDaemon.signal(15)
        earlierDaemon.waitForEnd()
        // The first commit fails: not even one page can be written.
        let daemon = try DaemonProcess(arguments, fileSize: 4000)
        #expect(try Client(daemon.socket).ask("ping", until: "storage").contains("storage"))
        expectFault(examine(daemon.socket), "database", "the journal", "make room")
    }

    @Test func `a changed line that waits for a restart is a warning`() throws {
        let daemon = try start("http-host hall\n")
        folder.write("gamed.conf", "http-host desk\n")
        #expect(try Client(daemon.socket).ask("reload").hasPrefix("OK"))
        let output = examine(daemon.socket)
        #expect(output.contains("wait for a restart: http-host"), "\(output)")
        #expect(output.hasSuffix("status 0\n"), "\(output)")
    }
}
