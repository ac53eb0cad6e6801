import FlowFiles
package import GameFlow
import Glibc
package import Parts
import Sessions
import Support

/// The flow files of a directory (`--flows DIR`), as they were when this object was created. `Options` creates one at the start
/// and at each SIGHUP; `FlowLibrary` offers the flows.
package final class FlowDirectory: Equatable {
    /// A file without a mistake.
    package struct LoadedFile {
        package let path: String
        package let flow: AnyFlow
        /// The possible mistakes that were found without trying the flow.
        package let warnings: [String]
        /// The warnings if no output sends the effect `show`; none if the flow does not request it.
        let warningsOfShowEffect: [String]
        /// The mistake in a file that uses the name of a built-in flow; none in any other file.
        let mistakesOfName: [String]

        /// The warnings that the file and the lines of the configuration cause together.
        package func warnings(with options: Options) -> [String] {
            options.reacts(toEffect: "show")
                ? warnings : warnings + warningsOfShowEffect
        }
    }

    package let path: String
    /// The files that have no mistake, in the order of their names.
    package private(set) var files: [LoadedFile] = []
    /// The mistakes in the other files, or in the directory: sentences that begin with the path.
    package private(set) var mistakes: [String] = []
    /// The maximum number of files. If a directory has more, none of them is read.
    static let fileLimit = 1000

    /// The names of the files that are not read yet, the next one last.
    private var unreadNames: [String] = []
    private let builtIn: [AnyFlow]
    /// The files of an earlier reading of the directory, by their paths.
    private let earlierFiles: [String: LoadedFile]
    /// The paths of the files with the flows, by the names of the flows.
    private var pathsByFlow: [String: String] = [:]

    /// Reads all files `*.yaml` of the directory at `path`, except those whose names begin with a dot, in the order of the file
    /// names. `builtIn` are the flows of the program. It is a mistake if the flow of a file has the same name as one of these
    /// flows.
    package convenience init(_ path: String, builtIn: [AnyFlow]) {
        self.init(toRead: path, builtIn: builtIn, earlier: nil)
        read { true }
    }

    /// Prepares to read the directory; `read` reads the files. `earlier` is an earlier reading, if there is one.
    package init(toRead path: String, builtIn: [AnyFlow], earlier: FlowDirectory?) {
        (self.path, self.builtIn) = (path, builtIn)
        earlierFiles = Dictionary(
            (earlier?.files ?? []).map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        guard let names = fileNames() else { return }
        guard names.count <= Self.fileLimit else {
            mistakes.append(
                "\(path): has \(names.count) flow files; at most \(Self.fileLimit) are allowed")
            return
        }
        unreadNames = names.reversed()
    }

    /// Reads files until all are read or `mayContinue` returns false. Returns whether all are read.
    @discardableResult package func read(while mayContinue: () -> Bool) -> Bool {
        while let name = unreadNames.popLast() {
            read("\(path)/\(name)")
            if !mayContinue() { break }
        }
        return unreadNames.isEmpty
    }

    /// Whether `a` and `b` are the same object. Their files are not compared. `Options` is `Equatable`, and therefore needs
    /// `==` here.
    package static func == (a: FlowDirectory, b: FlowDirectory) -> Bool { a === b }

    /// Whether the path is a symbolic link to a file outside of the directory. The mistakes in a file quote its text, and the
    /// daemon may read files that those who write flows may not read.
    private func leadsOutside(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return false }
        guard let directory = FilePath.resolved(self.path), let file = FilePath.resolved(path)
        else {
            return false
        }
        return !file.utf8.starts(with: "\(directory == "/" ? "" : directory)/".utf8)
    }

    /// Reads and checks a file. If the file and its tables are as in an earlier reading, they are not checked again.
    private func load(_ path: String) throws(FlowFileError) -> LoadedFile {
        let text = try FlowFile.readText(path)
        if let earlier = earlierFiles[path], let source = earlier.flow.source, source.text == text,
            FlowFile.hasSameTables(source, at: path)
        {
            return earlier
        }
        let file = try FlowFile(text: text, path: path)
        return LoadedFile(
            path: path, flow: file.flow, warnings: file.warnings.map(\.description),
            warningsOfShowEffect: [file.warningOfShowEffect].compactMap { $0?.description },
            mistakesOfName: [file.mistake(beside: builtIn)].compactMap { $0?.description })
    }

    /// Appends the flow of a file to `files`, or the file's mistakes to `mistakes`.
    private func read(_ path: String) {
        guard !leadsOutside(path) else {
            mistakes.append("\(path): a symbolic link to a file outside of \(self.path)")
            return
        }
        let file: LoadedFile
        do { file = try load(path) } catch {
            mistakes += error.findings.map(\.description)
            return
        }
        let flow = file.flow
        mistakes += file.mistakesOfName
        guard file.mistakesOfName.isEmpty else { return }
        if let other = pathsByFlow[flow.name] {
            mistakes.append("\(path): the flow \(flow.name) is also in \(other); rename one")
        } else {
            pathsByFlow[flow.name] = path
            files.append(file)
        }
    }

    /// The names of the files; nil if the directory cannot be read.
    private func fileNames() -> [String]? {
        guard let names = FilePath.names(inDirectory: path) else {
            mistakes.append("\(path): \(String(cString: strerror(errno)))")
            return nil
        }
        return names.filter { $0.hasSuffix(".yaml") }
    }
}
