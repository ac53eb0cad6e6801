import TestSupport
import Testing

@testable import gamed

/// Controllers behind a socket that mean no good.
@Suite struct HostileControllerTests {
    @Test func `one that never stops holds nobody up, and costs little`() throws {
        let folder = Folder()
        let configuration = folder.write("gamed.conf", "map device=* lost=pause\n")
        let daemon = try DaemonProcess([
            "--bluetooth", "hci:unix:\(folder.path)/hci", "--config", configuration,
        ])
        let said = ShellCommand.run(
            """
            F='\(folder.path)'; touch $F/said
            .venv/bin/python Tests/gamedTests/Clients/flood.py $F/hci >$F/said & flood=$!
            until grep -q taken $F/said; do kill -0 $flood || break; done
            for i in 1 2 3 4 5; do echo ping | nc -N -U $S; done
            gamectl --socket $S --json bluetooth | .venv/bin/python -c \
              'import json, sys; print(len(json.load(sys.stdin)["devices"]))'
            kill $flood; wait
            """, daemon)
        let pongs = String(repeating: "OK {\"pong\":true}\n", count: 5)
        #expect(said == pongs + "256\n")
        #expect(daemon.memory < 256 << 20, "\(daemon.memory)")
    }

    @Test func `one that hangs up, or is no controller, is tried again`() throws {
        let folder = Folder()
        let daemon = try DaemonProcess(["--bluetooth", "hci:unix:\(folder.path)/hci"])
        #expect(daemon.waitFor("no controller at"))
        // Another daemon's lines: what it answers is no HCI, and it hangs up in the end.
        let other = try DaemonProcess(socket: "\(folder.path)/hci")
        let said = ShellCommand.run(
            """
            until gamectl --socket $S bluetooth | grep -v 'No such file'; do :; done
            """, daemon)
        #expect(
            said.contains("is opening") || said.contains("is starting") || said.contains("is down"))
        #expect(ShellCommand.run("echo ping | nc -N -U $S", daemon) == "OK {\"pong\":true}\n")
        other.signal(15)
        other.waitForEnd()
    }
}
