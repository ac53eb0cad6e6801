/// An operation on a disk. The power can be cut before it, and it can fail.
///
/// Files have numbers; names are entries of the only directory.
package enum DiskOperation: Equatable, Sendable {
    case write(file: Int, at: Int, bytes: [UInt8])
    case truncate(file: Int, to: Int)
    case sync(file: Int)
    case create(name: String, file: Int)
    case remove(name: String)
    /// Renaming is atomic: at each instant, exactly one of the two names exists. `file` is the number of the renamed file.
    case rename(from: String, to: String, file: Int)
    case syncDirectory

    /// The file whose sync makes the operation durable; nil if no sync of a file makes it durable.
    var file: Int? {
        switch self {
        case .write(let file, _, _), .truncate(let file, _): file
        case .sync, .create, .remove, .rename, .syncDirectory: nil
        }
    }

    /// Whether a sync of the directory makes the operation durable.
    var isEntry: Bool {
        switch self {
        case .create, .remove, .rename: true
        case .write, .truncate, .sync, .syncDirectory: false
        }
    }
}

extension DiskOperation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .write(let file, let offset, let bytes):
            "write of \(bytes.count) at \(offset) of file \(file)"
        case .truncate(let file, let size): "truncate of file \(file) to \(size)"
        case .sync(let file): "sync of file \(file)"
        case .create(let name, let file): "create of \(name) as file \(file)"
        case .remove(let name): "remove of \(name)"
        case .rename(let from, let to, _): "rename of \(from) to \(to)"
        case .syncDirectory: "sync of the directory"
        }
    }
}
