import Glibc
import TestSupport
import Testing

/// The systemd unit and the files of `make install`, as far as they can be tested without a service manager.
@Suite struct ServiceTests {
    @Test func `the unit's reload command needs no PATH, and reloads the configuration`() throws {
        let folder = Folder()
        let path = folder.write("gamed.conf", "allow token:a play\n")
        let daemon = try DaemonProcess(["--config", path])
        let reload = ShellCommand.run("sed -n 's/^ExecReload=//p' Service/gamed.service.in")
        #expect(reload.hasPrefix("/bin/sh -c '"))
        // As in systemd, `$$` is a dollar sign, and `MAINPID` is in the environment.
        let command = reload.replacing("$$", with: "$")
        #expect(ShellCommand.run("env -i PATH=/nowhere MAINPID=\(daemon.pid) \(command)") == "")
        #expect(daemon.waitFor("SIGHUP: configuration reloaded; rules: 1"))
    }

    @Test func `make install lists the same packages as the README`() {
        let output = ShellCommand.run(
            "make -s -n install BUILD=/nowhere | sed -n \"s/^echo '    //p\" | tr -d \"'\"")
        #expect(output.hasPrefix("apt-get install libevent-2.1-7 "), "\(output)")
        #expect(output.hasSuffix("libstdc++6\n"))
        #expect(ShellCommand.run("grep -c '^    \(output.dropLast())$' README.md") == "1\n")
    }
}
