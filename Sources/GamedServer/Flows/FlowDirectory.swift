import FlowFiles
import GameFlow
import Glibc

/// The flow files of a directory, as they were when they were read.
final class FlowDirectory: Equatable {
    /// A file without a mistake.
    struct LoadedFile {
        let path: String
        let flow: AnyFlow
    }

    let path: String
    private(set) var files: [LoadedFile] = []
    /// The mistakes in the files, one sentence each, which begins with the path of the file.
    private(set) var mistakes: [String] = []
    /// The maximum number of files.
    static let fileLimit = 1000

    /// Reads all files `*.yaml` of a directory whose names do not begin with a dot, in the order of their names. A flow must
    /// not have the name of a flow in `builtIn`.
    init(_ path: String, builtIn: [AnyFlow]) {
        self.path = path
        guard let names = fileNames() else { return }
        guard names.count <= Self.fileLimit else {
            mistakes.append(
                "\(path): has \(names.count) flow files; at most \(Self.fileLimit) are read")
            return
        }
        for name in names { read("\(path)/\(name)", builtIn) }
    }

    /// Two objects are never equal, even if they contain the same files. Thus SIGHUP always applies what was read again.
    static func == (a: FlowDirectory, b: FlowDirectory) -> Bool { a === b }

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
        return FilePath.names(in: directory).filter { $0.hasSuffix(".yaml") }
    }
}

/// The flows whose names, states and events a configuration may use.
struct KnownFlows {
    let flows: [AnyFlow]
    /// Whether flows are missing because their files have mistakes. Unknown names are then not reported, because they may
    /// belong to those flows.
    let isPartial: Bool

    init(_ flows: [AnyFlow], isPartial: Bool = false) {
        (self.flows, self.isPartial) = (flows, isPartial)
    }
}
