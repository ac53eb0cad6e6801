import Glibc
import TestSupport
import Testing

@testable import GamedServer

/// A daemon with simulated Bluetooth devices, controlled with the commands of an operator.
@Suite struct BluetoothDaemonTests {
    private static let scenario = """
        device "Red buzzer" buzzer battery=55 rssi=-48
        device Key itag
        """
    private static let mapLine = """
        map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        """

    private func startDaemon(_ folder: Folder, _ arguments: [String] = []) throws -> DaemonProcess {
        let radio = folder.write("hall.radio", Self.scenario)
        let configuration = folder.write("gamed.conf", Self.mapLine)
        return try DaemonProcess(
            ["--clock", "virtual", "--bluetooth", "sim:\(radio)", "--config", configuration]
                + arguments)
    }

    @Test func `gamectl lists devices and presses them`() throws {
        let folder = Folder()
        let daemon = try startDaemon(folder)
        let output = ShellCommand.run(
            """
            gamectl --socket $S advance 1s
            gamectl --socket $S bluetooth press "Red buzzer" 1
            gamectl --socket $S bluetooth | tail -n 1
            gamectl --socket $S bluetooth drop "Red buzzer" >/dev/null
            gamectl --socket $S advance 3s
            gamectl --socket $S bluetooth | grep Red
            gamectl --socket $S status | head -n 1
            """, daemon)
        #expect(
            output == """
                clock 0:00:01.000
                  DEVICE             NAME        STATE  SIGNAL   BATTERY  LAST PRESS
                  C0:00:00:00:00:01  Red buzzer  ready  -48 dBm  55 %     startPlaying @main: enter
                  C0:00:00:00:00:02  Key         seen, not mapped  -60 dBm
                clock 0:00:04.000
                  C0:00:00:00:00:01  Red buzzer  away for 0:02     -48 dBm  55 %     startPlaying @main: enter, 0:03 ago
                main  game · choosingEpisode · #2

                """)
    }

    @Test func `the text dialect and JSON return the same errors`() throws {
        let folder = Folder()
        let daemon = try startDaemon(folder)
        let output = ShellCommand.run(
            #"""
            printf '%s\n' 'advance 1s' 'bluetooth press "Red buzzer" 9' 'bluetooth press Blue' 'bluetooth jump Key' \
              'bluetooth press' '{"jsonrpc":"2.0","id":1,"method":"bluetooth","params":{"action":"drop","device":"Key","button":1}}' \
              | nc -N -U $S | tail -n +2
            """#, daemon)
        #expect(
            output == """
                ERR invalidParams {"why":"button: expected 1 to 4 for Red buzzer"}
                ERR invalidParams {"why":"device: no Blue; the devices are Red buzzer, Key"}
                ERR invalidParams {"why":"action: expected press, drop, return or sleep"}
                ERR invalidParams {"why":"device: missing"}
                {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":{"why":"button: allowed only with action press"}}}

                """)
    }

    @Test
    func `without --bluetooth a press fails; with --bluetooth a missing controller is reported`()
        throws
    {
        let daemon = try DaemonProcess()
        #expect(ShellCommand.run("gamectl --socket $S bluetooth", daemon) == "bluetooth is off\n")
        #expect(
            ShellCommand.run("echo bluetooth press a | nc -N -U $S", daemon)
                == "ERR invalidParams {\"why\":\"Bluetooth is off: start gamed with --bluetooth\"}\n"
        )
        let noController = try DaemonProcess(["--bluetooth", "hci:unix:/nowhere/hci"])
        #expect(
            noController.waitFor(
                "no controller at hci:unix:/nowhere/hci: No such file or directory"))
        #expect(
            ShellCommand.run("gamectl --socket $S bluetooth", noController)
                == "hci:unix:/nowhere/hci is down: No such file or directory\n")
    }

    @Test func `--check reports the errors of the scenario with their positions`() {
        let folder = Folder()
        let radio = folder.write(
            "hall.radio", "device Red buzzer\nat 5s press Blue\nat soon drop Red\n")
        let output = ShellCommand.run(
            "gamed --check --bluetooth sim:\(radio) 2>&1 | sed 's,.*hall.radio,hall.radio,'; gamed --bluetooth sim:/nowhere; echo $?; gamed --check --bluetooth hci:unix:/x --btsnoop /nowhere/x; echo $?"
        )
        // A line of the log begins with its time.
        let withoutTimes = output.replacing(/[0-9T:.-]+Z error/, with: "error")
        #expect(
            withoutTimes == """
                hall.radio:2:13: no device Blue is defined above
                hall.radio:3:4: expected a duration such as 250ms or 5m
                error [start] /nowhere: No such file or directory
                1
                gamed: --btsnoop: /nowhere/x: No such file or directory
                2

                """)
    }

    @Test func `SIGHUP reads the map lines again`() throws {
        let folder = Folder()
        let daemon = try startDaemon(folder)
        _ = ShellCommand.run("gamectl --socket $S advance 1s", daemon)
        folder.write(
            "gamed.conf",
            "map device=Key service=FFE0 characteristic=FFE1 value=01 event=startPlaying")
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("reload: configuration reloaded"))
        let output = ShellCommand.run(
            """
            gamectl --socket $S advance 3s
            gamectl --socket $S bluetooth | tail -n +4
            """, daemon)
        #expect(
            output == """
                clock 0:00:04.000
                  C0:00:00:00:00:02  Key         ready             -60 dBm  90 %
                  C0:00:00:00:00:01  Red buzzer  seen, not mapped  -48 dBm  55 %

                """)
    }

    @Test func `the capture is complete when the daemon has ended`() throws {
        let folder = Folder()
        let capture = "\(folder.path)/hall.btsnoop"
        let daemon = try startDaemon(folder, ["--btsnoop", capture])
        _ = ShellCommand.run(
            "gamectl --socket $S advance 1s; gamectl --socket $S bluetooth press 'Red buzzer'",
            daemon)
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        let output = ShellCommand.run(
            "tshark -r \(capture) -Y 'btatt.opcode == 0x1b' -T fields -e btatt.value 2>/dev/null")
        #expect(output == "01\n")
    }

    @Test func `the quiz night example runs as its page describes`() throws {
        let output = ShellCommand.run(
            """
            gamed --check --config Examples/buzzers/gamed.conf && echo sound
            S=$(mktemp -u); touch $S.log
            sed "s/^http .*/http 127.0.0.1:0/; s,sim:,sim:$PWD/Examples/buzzers/," Examples/buzzers/gamed.conf >$S.conf
            gamed --socket $S --clock virtual --config $S.conf 2>$S.log & daemon=$!
            until grep -q 'listens at' $S.log; do kill -0 $daemon || break; done
            gamectl --socket $S advance 15s | tail -n 1
            gamectl --socket $S history limit=2 | head -n 1
            gamectl --socket $S send judge correct=false
            gamectl --socket $S bluetooth press "Blue buzzer"
            kill $daemon; wait; grep -o 'web at http://127.0.0.1' $S.log; rm $S.log $S.conf
            """)
        #expect(
            output == """
                sound
                clock 0:00:15.000
                0:00:14.000        refused noTransition  buzz player=blue  (locked does not take buzz; it accepts judge, abandon; bluetooth C0:00:00:00:00:01 was first with buzz (#3))  bluetooth C0:00:00:00:00:02
                #4 locked → question  judge correct=false  [ask]
                  DEVICE             NAME         STATE  SIGNAL   BATTERY  LAST PRESS
                  C0:00:00:00:00:02  Blue buzzer  ready  -61 dBm  35 %     buzz @main: enter
                web at http://127.0.0.1

                """)
    }

    @Test func `the metrics count the inputs of devices`() throws {
        let folder = Folder()
        let daemon = try startDaemon(folder, ["--http", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
        let output = ShellCommand.run(
            """
            gamectl --socket $S advance 1s >/dev/null
            gamectl --socket $S bluetooth press "Red buzzer" >/dev/null
            gamectl --socket $S bluetooth press "Red buzzer" >/dev/null
            gamectl --socket $S bluetooth sleep "Red buzzer" >/dev/null
            curl -s $METRICS/metrics | grep -E '^gamed_(refusals|connection|inputs)'
            .venv/bin/python Tests/gamedTests/Clients/metrics.py $WEB | tail -n 1
            """, daemon)
        // The session refused the second press, and the event that was sent when the link was lost.
        #expect(
            output == """
                gamed_refusals_total{flow="game",reason="noTransition",source="bluetooth"} 2
                gamed_connection_up{name="bluetooth",kind="bluetooth"} 1
                gamed_inputs_total{name="bluetooth"} 3
                gamed_inputs_unmatched_total{name="bluetooth"} 0
                ok metrics

                """)
    }
}

/// The daemon reaches its controller over a socket. It survives if the controller floods it, is missing, or does not speak HCI.
@Suite struct HostileControllerTests {
    @Test func `a controller that floods the daemon does not block it, and memory stays limited`()
        throws
    {
        let folder = Folder()
        let configuration = folder.write("gamed.conf", "map device=* lost=pause\n")
        let daemon = try DaemonProcess([
            "--bluetooth", "hci:unix:\(folder.path)/hci", "--config", configuration,
        ])
        // flood.py prints `taken` when it has sent 4 MiB.
        let output = ShellCommand.run(
            """
            F='\(folder.path)'; touch $F/output
            .venv/bin/python Tests/gamedTests/Clients/flood.py $F/hci >$F/output & flood=$!
            until grep -q taken $F/output; do kill -0 $flood || break; done
            for i in 1 2 3 4 5; do echo ping | nc -N -U $S; done
            gamectl --socket $S --json bluetooth | .venv/bin/python -c \
              'import json, sys; print(len(json.load(sys.stdin)["devices"]))'
            kill $flood; wait
            """, daemon)
        // The daemon lists at most 256 devices.
        let pongs = String(repeating: "OK {\"pong\":true}\n", count: 5)
        #expect(output == pongs + "256\n")
        #expect(daemon.memory < 256 << 20, "\(daemon.memory)")
    }

    @Test
    func `gamed looks again for a missing controller, and survives one that does not speak HCI`()
        throws
    {
        let folder = Folder()
        let daemon = try DaemonProcess(["--bluetooth", "hci:unix:\(folder.path)/hci"])
        #expect(daemon.waitFor("no controller at"))
        // Another gamed now listens at the location of the controller. Its replies are not HCI.
        let otherDaemon = try DaemonProcess(socket: "\(folder.path)/hci")
        let output = ShellCommand.run(
            """
            until gamectl --socket $S bluetooth | grep -v 'No such file'; do :; done
            """, daemon)
        #expect(
            output.contains("is opening") || output.contains("is starting")
                || output.contains("is down"))
        #expect(ShellCommand.run("echo ping | nc -N -U $S", daemon) == "OK {\"pong\":true}\n")
        otherDaemon.signal(SIGTERM)
        otherDaemon.waitForEnd()
    }
}
