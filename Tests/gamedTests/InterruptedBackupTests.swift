import Connections
import Glibc
import Shards
import TestSupport
import Testing

@testable import GamedServer

/// The unfinished files of a backup that the end of the daemon interrupted.
@Suite struct InterruptedBackupTests {
    private let folder = Folder()

    init() { mkdir("\(folder.path)/state", 0o700) }

    private func exists(_ name: String) -> Bool { access("\(folder.path)/\(name)", F_OK) == 0 }

    private var record: InterruptedBackup { InterruptedBackup(recordedIn: "\(folder.path)/state") }

    @Test func `the next start removes the files that an interrupted backup left`() {
        record.begin("\(folder.path)/b.db")
        for name in ["b.db.part", "b.db.part-wal", "b.db", "c.db.part"] { folder.write(name, "x") }
        record.removeFiles()
        #expect(!exists("b.db.part") && !exists("b.db.part-wal"))
        // Other files stay, and so does the backup, if it was completed.
        #expect(exists("b.db") && exists("c.db.part"))
        #expect(!exists("state/backup-target"))
    }

    @Test func `after a complete backup nothing is removed`() {
        record.begin("\(folder.path)/b.db")
        record.end()
        folder.write("b.db.part", "x")
        record.removeFiles()
        #expect(exists("b.db.part"))
    }

    @Test func `a start after a kill during a backup removes its files`() throws {
        let state = "\(folder.path)/state"
        let options = ["--state-dir", state]
        let daemon = try DaemonProcess(options)
        let answer = try Client(daemon.socket).ask("backup onServer=true to=\(folder.path)/b.db")
        #expect(answer.hasPrefix("OK") && !exists("state/backup-target"), "\(answer)")
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        // As a kill during a backup leaves them.
        folder.write("c.db.part", "x")
        folder.write("state/backup-target", "\(folder.path)/c.db")
        let restarted = try DaemonProcess(options)
        #expect(try Client(restarted.socket).ask("ping").hasPrefix("OK"))
        #expect(!exists("c.db.part") && exists("b.db") && !exists("state/backup-target"))
    }
}
