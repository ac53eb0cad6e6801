import Foundation

/// A store with a file for each machine, in a directory of its own. The description of an error names the file.
///
/// A snapshot is written to a new file, which then takes the place of the old one, so that a crash leaves one of the two. When `save`
/// returns, the file and its entry in the directory are on the disk.
public struct FileSnapshotStore: SnapshotStore {
    private let directory: URL
    private let synchronize: @Sendable (_ directory: URL) throws -> Void

    /// The end of the names of the files.
    private static let suffix = ".json"
    /// The bytes of a machine's name that a file's name has as they are. Each other byte is written as `=` and two digits, because
    /// `%` has a meaning in URLs.
    private static let plainBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Creates the directory if it is missing. Throws if it cannot be used.
    public init(_ directory: String) throws {
        try self.init(directory, synchronize: DirectoryEntries.synchronize)
    }

    /// `synchronize` makes the entries of a directory durable.
    init(_ directory: String, synchronize: @escaping @Sendable (URL) throws -> Void) throws {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        self.synchronize = synchronize
        let files = FileManager.default
        var (missing, next): ([URL], URL) = ([], self.directory.standardizedFileURL)
        while !files.fileExists(atPath: next.path) {
            missing.append(next)
            next.deleteLastPathComponent()
        }
        try FileError.naming(self.directory) {
            try files.createDirectory(at: self.directory, withIntermediateDirectories: true)
            for made in missing { try synchronize(made.deletingLastPathComponent()) }
        }
    }

    public func save(_ snapshot: MachineSnapshot?, of name: String) async throws {
        let file = directory.appendingPathComponent(Self.fileName(of: name))
        try FileError.naming(file) { try save(snapshot, in: file) }
    }

    private func save(_ snapshot: MachineSnapshot?, in file: URL) throws {
        let earlier = try contents(of: file)
        guard let snapshot else {
            if earlier == nil { return }
            try FileManager.default.removeItem(at: file)
            return try synchronize(orPutBack: earlier, in: file)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try replace(file, with: encoder.encode(snapshot))
        try synchronize(orPutBack: earlier, in: file)
    }

    /// What a file has; nil if it does not exist.
    private func contents(of file: URL) throws -> Data? {
        FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }

    private func replace(_ file: URL, with contents: Data) throws {
        let new = file.appendingPathExtension("new")
        try contents.write(to: new)
        let handle = try FileHandle(forUpdating: new)
        try handle.synchronize()
        try handle.close()
        guard rename(new.path, file.path) == 0 else { throw DirectoryEntries.lastError }
    }

    /// Makes the change of a file's entry durable. If this fails, the file gets back what it had: the host tells its clients that
    /// nothing has changed.
    private func synchronize(orPutBack earlier: Data?, in file: URL) throws {
        do { try synchronize(directory) } catch {
            if let earlier {
                try? replace(file, with: earlier)
            } else {
                try? FileManager.default.removeItem(at: file)
            }
            throw error
        }
    }

    public func load() async throws -> [String: MachineSnapshot] {
        Dictionary(try await loadAll().map { ($0.name, $0.snapshot) }) { $1 }
    }

    public func loadAll() async throws -> [(name: String, snapshot: MachineSnapshot)] {
        var snapshots: [(name: String, snapshot: MachineSnapshot)] = []
        let files = try FileError.naming(directory) {
            // The variant that returns URLs takes a directory that cannot be read for an empty one.
            try FileManager.default.contentsOfDirectory(atPath: directory.path)
        }
        for file in files {
            guard let name = Self.name(ofFile: file) else { continue }
            let file = directory.appendingPathComponent(file)
            let snapshot = try FileError.naming(file) {
                try JSONDecoder().decode(MachineSnapshot.self, from: Data(contentsOf: file))
            }
            snapshots.append((name, snapshot))
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
