import Foundation

/// A store with a file for each machine, in a directory of its own.
///
/// A snapshot is written to a new file, which then takes the place of the old one, so that a crash leaves one of the two.
public struct FileSnapshotStore: SnapshotStore {
    private let directory: URL

    /// The end of the names of the files.
    private static let suffix = ".json"
    /// The bytes of a machine's name that a file's name has as they are. Each other byte is written as `=` and two digits, because
    /// `%` has a meaning in URLs.
    private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Creates the directory if it is missing. Throws if it cannot be used.
    public init(_ directory: String) throws {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(
            at: self.directory, withIntermediateDirectories: true)
    }

    public func save(_ snapshot: MachineSnapshot?, of name: String) async throws {
        let file = directory.appendingPathComponent(Self.fileName(of: name))
        let files = FileManager.default
        guard let snapshot else {
            if files.fileExists(atPath: file.path) { try files.removeItem(at: file) }
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let new = file.appendingPathExtension("new")
        try encoder.encode(snapshot).write(to: new)
        let handle = try FileHandle(forUpdating: new)
        try handle.synchronize()
        try handle.close()
        guard rename(new.path, file.path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
    }

    public func load() async throws -> [String: MachineSnapshot] {
        var snapshots: [String: MachineSnapshot] = [:]
        for file in try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        {
            guard let name = Self.name(ofFile: file.lastPathComponent) else { continue }
            snapshots[name] = try JSONDecoder().decode(
                MachineSnapshot.self, from: Data(contentsOf: file))
        }
        return snapshots
    }

    private static func fileName(of name: String) -> String {
        let bytes = name.utf8.map { byte in
            plainBytes.contains(byte)
                ? String(UnicodeScalar(byte))
                : "=" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return bytes.joined() + suffix
    }

    /// The machine whose snapshot a file has; nil for any other file.
    private static func name(ofFile file: String) -> String? {
        guard file.hasSuffix(suffix) else { return nil }
        return String(file.dropLast(suffix.count)).replacingOccurrences(of: "=", with: "%")
            .removingPercentEncoding
    }
}
