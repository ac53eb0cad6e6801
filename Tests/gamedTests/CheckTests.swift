import Glibc
import TestSupport
import Testing

@testable import GamedServer
@testable import Room

/// What `gamed --check` finds in configurations whose lines are all well formed.
@Suite struct CheckTests {
    private let folder = Folder()

    /// The output of `--check` for a configuration, without the path and `gamed: `, followed by the exit status.
    private func check(_ configuration: String, _ words: String = "", environment: String = "")
        -> String
    {
        let path = folder.write("checked.conf", configuration)
        return ShellCommand.run("\(environment) gamed --check --config \(path) \(words); echo $?")
            .replacing("gamed: ", with: "").replacing("\(path):", with: "")
    }

    /// Makes a certificate that ends in this number of days, and its key.
    private func makeCertificate(days: Int) {
        // A negative number of days is not taken by every version of openssl, so the dates are set.
        _ = ShellCommand.run(
            "cd '\(folder.path)' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out new.pem "
                + "-subj /CN=hall -days 400 2>/dev/null && openssl req -new -key key.pem -subj /CN=hall "
                + "-out r.csr 2>/dev/null && mkdir -p ca && : >ca/index.txt && echo 01 >ca/serial && "
                + "printf '[ca]\\ndefault_ca=c\\n[c]\\ndatabase=ca/index.txt\\nserial=ca/serial\\nnew_certs_dir=ca\\n"
                + "default_md=sha256\\npolicy=p\\nunique_subject=no\\n[p]\\ncommonName=supplied\\n' >ca.cnf && "
                + "openssl ca -batch -config ca.cnf -selfsign -keyfile key.pem -in r.csr -out cert.pem -notext "
                + "-startdate $(date -u -d '-400 days' +%Y%m%d%H%M%SZ) "
                + "-enddate $(date -u -d '\(days) days' +%Y%m%d%H%M%SZ) 2>/dev/null")
    }

    private var tlsLines: String {
        "http 127.0.0.1:0\ntls-cert \(folder.path)/cert.pem\ntls-key \(folder.path)/key.pem\n"
    }

    @Test func `an ended certificate is an error with its position`() {
        makeCertificate(days: -1)
        let output = check(tlsLines)
        #expect(output.hasPrefix("2:10: \(folder.path)/cert.pem: the certificate has ended on 20"))
        #expect(output.hasSuffix("\n2\n"), "\(output)")
    }

    @Test
    func `a certificate that ends within 30 days is a note, and a warning while the daemon runs`()
        throws
    {
        makeCertificate(days: 20)
        let output = check(tlsLines)
        #expect(output.hasPrefix("note: \(folder.path)/cert.pem: the certificate ends on 20"))
        #expect(output.hasSuffix("days\n0\n"), "\(output)")
        let daemon = try DaemonProcess(["--config", "\(folder.path)/checked.conf"])
        #expect(daemon.output.contains("cert.pem: the certificate ends on 20"))
        let client = try Client(daemon.socket)
        let alerts = client.ask("alerts")
        #expect(alerts.contains(#""id":"certificate:\#(folder.path)/cert.pem""#), "\(alerts)")
        let metrics = ShellCommand.run("curl -sSk -m 60 $WEB/metrics", daemon)
        #expect(metrics.contains("\ngamed_certificate_expiry_timestamp_seconds 1"), "\(metrics)")
        makeCertificate(days: 90)
        #expect(check(tlsLines) == "0\n")
        daemon.signal(SIGHUP)
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
    }

