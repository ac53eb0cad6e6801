/// One thing that is done to a disk: what a power cut can come before, and an error instead of.
///
/// Files go by a number; names are entries of the one directory there is.
package enum DiskOperation: Equatable, Sendable {
    case write(file: Int, at: Int, bytes: [UInt8])
    case truncate(file: Int, to: Int)
    case sync(file: Int)
    case create(name: String, file: Int)
    case remove(name: String)
    /// As one: nobody finds both names, or none.
    case rename(from: String, to: String, file: Int)
    case syncDirectory

    /// The file whose sync would make it last.
    var file: Int? {
        switch self {
        case .write(let file, _, _), .truncate(let file, _): file
        case .sync, .create, .remove, .rename, .syncDirectory: nil
        }
    }

    /// Whether it takes a sync of the directory to make it last.
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
