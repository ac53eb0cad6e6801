import FlowFiles
import GameFlow
import Glibc

/// The flow files of a directory (`--flows DIR`), as they were when this object was created. `Options` creates one at the start
/// and at each SIGHUP; `FlowLibrary` offers the flows.
final class FlowDirectory: Equatable {
    /// A file without a mistake.
    struct LoadedFile {
        let path: String
        let flow: AnyFlow
    }

    let path: String
    /// The files that have no mistake, in the order of their names.
    private(set) var files: [LoadedFile] = []
    /// The mistakes in the other files, or in the directory: sentences that begin with the path.
    private(set) var mistakes: [String] = []
    /// The maximum number of files. If a directory has more, none of them is read.
    static let fileLimit = 1000

    /// Reads all files `*.yaml` of the directory at `path`, except those whose names begin with a dot, in the order of the file
    /// names. `builtIn` are the flows of the program. It is a mistake if the flow of a file has the same name as one of these
    /// flows.
    init(_ path: String, builtIn: [AnyFlow]) {
        self.path = path
        guard let names = fileNames() else { return }
        guard names.count <= Self.fileLimit else {
            mistakes.append(
                "\(path): has \(names.count) flow files; at most \(Self.fileLimit) are allowed")
            return
        }
        for name in names { read("\(path)/\(name)", builtIn) }
    }

    /// Whether `a` and `b` are the same object. Their files are not compared. `Options` is `Equatable`, and therefore needs
    /// `==` here.
    static func == (a: FlowDirectory, b: FlowDirectory) -> Bool { a === b }

    /// Appends the flow of a file to `files`, or the file's mistakes to `mistakes`.
    private func read(_ path: String, _ builtIn: [AnyFlow]) {
        let flow: AnyFlow
        do { flow = try FlowFile(path: path).flow } catch {
            mistakes += error.findings.map(\.description)
            return
        }
        if builtIn.contains(where: { $0.name == flow.name }) {
            mistakes.append("\(path): \(flow.name) is the name of a built-in flow; choose another")
        } else if let other = files.first(where: { $0.flow.name == flow.name }) {
            mistakes.append("\(path): the flow \(flow.name) is also in \(other.path); rename one")
        } else {
            files.append(LoadedFile(path: path, flow: flow))
        }
    }

    /// The names of the files; nil if the directory cannot be read.
    private func fileNames() -> [String]? {
        guard let directory = opendir(path) else {
            mistakes.append("\(path): \(String(cString: strerror(errno)))")
            return nil
        }
        defer { closedir(directory) }
        // Sorted, without names that begin with a dot.
        return FilePath.names(in: directory).filter { $0.hasSuffix(".yaml") }
    }
}

/// The flows whose names, states and events a configuration may use: the flows of the program and of the flow files.
struct KnownFlows {
    let flows: [AnyFlow]
    /// Whether flows are missing because their files have mistakes. Unknown names are then not reported, because they may
    /// belong to those flows.
    let isPartial: Bool

    init(_ flows: [AnyFlow], isPartial: Bool = false) {
        (self.flows, self.isPartial) = (flows, isPartial)
    }
}
