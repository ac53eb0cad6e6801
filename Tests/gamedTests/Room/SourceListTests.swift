import Connections
import TestSupport
import Testing

/// The list of all devices and connections, as gamectl prints it.
@Suite struct SourceListTests {
    private let folder = Folder()

    @Test func `gamectl lists devices and connections, with their last event`() throws {
        let scenario = folder.write("radio.scenario", "device \"Red buzzer\" buzzer\n")
        let path = folder.write(
            "gamed.conf",
            """
            map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
            serial door \(folder.path)/tty
            map serial=door line="GO *" event=startPlaying session=$1

            """)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try DaemonProcess([
            "--config", path, "--flow", "game", "--clock", "virtual", "--bluetooth",
            "sim:\(scenario)",
        ])
        #expect(daemon.waitFor("serial door: connected"))
        let client = try Client(daemon.socket)
        #expect(client.ask("advance 2s").hasPrefix("OK"))
        let command = "gamectl --socket \"$S\" sources"
        let before = ShellCommand.run(command, daemon).split(separator: "\n")
        #expect(before.count == 3 && before[1].contains("Red buzzer"), "\(before)")
        #expect(before[1].contains("bluetooth") && before[1].contains("none"), "\(before)")
        #expect(before[2].contains("serial") && before[2].contains("up for"), "\(before)")

        #expect(client.ask(#"bluetooth press "Red buzzer""#).hasPrefix("OK"))
        #expect(client.ask("advance 5s").hasPrefix("OK"))
        let watcher = try Client(daemon.socket)
        #expect(watcher.ask("watch topics=changes,refusals").hasPrefix("OK"))
        // The press has moved the session out of the state that takes startPlaying, so the flow refuses the event of the serial
        // device.
        tty.write("GO main\n")
        #expect(watcher.line()?.contains("noTransition") == true)
        let after = ShellCommand.run(command, daemon).split(separator: "\n")
        #expect(after.count == 3 && after[1].contains("startPlaying @main enter, 0:05 ago"))
        #expect(after.last?.contains("startPlaying @main noTransition") == true, "\(after)")
        let buzzerOnly = ShellCommand.run("\(command) 'Red buzzer'", daemon)
        #expect(buzzerOnly.contains("bluetooth") && !buzzerOnly.contains("serial"), "\(buzzerOnly)")
        #expect(ShellCommand.run("\(command) nothing", daemon).contains("no source has that name"))
    }
}
