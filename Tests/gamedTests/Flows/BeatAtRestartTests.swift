import Connections
import Glibc
import TestSupport
import Testing

/// A restart at an instant of the virtual clock at which a timer is due.
@Suite(.timeLimit(.minutes(1))) struct BeatAtRestartTests {
    private let folder = Folder()
    private static let flow = """
        flow: beat
        start: running
        events: {go: }
        states:
          running:
            data: {n: integer = 0}
            timers: {late: {after: 3s}, tick: {every: 1s}}
            on: {late: {with: {n: =n + 1}}, tick: stay, go: {with: {n: =n + 10}}}
        """

    @Test func `what is due at the restored instant fires before the first request`() throws {
        folder.write("beat.yaml", Self.flow)
        let state = "\(folder.path)/state"
        let options = [
            "--clock", "virtual", "--flows", folder.path, "--flow", "beat", "--state-dir", state,
        ]
        do {
            let daemon = try DaemonProcess(options)
            let client = try Client(daemon.socket)
            // At three seconds, first `late` fires, whose row has the pendulum due now, and then the pendulum.
            #expect(client.ask("advance 3s").hasPrefix("OK"))
            daemon.signal(SIGKILL)
            daemon.waitForEnd()
        }
        do {
            let daemon = try DaemonProcess(options)
            let client = try Client(daemon.socket)
            #expect(client.ask("status").contains(#""remainingMs":1000"#))
            #expect(client.ask("send go").contains(#""n":11"#))
            daemon.signal(SIGTERM)
            daemon.waitForEnd()
        }
        let replay = ShellCommand.run(
            "\(DaemonProcess.programDirectory)/gamectl replay \(state); echo status $?")
        #expect(replay.hasSuffix("the replay matches the journal\nstatus 0\n"), "\(replay)")
    }
}
