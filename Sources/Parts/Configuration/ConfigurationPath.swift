import Glibc
import JSONCoding
import PostgresStore
import Shell
import Support

/// Relative paths in a configuration. They begin at the folder of the file that has them, so that the folder of a room can be
/// moved as a whole.
extension ConfigurationFile {
    /// The path that `text`, a path in this file, stands for. The names of credentials and the URLs of databases stay as they
    /// are.
    ///
    /// Version 0.1 looked for relative paths in its working directory. A path that exists there, and not in the folder of the
    /// file, is still used, so that an upgrade does not begin an empty journal; `noteAboutPath` warns of it.
    package func resolvedPath(_ text: String) -> String {
        isOnlyInWorkingDirectory(text) ? text : pathInFolder(text)
    }

    /// As `resolvedPath`, for a path that version 0.1 did not accept if it was relative. The result is absolute: a program gets another
    /// working directory.
    package func absolutePath(_ text: String) -> String {
        let path = pathInFolder(text)
        guard Self.isRelative(path), let directory = Self.workingDirectory else { return path }
        return directory == "/" ? "/\(path)" : "\(directory)/\(path)"
    }

    /// A warning that `resolvedPath` returns a path in the working directory; nil if it does not. `name` is the setting, and `text` the
    /// path that the word contains.
    func noteAboutPath(_ name: String, _ text: String, at word: TextWord, of line: Line)
        -> ConfigurationError?
    {
        guard isOnlyInWorkingDirectory(text) else { return nil }
        let directory = Self.workingDirectory ?? "."
        return mistake(
            line, word,
            "\(name): \(text) is not in the folder of this file, where a relative path begins; \(directory)/\(text) "
                + "is used: move it, or write the whole path")
    }

    /// The path in the folder of the file.
    private func pathInFolder(_ text: String) -> String {
        guard Self.isRelative(text), let slash = path.lastIndex(of: "/") else { return text }
        return path[...slash] + text
    }

    private func isOnlyInWorkingDirectory(_ text: String) -> Bool {
        let path = pathInFolder(text)
        guard !path.hasSameBytes(as: text) else { return false }
        return access(path, F_OK) != 0 && access(text, F_OK) == 0
    }

    private static func isRelative(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.first != UInt8(ascii: "/")
            && ServiceCredential.name(in: text) == nil && !PostgresLocation.isURL(text)
    }

    /// Wraps getcwd(3).
    private static var workingDirectory: String? {
        guard let directory = getcwd(nil, 0) else { return nil }
        defer { free(directory) }
        return String(cString: directory)
    }
}
