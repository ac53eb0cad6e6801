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

    /// The paths of the Swift files in a folder of the repository and in its subfolders.
    public static func swiftFiles(in folder: String) -> [String] {
        guard let directory = opendir("\(root)/\(folder)") else { return [] }
        defer { closedir(directory) }
        var paths: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            let path = "\(folder)/\(name)"
            if name.hasSuffix(".swift") { paths.append(path) }
            if entry.pointee.d_type == UInt8(DT_DIR) { paths += swiftFiles(in: path) }
        }
        return paths
    }
}
