package import EventLoop

/// The journal of one node. It is a file in the node's state directory, or a backup, which is such a file at any path. Its calls
/// block on the disk.
///
/// To add a store for one node, write a type that conforms to this protocol, and another one that conforms to `Store`. The module
/// LocalJournals lists the types.
package protocol LocalJournal: AnyObject, SendableMetatype {
    /// The names of the files in a state directory that may belong to the journal. The first is the journal's own name; there is
    /// no journal in a directory without this file.
    static var fileNames: [String] { get }

    // MARK: opening

    /// Opens the journal of a state directory, and creates it if it is missing. A journal of an older version is copied and then
    /// converted. `conversion` converts rows that only `gamectl` reads; without it, this throws if the journal has such rows.
    /// `reportProgress` is called during the conversion, with how much is done and how much there is.
    init(
        in directory: String, converting conversion: (any RowConversion.Type)?,
        reportProgress: (_ done: Int, _ total: Int) -> Void) throws(StoreError)
    /// Opens a file for reading only. Throws if another process has the file open.
    init(reading path: String) throws(StoreError)
    /// Opens an existing file, such as a backup.
    init(existing path: String) throws(StoreError)
    /// Begins to open the journal of a state directory for a daemon. The store retains the directory's lock. A failure to open
    /// the file is reported as the outcome of the batches, or to `onFailure`.
    static func store(in directory: String, holding lock: DirectoryLock, on loop: LibeventLoop)
        throws(EventLoopError) -> any Store

    // MARK: versions

    /// The version when the file was opened: the greatest format of the rows.
    var version: String { get }
    /// The reason why the rows cannot be decoded before `gamectl journal convert` has converted them; nil if they can.
    /// `directory` is the journal's; nil for a backup, which must be restored before.
    func conversionError(in directory: String?) -> StoreError?
    /// What a conversion of this journal, which is in `directory`, would need. Nil if it has the newest version.
    func conversionPlan(in directory: String) throws(StoreError) -> ConversionPlan?
    /// The path of the copy that a conversion keeps of a journal of an older version.
    static func copyPath(of version: String, in directory: String) -> String
    /// The paths of the copies that earlier conversions have kept in a directory.
    static func keptCopies(in directory: String) -> [String]

    // MARK: rows

    /// The position of the newest row; 0 if there is none.
    func newestPosition() throws(StoreError) -> Int
    /// The position up to which old rows were removed; 0 if none were.
    func prunedUpTo() throws(StoreError) -> Int
    /// Passes the rows to `handleRow`, in order, until `handleRow` returns false.
    func rows(_ handleRow: (JournalRow) -> Bool) throws(StoreError)
    /// The positions of all erased rows, in increasing order.
    func erasedPositions() throws(StoreError) -> [Int]
    /// Returns what `erase` would remove, and changes nothing. Several sessions may have had the name one after another. Throws
    /// if a session of that name is open.
    func erasure(of session: String) throws(ErasureError) -> Erasure
    /// Replaces the rows of all sessions with this name by one row, which records the erasure. The erased data remains neither in
    /// the file nor beside it.
    func erase(_ session: String) throws(ErasureError) -> Erasure

    // MARK: notes

    /// The value of a note; nil if there is no note of that name.
    func note(_ name: String) throws(StoreError) -> String?
    /// Writes a note, in place of an earlier note of that name.
    func setNote(_ name: String, _ value: String) throws(StoreError)
    /// Removes a note, if it exists.
    func removeNote(_ name: String) throws(StoreError)

    // MARK: files

    /// Makes what was written part of the file, so that the next opening has less to read.
    func checkpoint() throws(StoreError)
    /// The size of the journal in bytes.
    var bytes: Int { get }
    /// The faults of the file that are not faults of its rows; empty if there are none.
    func faults() throws(StoreError) -> [String]
    /// Begins a journal that gets the rows of another store, at a path that does not exist.
    static func copy(to path: String) throws(StoreError) -> any JournalCopy
    /// Puts the backup at `path` in the place of the journal of a directory, which must be locked. The files of the directory
    /// that have one of the names `oldNames` get new names, which end in `suffix`. If this is interrupted, the directory has either
    /// the old journal, or no journal and the old files under their new names. Returns the new names.
    static func restore(
        _ path: String, to directory: String, movingAside oldNames: [String], suffix: String
    ) throws(StoreError) -> [String]
}

extension LocalJournal {
    /// The name of the journal in a state directory.
    package static var fileName: String { fileNames[0] }
}