    @Test func `rows that are kept for less than a day are noted, and the daemon warns`() throws {
        let lines = "state-dir \(folder.path)/state\n"
        #expect(
            check(lines + "keep 1m\n").contains("note: --keep 1m: history, replay and statistics"))
        #expect(!check(lines + "keep 1d\n").contains("--keep"))
        let daemon = try DaemonProcess(["--state-dir", "\(folder.path)/state", "--keep", "1m"])
        #expect(daemon.output.contains("--keep 1m: history, replay and statistics lose"))
    }

    @Test func `a setting that is given twice is an error`() {
        #expect(
            check("flow quiz\nlimit requests=5\nflow game\nlimit clients=9\nlimit requests=6\n")
                == "3:1: flow is given twice; line 1 has it, too\n"
                + "5:1: limit requests is given twice; line 2 has it, too\n2\n")
        #expect(check("http 127.0.0.1:0\nhttp 127.0.0.1:0\nno-main\n") == "0\n")
        #expect(
            check("set game help=1h\nset game help=2h\nset quiz question=20s\n")
                == "2:1: set game help is given twice; line 1 has it, too\n2\n")
        #expect(
            check("osc a listen=127.0.0.1:7000\nno-main\nosc b listen=127.0.0.1:7000\n")
                .contains("3:1: listen=127.0.0.1:7000 is given twice; line 1 has it, too"))
    }

    @Test(arguments: [
        (
            "flow=game state=playingLevel",
            "21: a session cannot begin in playingLevel: episode: missing"
        ),
        (
            #"flow=game labels='{"1a":"x"}'"#,
            "21: labels: 1a: a label's name is a letter"
        ),
        (#"flow=game labels='{"a":5}'"#, "21: labels: a: "),
    ])
    func `a session that could not be opened is an error with its position`(
        _ words: String, _ expected: String
    ) throws {
        let output = check("session a \(words)\n")
        #expect(output.hasPrefix("1:\(expected)") && output.hasSuffix("2\n"), "\(output)")
        let path = folder.write("running.conf", "no-main\n")
        let daemon = try DaemonProcess(["--config", path])
        folder.write("running.conf", "no-main\nsession a \(words)\n")
        let reloaded = try Client(daemon.socket).ask("reload")
        #expect(reloaded.contains("running.conf:2:\(expected)"), "\(reloaded)")
    }

    @Test func `two places of the journal are an error`() {
        #expect(
            check("store \(folder.path)/a\nstate-dir \(folder.path)/b\n")
                == "2:1: the store (store or state-dir) is given twice; line 1 has it, too\n2\n")
    }

    @Test func `a name or a line that is given twice is an error with the first line`() {
        folder.write("first.inc", "session a flow=quiz\nserial door /dev/x\n")
        let first = "\(folder.path)/first.inc"
        let output = check(
            "include first.inc\nsession a flow=game\nmqtt door mqtt://127.0.0.1\n"
                + "on enter=help run=/bin/true\non enter=help run=/bin/true\n")
        #expect(
            output.contains("2:9: session a is given twice; \(first):1 has it, too\n"), "\(output)")
        #expect(
            output.contains("3:6: a connection door is given twice; \(first):2 has it, too\n"))
        #expect(output.contains("5:1: the line is given twice; line 4 has it, too\n"))
    }

    @Test func `a program in an included file is looked for in the folder of that file`() {
        mkdir("\(folder.path)/sub", 0o755)
        folder.write("sub/rules.inc", "on enter=help run=./scene\n")
        folder.write("sub/scene", "#!/bin/sh\n", mode: 0o755)
        #expect(check("include sub/rules.inc\n") == "0\n")
        // One beside the file that includes it is another.
        folder.write("scene", "#!/bin/sh\n", mode: 0o755)
        folder.write("sub/scene", "", mode: 0o644)
        #expect(check("include sub/rules.inc\n").contains("rules.inc:1:15: run: "))
    }

    @Test func `lines for other nodes only are noted, and the daemon warns`() throws {
        let lines =
            "mqtt hall mqtt://127.0.0.1:1 node=hall-a\nset game help=1h\n"
        let note =
            "1:30: no line is for this node (vm); the file names hall-a"
        let output = check(lines, "--store postgresql://a@127.0.0.1/b --node vm")
        #expect(output.contains("note: \(note)\n"), "\(output)")
        let other = check(lines, "--store postgresql://a@127.0.0.1/b --node hall-a")
        #expect(!other.contains("no line is for"), "\(other)")
        let path = folder.write("run.conf", lines)
        let daemon = try DaemonProcess(["--config", path])
        #expect(daemon.output.contains("no line is for this node ("), "\(daemon.output)")
    }

    @Test func `a library that is missing is named only if it is needed`() {
        // The dynamic linker finds these empty files first.
        _ = folder.write("libxkbcommon.so.0", "")
        _ = folder.write("libpq.so.5", "")
        let environment = "env LD_LIBRARY_PATH='\(folder.path)'"
        #expect(check("no-main\n", environment: environment) == "0\n")
        let output = check(
            "no-main\n", "--store postgresql://a@127.0.0.1/b", environment: environment)
        #expect(
            output.contains(
                "\(folder.path)/libpq.so.5: file too short; install libpq (Debian package libpq5)"),
            "\(output)")
        #expect(output.hasSuffix("2\n"))
        let reader = "no-main\nevdev cards /dev/null layout="
        #expect(check(reader + "us\n", environment: environment) == "0\n")
        #expect(
            check(reader + "de\n", environment: environment).contains(
                "file too short; install libxkbcommon (Debian package libxkbcommon0)"))
    }

    @Test func `a device whose number may change is noted, and a link that leads to it is named`()
        throws
    {
        let output = check(
            "serial a /dev/ttyUSB0\nserial b /dev/ttyS0\nserial c /dev/ttyACM12 baud=9600\n"
                + "evdev d /dev/input/event3\nserial e /dev/ttyUSBx\n")
        #expect(
            output
                == "note: 1:10: /dev/ttyUSB0: the number can be that of another device when devices are plugged in again; "
                + "use a link of /dev/serial/by-id\n"
                + "note: 3:10: /dev/ttyACM12: the number can be that of another device when devices are plugged in again; "
                + "use a link of /dev/serial/by-id\n"
                + "note: 4:9: /dev/input/event3: the number can be that of another device when devices are plugged in again; "
                + "use a link of /dev/input/by-id\n0\n")
        let device = folder.write("ttyUSB0", "")
        #expect(DevicePathNote.link(to: device, in: folder.path + "/nothing") == nil)
        _ = ShellCommand.run(
            "mkdir '\(folder.path)/by-id'; ln -s ../ttyUSB0 '\(folder.path)/by-id/usb-Uno'")
        #expect(
            DevicePathNote.link(to: device, in: "\(folder.path)/by-id")
                == "\(folder.path)/by-id/usb-Uno")
        #expect(DevicePathNote.link(to: "/dev/null", in: "\(folder.path)/by-id") == nil)
    }

    @Test func `a rule for a token that does not exist is noted`() {
        let hash = String(repeating: "0", count: 64)
        folder.write("tokens", "desk \(hash)\n")
        let lines =
            "tokens \(folder.path)/tokens\nallow token:dsek operate\nallow token:desk play\n"
        #expect(check(lines) == "note: 2:7: there is no token dsek; did you mean desk?\n0\n")
        #expect(
            check("tokens \(folder.path)/tokens\nallow token:overlay observe\n").contains(
                "`gamectl token add overlay` makes it"))
        // Without a token file, no token was made yet.
        #expect(check("allow token:dsek operate\n") == "0\n")
    }

    @Test func `a program that cannot be run is an error`() {
        let program = folder.write("program", "", mode: 0o644)
        func check(_ path: String) -> String { self.check("on enter=help run=\(path)\n") }
        #expect(
            check("/no/such").contains("1:15: run: /no/such: No such file or directory\n"))
        #expect(check("/tmp").contains("1:15: run: /tmp: not a regular file\n"))
        #expect(check("/bin/true").hasSuffix("0\n"))
        // The kernel lets root run a file only if somebody may run it.
        #expect(check(program).contains("not executable"))
    }

    @Test func `an MQTT user without a password is noted`() {
        let output = check("mqtt hall mqtt://127.0.0.1:1 user=ann\n")
        #expect(
            output.contains(
                "note: 1:30: user: without password-file=, the broker gets no password"),
            "\(output)")
    }

    @Test(arguments: [
        ("flow game\ntls-cert /a\n", "2:10: --tls-cert and --tls-key require each other"),
        ("tls-key /a\n", "1:9: --tls-cert and --tls-key require each other"),
        ("btsnoop /a\n", "1:9: --btsnoop requires --bluetooth"),
        (
            "http 127.0.0.1:1\nhttp 0.0.0.0:2\n",
            "2:6: --http on an address that other machines can reach requires"
        ),
        (
            "listen 127.0.0.1:1\nhttp 127.0.0.1:1\n",
            "2:6: --listen and --http have the same address"
        ),
        ("media /no/such\n", "1:7: --media /no/such: No such file or directory"),
        ("flow game\nflows /no/such\n", "2:7: /no/such: No such file or directory"),
        ("bluetooth sim:/no/such\n", "1:11: /no/such: No such file or directory"),
        ("state-dir /no/such/dir\n", "1:11: --state-dir /no/such/dir: cannot make it"),
    ])
    func `an error between settings, and one about a file, has the position of its line`(
        _ lines: String, _ mistake: String
    ) {
        let output = check(lines, environment: "env -u STATE_DIRECTORY")
        #expect(output.contains(mistake) && output.hasSuffix("2\n"), "\(output)")
    }

    @Test(arguments: ["archive /tmp/a", "keep 7d", "audit refusals", "accept-loss"])
    func `a line that needs the state directory of the unit is a note`(_ line: String) {
        let output = check("\(line)\n", environment: "env -u STATE_DIRECTORY")
        #expect(output.contains("note: 1:") && output.hasSuffix("\n0\n"), "\(output)")
        #expect(
            output.contains("needs a state directory, which the unit of a service sets"),
            "\(output)")
        // A daemon that is started by hand has no such directory.
        let path = folder.write("run.conf", "\(line)\n")
        let run = ShellCommand.run(
            "env -u STATE_DIRECTORY gamed --config \(path) --socket \(folder.path)/s; echo $?")
        #expect(run.contains(" requires --state-dir") && run.hasSuffix("\n2\n"), "\(run)")
    }

    @Test func `the check assumes the state directory that the unit of the configuration names`() {
        let output = ShellCommand.run(
            """
            root=$PWD unshare --user --map-root-user --mount sh -c '
                mkdir -p \(folder.path)/empty && mount -t tmpfs tmpfs /etc && mkdir -p /etc/gamed /etc/systemd/system
                cp $root/Service/gamed.service.in /etc/systemd/system/gamed.service
                sed "s|@SUFFIX@|-%i|" $root/Service/gamed.service.in >/etc/systemd/system/gamed@.service
                printf "archive /srv/copy\nkeep 7d\naudit refusals\n" | tee /etc/gamed/gamed.conf >/etc/gamed/hall.conf
                sed -i "s|@SUFFIX@||" /etc/systemd/system/gamed.service
                for name in gamed hall; do
                    env -u STATE_DIRECTORY gamed --check --config /etc/gamed/$name.conf; echo $?
                    env -u STATE_DIRECTORY gamed --show-config --config /etc/gamed/$name.conf | grep -o "{.name.:.state-dir.[^}]*}"
                done'
            """)
        #expect(!output.contains("needs a state directory"), "\(output)")
        #expect(
            output.contains(
                #"0\#n{"name":"state-dir","value":"/var/lib/gamed","from":"unit gamed.service"}"#),
            "\(output)")
        #expect(
            output.contains(
                #"{"name":"state-dir","value":"/var/lib/gamed-hall","from":"unit gamed@hall.service"}"#
            ), "\(output)")
    }

    @Test func `gamed accepts each example for a venue, and operations.md names it`() {
        let names = ShellCommand.run("ls Examples/venues").split(separator: "\n")
        #expect(names.count >= 5)
        let page = RepositoryFile.text("docs/operations.md")
        for name in names {
            let output = ShellCommand.run(
                "env -u STATE_DIRECTORY gamed --check --config Examples/venues/\(name); echo $?")
            #expect(output.hasSuffix("0\n"), "\(output)")
            #expect(page.contains("(../Examples/venues/\(name))"), "\(name)")
        }
    }

    @Test func `every contradiction is printed, each with the lines of both options`() {
        let output = check(
            """
            listen 127.0.0.1:1
            tls-cert /a
            http 127.0.0.1:1
            btsnoop /a
            audit refusals
            metrics 127.0.0.1:1

            """, environment: "env -u STATE_DIRECTORY")
        for mistake in [
            "2:10: --tls-cert and --tls-key require each other\n",
            "3:6: --listen and --http have the same address, 127.0.0.1:1; see `listen` in line 1\n",
            "4:9: --btsnoop requires --bluetooth\n",
            "6:9: --metrics and --http have the same address, 127.0.0.1:1; see `http` in line 3\n",
            "6:9: --metrics and --listen have the same address, 127.0.0.1:1; see `listen` in line 1\n",
        ] {
            #expect(output.contains(mistake), "\(output)")
        }
        #expect(output.hasSuffix("2\n"), "\(output)")
    }

    @Test func `contradictions are printed beside mistakes, but not those that a mistake explains`()
    {
        let output = check("tls-cert /a\ntls-kye /b\nkeep forevr\nbtsnoop /a\n")
        #expect(output.contains("2:1: tls-kye: unknown"), "\(output)")
        #expect(output.contains("4:9: --btsnoop requires --bluetooth"), "\(output)")
        #expect(!output.contains("require each other"), "\(output)")
    }

    /// Lines with a mistake each, and what the check says about them.
    private static let mistakes: [(line: String, says: String)] = [
        ("listen 127.0.0.1:7", ""),
        ("http 127.0.0.1:7", "6: --listen and --http have the same address"),
        ("metrics 127.0.0.1:7", ""),
        ("tls-cert /a", "10: --tls-cert and --tls-key require each other"),
        ("btsnoop /a", "9: --btsnoop requires --bluetooth"),
        ("node-cert /a", "11: --node-cert and --node-key require --node-ca"),
        ("hold 7s", "6: --hold requires --store with a URL"),
        ("node a", "6: --node requires --store with a URL"),
        ("advertise 127.0.0.1:7", "11: --advertise requires --store with a URL"),
        ("store-password-file /a", "21: --store-password-file requires --store with a URL"),
        ("accept-weak-store", "1: --accept-weak-store requires --store with a URL"),
        ("http-mode 0660", "11: --http-mode requires --http unix:PATH"),
        ("metrics 127.0.0.1", "9: "), ("clock vrtual", "7: "), ("keep forevr", "6: "),
        ("limit clients=x", "7: "), ("log-level loud", "11: "),
        ("colour red", "1: colour: unknown"),
        ("allow nobody operate", "7: "), ("map hall x", "5: "), ("on ring", ""),
        ("serial door", "8: "), ("flow nosuch", "6: "),
    ]

    @Test func `a configuration with twenty mistakes`() {
        let output = check(
            Self.mistakes.map { "\($0.line)\n" }.joined(), environment: "env -u STATE_DIRECTORY")
        let expected = Self.mistakes.enumerated().filter { !$0.element.says.isEmpty }
        #expect(expected.count >= 20)
        for (index, mistake) in expected {
            #expect(
                output.contains("\(index + 1):\(mistake.says)"), "\(mistake.line): \(output)")
        }
        #expect(output.hasSuffix("2\n"), "\(output)")
    }

    @Test func `with journald, each line of an error at the start has its priority`() throws {
        let path = folder.write("bad.conf", "flw game\nno-man\n")
        // JOURNAL_STREAM has the device and the inode of the stream to journald.
        let output = ShellCommand.run(
            "exec 2>'\(folder.path)/log'; JOURNAL_STREAM=$(stat -L -c %d:%i /dev/stderr) "
                + "gamed --config \(path); cat '\(folder.path)/log'")
        let lines = output.split(separator: "\n").filter { $0.contains("bad.conf") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("<3>") }, "\(output)")
    }
}
