internal import Glibc
package import Journal
internal import SQLiteStore

/// The stores that keep the journal of one node.
package enum LocalJournals {
    /// To add a store, write a folder with its types, and add its journal here. New journals are of the first kind, and so are the
    /// backups of every store.
    package static let kinds: [any LocalJournal.Type] = [SQLiteJournal.self]

    /// The kind of new journals and of backups.
    package static var first: any LocalJournal.Type { kinds[0] }

    /// The kind of the journal in a state directory. If the directory has no journal, the kind of new ones; if it is nil, the kind
    /// of backups.
    package static func kind(in directory: String?) -> any LocalJournal.Type {
        kinds.first { exists($0, in: directory) } ?? first
    }

    /// Whether a state directory has a journal of any kind.
    package static func hasJournal(_ directory: String) -> Bool {
        kinds.contains { exists($0, in: directory) }
    }

    /// The names that files of a journal of any kind may have.
    package static var fileNames: [String] { kinds.flatMap { $0.fileNames } }

    /// The size of the journal's files in a directory, in bytes. Wraps stat(2).
    package static func size(in directory: String) -> UInt64 {
        fileNames.reduce(0) { sum, name in
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0 else { return sum }
            return sum.addingReportingOverflow(UInt64(clamping: status.st_size)).partialValue
        }
    }

    private static func exists(_ kind: any LocalJournal.Type, in directory: String?) -> Bool {
        directory.map { access("\($0)/\(kind.fileName)", F_OK) == 0 } ?? false
    }
}
