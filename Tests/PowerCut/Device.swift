package import TestSupport

/// The properties of a disk and its file system.
package struct Device: Sendable {
    /// Whether a torn write does not change other bytes of the same sector. SQLite assumes it unless the VFS says
    /// otherwise (`SQLITE_IOCAP_POWERSAFE_OVERWRITE`).
    package let isPowersafeOverwrite: Bool
    /// Whether the first sync of a new write-ahead log syncs the directory, too. SQLite's own VFS does it unless it was
    /// built without; the journal does not depend on it.
    package let syncsDirectoryWithLog: Bool

    package init(_ random: inout SeededRandom) {
        isPowersafeOverwrite = random.below(4) != 0
        syncsDirectoryWithLog = random.below(2) == 0
    }
}
