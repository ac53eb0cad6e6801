public import Glibc

/// A temporary directory, removed with its contents when the object is released.
public final class Folder {
    public let path: String

    public init() {
        var template = Array("/tmp/gamed-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }

    deinit { Self.remove(path) }

    /// Writes a file and returns its path. `mode` are its permissions; nil keeps the usual ones.
    @discardableResult public func write(
        _ name: String, _ text: String, mode: mode_t? = nil
    ) -> String {
        let filePath = "\(path)/\(name)"
        guard let file = fopen(filePath, "w") else { return filePath }
        fputs(text, file)
        if let mode { fchmod(fileno(file), mode) }
        fclose(file)
        return filePath
    }

    /// Whether the folder has an entry of this name.
    public func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }

    /// The content of a file, up to 1 MiB; empty if the file cannot be opened.
    public func text(_ name: String) -> String {
        guard let file = fopen("\(path)/\(name)", "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Removes a file, or a directory with its contents. Wraps unlink(2), rmdir(2).
    private static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// The sorted names of the entries of a directory, without `.` and `..`. Empty if the directory cannot be read. Wraps
    /// readdir(3).
    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
