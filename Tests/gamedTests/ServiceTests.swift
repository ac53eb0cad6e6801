import Glibc
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
}
