import Glibc
package import JSONCoding
import RPC
import Support

/// The configuration file. Each line begins with the name of a setting. It is the name of an option without the dashes, or a
/// name that the command line does not have, such as `allow`. `#` begins a comment; words are quoted as in a shell.
package struct ConfigurationFile {
    /// The path of the file that is read if the command line names no file.
    package static let standardPath = "/etc/gamed/gamed.conf"
    /// The maximum size of a file in bytes.
    package static let maxBytes = 1 << 20

    /// A line that is neither empty nor a comment.
    package struct Line {
        /// The number in the file, from 1.
        package let number: Int
        /// The name of the setting, with its column.
        package let name: TextWord
        /// The words after the name, each with its column. A word `KEY=VALUE` has a `key` and a `value`.
        package let words: [TextWord]
        /// The node that the line names; only in the lines of `sharedLines`.
        package var node: String?
        /// The path of the included file that has the line; nil for a line of the file itself.
        package let path: String?

        /// The path of the file and the number of the line.
        fileprivate var place: (String?, Int) { (path, number) }

        package init(
            number: Int, name: TextWord, words: [TextWord], node: String? = nil,
            path: String? = nil
        ) {
            (self.number, self.name, self.words, self.node) = (number, name, words, node)
            self.path = path
        }
    }

    package private(set) var path: String
    /// The number of files that were included.
    private var includedCount = 0
    /// The lines that could be parsed; their names and words are not checked yet.
    package var lines: [Line] = []
    /// The lines that could not be parsed.
    package private(set) var mistakes: [ConfigurationError] = []

    /// Reads the file at `path`, or at `standardPath` if `path` is nil. Returns nil if `path` is nil and no file exists at
    /// `standardPath`.
    package static func read(_ path: String?) throws(ConfigurationError) -> ConfigurationFile? {
        guard let path else {
            let exists = access(standardPath, F_OK) == 0
            return exists ? try ConfigurationFile(standardPath) : nil
        }
        return try ConfigurationFile(path)
    }

    /// Reads and parses a file. Lines that cannot be parsed are reported in `mistakes`.
    package init(_ path: String) throws(ConfigurationError) {
        self.init(path, text: try Self.contents(of: path))
    }

    /// Parses a text; `path` only names it in mistakes.
    package init(_ path: String, text: [UInt8]) {
        self.path = path
        read(text, in: nil)
    }

    /// Reads the lines of a text. `included` is the path of the included file that has them; nil for the file itself.
    private mutating func read(_ text: [UInt8], in included: String?) {
        var number = 0
        let lines = text.withoutByteOrderMark.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines {
            number += 1
            // A line may end with CR and LF.
            read(line.last == UInt8(ascii: "\r") ? line.dropLast() : line, number, included)
        }
    }

    /// Appends a line to `lines`, or its mistake to `mistakes`. Ignores empty lines and comments.
    private mutating func read(
        _ line: ArraySlice<UInt8>, _ number: Int, _ included: String?
    ) {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        guard let firstByte = line.first(where: { !blanks.contains($0) }),
            firstByte != UInt8(ascii: "#")
        else { return }
        do throws(TextWordsError) {
            let words = try TextWords.split(line, isConfiguration: true)
            let line = Line(
                number: number, name: words[0], words: Array(words.dropFirst()), path: included)
            lines.append(line)
            if line.name.text == Self.includeName { include(line) }
        } catch {
            mistakes.append(
                ConfigurationError(
                    path: included ?? path, line: number, column: error.offset + 1,
                    why: CallError(error).why))
        }
    }

    // MARK: included files

    /// The name of a line that includes other files.
    package static let includeName = "include"
    /// The maximum number of files that a configuration includes.
    package static let includeLimit = 256

    /// Reads the lines of the files that a line `include` names, in the order of their names. `*` in the name of the file stands
    /// for any text; it is no mistake if no file matches then.
    private mutating func include(_ line: Line) {
        func refuse(_ word: TextWord?, _ why: String) {
            mistakes.append(mistake(line, word, "include: \(why)"))
        }
        guard line.path == nil else {
            return refuse(nil, "an included file cannot include further files")
        }
        guard line.words.count == 1, let word = line.words.first, !word.text.isEmpty else {
            return refuse(nil, "expected a path such as conf.d/*.conf")
        }
        let pattern = resolvedPath(word.text)
        guard let paths = Self.matches(pattern) else {
            let why = String(cString: strerror(errno))
            return refuse(word, "\(FilePath.directory(of: pattern)): \(why)")
        }
        guard includedCount + paths.count <= Self.includeLimit else {
            return refuse(word, "more than \(Self.includeLimit) files")
        }
        includedCount += paths.count
        for path in paths {
            do throws(ConfigurationError) {
                read(try Self.contents(of: path), in: path)
            } catch { refuse(word, "\(path): \(error.why)") }
        }
    }

    /// The paths of the files that a pattern matches; the pattern itself if it has no `*`. Names that begin with a point match
    /// nothing, and a folder that does not exist has no files. Nil, with the reason in `errno`, if the folder cannot be read. Wraps
    /// fnmatch(3).
    private static func matches(_ pattern: String) -> [String]? {
        let folder = FilePath.directory(of: pattern)
        let name = String(pattern.split(separator: "/").last ?? "")
        guard name.contains("*") else { return [pattern] }
        guard let names = FilePath.names(inDirectory: folder) else {
            return errno == ENOENT ? [] : nil
        }
        return names.filter { fnmatch(name, $0, 0) == 0 }
            .map { "\(folder)/\($0)" }
    }

    /// This configuration as the file that has the line, so that a relative path begins at the folder of that file.
    package func asWritten(_ line: Line) -> ConfigurationFile {
        guard let included = line.path else { return self }
        var file = self
        file.path = included
        return file
    }

    /// The last line with this name, and with this value unless `value` is nil; nil if there is none.
    package func line(_ name: String, value: String? = nil) -> Line? {
        lines.last { line in
            line.name.text == name && (value == nil || line.words.first?.text == value)
        }
    }

    /// The error for a line that gives something again. It names `first`, the line that has it first.
    package func repetition(
        _ line: Line, _ word: TextWord? = nil, of something: String, first: Line?
    ) -> ConfigurationError {
        var why = "\(something) is given twice"
        if let first, first.place != line.place {
            let place =
                first.path == line.path
                ? "line \(first.number)" : "\(first.path ?? path):\(first.number)"
            why += "; \(place) has it, too"
        }
        return mistake(line, word, why)
    }

    /// The error for a mistake in a word of a line, or in the line as a whole. If `why` repeats the word, the secrets in it are left
    /// out.
    package func mistake(_ line: Line, _ word: TextWord? = nil, _ why: String) -> ConfigurationError
    {
        let word = word ?? line.name
        var why = why
        for text in [word.text, word.pair?.value ?? ""] {
            let shown = SecretText.inMistake(text)
            if shown != text { why = why.replacing(text, with: shown) }
        }
        return ConfigurationError(
            path: line.path ?? path, line: line.number, column: word.offset + 1, why: why)
    }

    /// The bytes of a file. Throws if the file cannot be read, or is larger than `maxBytes`.
    package static func contents(of path: String) throws(ConfigurationError) -> [UInt8] {
        func failed(_ why: String) -> ConfigurationError {
            ConfigurationError(path: path, line: 0, column: 0, why: why)
        }
        // `e` closes the descriptor in programs that the daemon starts.
        guard let file = fopen(path, "re") else { throw failed(String(cString: strerror(errno))) }
        defer { fclose(file) }
        // In blocks, because a buffer of the maximum size would be cleared for each small file. The loop ends
        // when the file ends, or when it is too large.
        var (bytes, block) = ([UInt8](), [UInt8](repeating: 0, count: 8192))
        while bytes.count <= maxBytes {
            let count = fread(&block, 1, block.count, file)
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        guard ferror(file) == 0 else { throw failed("cannot be read") }
        guard bytes.count <= maxBytes else { throw failed("longer than \(maxBytes) bytes") }
        return bytes
    }
}
