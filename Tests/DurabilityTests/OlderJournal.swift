import FlowFiles
import GameFlow
import Glibc
import JSONCoding
import Journal
import SQLiteStore
import Sessions
import ShippedFlows
import TestSupport

/// A journal that an earlier version of the daemon wrote. It contains all kinds of rows and changes, ids, and two restarts. The
/// earlier version of the daemon also wrote two other files, with which the tests compare their results. `expected-export.jsonl`
/// is the export of the journal. `expected-sessions.jsonl` is the status of each session after the last row.
struct OlderJournal {
    /// A journal of version 1: 74 rows, whose bodies are JSON.
    static let version1 = OlderJournal("Version1Journal")
    /// A journal of version 2: 57 rows, among them messages, labels, undone steps, and two versions of a flow file.
    static let version2 = OlderJournal("Version2Journal")

    let folder: String

    private init(_ name: String) {
        folder =
            "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/\(name)"
    }

    /// The flows that the journals' sessions play. The texts of the flow files are in the journal.
    static var catalog: FlowCatalog {
        let flows = AnyFlow.shipped() + [AnyFlow(Chime())]
        return FlowCatalog(
            flows.map { FlowCatalog.OfferedFlow($0) }, read: FlowFile.flow(of:))
    }

    /// Copies the journal into a directory of the test.
    func copy(into directory: String) throws {
        try Self.write(read("journal.db"), to: "\(directory)/\(JournalFile.name)")
    }

    /// The JSON objects of a file, one per line.
    func lines(_ name: String) throws -> [[Member]] {
        try read(name).split(separator: 0x0A).map { line in
            var text = JSONText()
            try text.read(line)
            return text.object(at: JSONText.root)
        }
    }

    func read(_ name: String) throws -> [UInt8] {
        guard let file = fopen("\(folder)/\(name)", "r") else { throw FileError(name: name) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw FileError(name: path) }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
            throw FileError(name: path)
        }
    }

    struct FileError: Error { let name: String }
}
