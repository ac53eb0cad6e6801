internal import Glibc

/// The content of a disk: files by number, and the entries of the directory.
package struct DiskImage: Equatable, Sendable {
    /// The contents of the files, by number. A file without an entry in the directory keeps its number.
    package private(set) var files: [[UInt8]] = []
    /// The entries of the directory: the number of the file with each name.
    package private(set) var names: [String: Int] = [:]

    package init() {}

    /// Adds a file without a name, and returns its number.
    mutating func addFile() -> Int {
        files.append([])
        return files.count - 1
    }

    func size(_ file: Int) -> Int { files[file].count }

    /// The content of the file with this name; nil if no file has this name.
    package subscript(name: String) -> [UInt8]? { names[name].map { files[$0] } }

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .write(let file, let offset, let bytes): write(file, offset, bytes[...])
        case .truncate(let file, let size): truncate(file, size)
        // A file can be missing here: its `addFile` was called on another image.
        case .create(let name, let file):
            while files.count <= file { files.append([]) }
            names[name] = file
        case .remove(let name): names[name] = nil
        case .rename(let from, let to, let file):
            while files.count <= file { files.append([]) }
            (names[from], names[to]) = (nil, file)
        case .sync, .syncDirectory: break
        }
    }

    /// Replaces a file's content by its content in another image.
    mutating func replace(_ file: Int, by other: DiskImage) {
        files[file] = file < other.files.count ? other.files[file] : []
    }

    mutating func write(_ file: Int, _ offset: Int, _ bytes: ArraySlice<UInt8>) {
        grow(file, to: offset + bytes.count)
        files[file].withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                guard let from = source.baseAddress else { return }
                memcpy(target.baseAddress! + offset, from, source.count)
            }
        }
    }

    /// Extends a file with zeros, if it is shorter than `size`.
    mutating func grow(_ file: Int, to size: Int) {
        while files.count <= file { files.append([]) }
        let missing = size - files[file].count
        if missing > 0 { files[file] += [UInt8](repeating: 0, count: missing) }
    }

    private mutating func truncate(_ file: Int, _ size: Int) {
        guard file < files.count, files[file].count > size else { return }
        files[file].removeSubrange(size...)
    }
}
