import Connections
import Glibc
import TestSupport
import Testing

/// A journal in format 2, with a flow file about which a newer gamed has warnings.
@Suite struct WarnedJournalTests {
    private let folder = Folder()

    init() {
        for name in ["journal.db", "journal.mark"] {
            let source = "Tests/gamedTests/Flows/WarnedJournal/\(name)"
            #expect(ShellCommand.run("cp '\(source)' '\(folder.path)/\(name)'") == "")
        }
    }

    @Test func `a session whose flow has new findings is restored, and plays on`() throws {
        let daemon = try DaemonProcess([
            "--no-main", "--clock", "virtual", "--state-dir", folder.path,
        ])
        let client = try Client(daemon.socket)
        let status = client.ask("status @one")
        #expect(status.contains(#""state":"playing""#), "\(status)")
        #expect(status.contains(#""settings":{"code":"451","pause":"1:30"}"#), "\(status)")
        #expect(!daemon.output.contains("quarantine"), "\(daemon.output)")
        #expect(client.ask("send @one next").contains(#""to":{"state":"idle""#))
        #expect(client.ask("describe session=one").contains(#""to":"playing""#))
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
    }
}
