import Glibc
import Journal
import TestSupport
import Testing

/// The systemd unit and the files of `make install`, as far as they can be tested without a service manager.
@Suite struct ServiceTests {
    @Test func `the unit's reload command needs no PATH, and fails with a bad configuration`()
        throws
    {
        let folder = Folder()
        let path = folder.write("gamed.conf", "allow token:a play\n")
        let socket = "\(folder.path)/gamed.sock"
        let daemon = try DaemonProcess(["--config", path], socket: socket)
        let command = ShellCommand.run("sed -n 's/^ExecReload=//p' Service/gamed.service.in")
            .dropLast().replacing("@PREFIX@/bin", with: DaemonProcess.programDirectory)
        func reload() -> String {
            ShellCommand.run(
                "env -i PATH=/nowhere GAMED_SOCKET='\(socket)' \(command); echo $?")
        }
        #expect(reload() == "nothing changed\n0\n")
        #expect(daemon.waitFor("reload: configuration reloaded; rules: 1"))
        folder.write("gamed.conf", "alow token:a play\n")
        #expect(reload().hasSuffix("gamed.conf:1:1: alow: unknown; did you mean allow?\n1\n"))
    }

    @Test func `make install lists the same packages as the README`() {
        let output = ShellCommand.run(
            "make -s -n install BUILD=/nowhere | sed -n \"s/^echo '    //p\" | tr -d \"'\"")
        #expect(output.hasPrefix("apt-get install libevent-core-2.1-7 "), "\(output)")
        #expect(output.hasSuffix("libstdc++6\n"))
        #expect(ShellCommand.run("grep -c '^    \(output.dropLast())$' README.md") == "1\n")
    }

    /// Installs the units and the manual pages below a folder, with drop-ins for gamed.service. Returns the folder of the units.
    private func install(into folder: Folder, dropIns: [String] = []) -> String {
        let units = "\(folder.path)/lib/systemd/system"
        _ = ShellCommand.run(
            """
            make -s install PREFIX='\(folder.path)' BUILD='\(DaemonProcess.programDirectory)'
            mkdir -p '\(units)/gamed.service.d'
            for name in \(dropIns.joined(separator: " ")); do
                cp Service/drop-ins/$name.conf '\(units)/gamed.service.d'; done
            """)
        return units
    }

    /// The highest permitted exposure, in tenths of the level that `systemd-analyze security` prints. The values are the
    /// present ones, so that a change cannot raise them.
    @Test(arguments: [
        ([], 4), (["web"], 12), (["http"], 12), (["serial"], 6), (["run"], 4), (["bluetooth"], 12),
    ])
    func `the exposure of the unit is low, also with drop-ins`(_ dropIns: [String], _ limit: Int) {
        guard !ShellCommand.run("command -v systemd-analyze").isEmpty else { return }
        let folder = Folder()
        let units = install(into: folder, dropIns: dropIns)
        for unit in dropIns.isEmpty ? ["gamed.service", "gamed@.service"] : ["gamed.service"] {
            let output = ShellCommand.run(
                """
                text=$(systemd-analyze security --offline=true --threshold=\(limit) '\(units)/\(unit)'); status=$?
                echo "$text" | tail -n 1; echo $status
                """)
            #expect(output.hasSuffix("\n0\n"), "\(unit) with \(dropIns): \(output)")
        }
    }

    @Test func `systemd accepts the units of gamed, of an instance and of network addresses`() {
        guard !ShellCommand.run("command -v systemd-analyze").isEmpty else { return }
        let folder = Folder()
        let units = install(into: folder)
        let output = ShellCommand.run(
            """
            cp Service/drop-ins/*.socket '\(units)'; cd '\(units)'
            for kind in service socket; do cp gamed@.$kind gamed@hall.$kind; done
            MANPATH='\(folder.path)/share/man' systemd-analyze verify --man=yes ./*hall.* ./gamed.service ./gamed.socket ./gamed-*.socket 2>&1
            """)
        let lines = output.split(separator: "\n").filter { $0.contains("gamed") }
        #expect(lines.isEmpty, "\(output)")
        #expect(ShellCommand.run("ls '\(units)'").contains("gamed-metrics.socket"))
    }

    @Test func `the units of an instance differ in their names only`() {
        let folder = Folder()
        let units = install(into: folder)
        let lines = ShellCommand.run(
            "diff '\(units)/gamed.service' '\(units)/gamed@.service' | sed -n 's/^> //p' | grep -v '^#'"
        )
        #expect(
            lines == """
                Description=Referee of live games and app flows (%i)
                ExecStart=\(folder.path)/bin/gamed --config /etc/gamed/%i.conf
                RuntimeDirectory=gamed-%i
                StateDirectory=gamed-%i

                """)
        let socket = ShellCommand.run("cat '\(units)/gamed@.socket'")
        #expect(socket.contains("\nListenStream=/run/gamed-%i/gamed.sock\n"))
    }

    @Test func `make uninstall removes everything that make install has installed`() {
        let folder = Folder()
        let output = ShellCommand.run(
            """
            make -s install DESTDIR='\(folder.path)' BUILD='\(DaemonProcess.programDirectory)' >/dev/null
            find '\(folder.path)' -name 'gamed*.service' | wc -l
            make -s uninstall DESTDIR='\(folder.path)'; find '\(folder.path)' -mindepth 1
            """)
        #expect(output == "4\n")
    }

    @Test func `each configuration among the examples of the package has all files that it names`()
    {
        let folder = Folder()
        let output = ShellCommand.run(
            """
            tmp='\(folder.path)' && mkdir -p $tmp/usr/share/gamed $tmp/usr/share/doc/gamed && cp -r Examples $tmp/usr/share/doc/gamed
            mkdir -p $tmp/usr/share/doc/gamed/Examples/clients/python/__pycache__
            touch $tmp/usr/share/doc/gamed/Examples/clients/python/__pycache__/a.pyc
            cp Service/dashboard.json Service/alerts.rules.yml $tmp/usr/share/gamed
            make -s -f debian/rules examples tmp=$tmp
            ls $tmp/usr/share/doc/gamed/dashboard.json $tmp/usr/share/doc/gamed/alerts.rules.yml | wc -l
            cd $tmp/usr/share/gamed/examples && find . -name '__pycache__'
            for file in $(find . -name '*.conf' | LC_ALL=C sort); do
                (cd $(dirname $file) && gamed --check --config $(basename $file) 2>&1 | grep -v 'note: ' | sed "s|^|$file: |")
            done
            ls quiz-night/questions.csv quiz-night/media | wc -l
            """)
        #expect(output.hasPrefix("2\n") && !output.contains("No such file"), "\(output)")
        #expect(!output.contains("quiz-night/gamed.conf: "), "\(output)")
    }

    @Test func `the package names the format of the journal that this version writes`() {
        #expect(
            ShellCommand.run("make -s -f debian/rules journal-format")
                == "\(RowFormat.newestVersion)\n")
    }
}
