import CLinux
import Cluster
import Glibc
import Parts

/// Notices at a reload which files with certificates and keys have changed, although the lines that name them are the same.
struct ReloadedFiles {
    /// What tells a file from the file that was at its path before. Equal for a file that was not touched.
    private struct Signature: Equatable {
        let device: dev_t
        let inode: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    private var signatures: [String: Signature]

    /// Records the files that the options name.
    init(_ options: Options) { signatures = Self.signatures(options) }

    /// The names of the options whose files have changed since they were last read. `isRead` says whether all of them could be read;
    /// if not, a later call returns them again.
    mutating func changes(in options: Options, isRead: Bool) -> Set<String> {
        let present = Self.signatures(options)
        let changed = Set(present.keys.filter { present[$0] != signatures[$0] })
        guard isRead else { return [] }
        signatures = present
        return changed
    }

    /// The signatures of the files, by the names of their options. Wraps stat(2).
    private static func signatures(_ options: Options) -> [String: Signature] {
        let (tls, nodeTLS) = (options.network.tls, options.node.tls)
        let paths = [
            ("tls-cert", tls.certificate), ("tls-key", tls.key), ("tls-client-ca", tls.authority),
            ("node-ca", nodeTLS.authority), ("node-cert", nodeTLS.certificate),
            ("node-key", nodeTLS.key),
        ]
        var signatures: [String: Signature] = [:]
        for (name, path) in paths {
            var status = stat()
            guard let path, stat(path, &status) == 0 else { continue }
            signatures[name] = Signature(
                device: status.st_dev, inode: status.st_ino, size: status.st_size,
                seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
        }
        return signatures
    }
}
