private import Glibc

/// Reads files of the repository, for tests that compare documentation with code.
public enum RepositoryFile {
    /// The path of the repository.
    public static let root =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    /// The text of a file at a path in the repository; empty if it cannot be read.
    public static func text(_ path: String) -> String {
        guard let file = fopen("\(root)/\(path)", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// The paths of the files in a folder of the repository whose names end with `suffix`, sorted by name. Subfolders are not
    /// searched.
    public static func files(in folder: String, _ suffix: String) -> [String] {
        Folder.names(in: "\(root)/\(folder)").filter { $0.hasSuffix(suffix) }
            .map { "\(folder)/\($0)" }
    }

    /// The paths of the Swift files in a folder of the repository and in its subfolders.
    public static func swiftFiles(in folder: String) -> [String] {
        Folder.names(in: "\(root)/\(folder)").filter { !$0.hasPrefix(".") }.flatMap { name in
            let path = "\(folder)/\(name)"
            return name.hasSuffix(".swift") ? [path] : swiftFiles(in: path)
        }
    }
}
