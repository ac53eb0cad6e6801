import Durability
import GameFlow
import Glibc
import Journal
import JournalTestSupport
import SQLiteStore
import Sessions
import ShippedFlows
import TestSupport
import Timers

@testable import GamectlTool

/// A temporary state directory, as a daemon on a virtual clock leaves it when the daemon stops.
final class StateDirectoryFixture {
    static let player = Source(Source.Kind("unix"), peer: .process(pid: 11, uid: 22, gid: 33))

    private let folder = Folder()
    var path: String { folder.path }
    let time = VirtualClock()
    let sessions: Sessions
    var rows: [JournalRow] = []

    init() {
        sessions = Sessions(AnyFlow.shipped(), on: time)
        sessions.recorder = { [unowned self] record, previous in
            let row = JournalRow(record, at: rows.count + 1, after: previous)
            rows.append(row)
            return row.journalPosition
        }
        sessions.recordStart([], lastAlive: .zero)
    }

    deinit {
        for session in sessions.all { session.machine.end() }
    }

    /// Plays part of a game and a quiz, which makes ten rows. One of the requests has the id.
    func play(id: String = "k") throws {
        let main = try sessions.open(
            .main, sessions.flow("game"), RequestContext(from: Self.player))
        _ = try sessions.send("startPlaying", to: main, RequestContext(from: Self.player))
        _ = try sessions.send(
            "chooseEpisode", [Member("episode", 2)], to: main, RequestContext(from: Self.player))
        let quiz = try sessions.open(
            SessionName("q")!, sessions.flow("quiz"), RequestContext(from: Self.player))
        _ = try sessions.send(
            "start", [Member("rounds", 1)], to: quiz, RequestContext(from: Self.player, id: id))
        _ = try sessions.advance(.by(.seconds(21)), from: Self.player)
        try sessions.close(quiz, RequestContext(from: Self.player))
        _ = try sessions.send(
            "chooseLevel", [Member("level", 1)], to: main, RequestContext(from: Self.player))
    }

    /// Writes the rows into the directory's journal.
    func write() throws {
        let file = try JournalFile(path)
        try file.append(rows)
        try file.setNote("clock", "virtual")
        try file.setNote("instance", "f00d")
    }

    /// Replaces a text in a row's body. If `withValidChecksum` is true, the row gets a new, valid checksum. Otherwise the row
    /// keeps its old checksum.
    func corrupt(_ index: Int, _ from: String, _ to: String, withValidChecksum: Bool = false) {
        let row = rows[index]
        let body = row.body { $0.replacing(from, with: to) }
        rows[index] = JournalRow(
            row.kind, position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            id: row.id, body: body, after: row.previous,
            checksum: withValidChecksum ? nil : row.checksum)
    }

    /// Opens the journal of the directory as gamectl does.
    func journal() throws -> OpenJournal { try OpenJournal(directoryOrBackup: path) }

    /// Runs gamectl, optionally piped into a command; returns the output and gamectl's status.
    static func run(_ arguments: String, _ pipe: String = "cat") -> (output: String, status: Int) {
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, 4095)
        let executable = String(
            decoding: path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let directory = executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)]
        // Descriptor 4 is the standard output; descriptor 3 carries gamectl's exit status out of the pipeline.
        let command =
            "exec 4>&1; status=$( { { '\(directory)/gamectl' \(arguments) 2>&1;"
            + " echo $? >&3; } | \(pipe) >&4; } 3>&1 ); echo \"status $status\""
        guard let stream = popen(command, "r") else { return ("popen failed", -1) }
        defer { pclose(stream) }
        var text = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
            text += buffer[..<count]
        }
        let output = String(decoding: text, as: UTF8.self)
        guard let last = output.ranges(of: "status ").last else { return (output, -1) }
        let status = Int(output[last.upperBound...].filter(\.isNumber)) ?? -1
        return (String(output[..<last.lowerBound]), status)
    }
}
