package import TestSupport

/// The properties of a disk and its file system.
package struct Device: Sendable {
    /// Whether a torn write leaves the other bytes of its sector unchanged. If so, the simulated VFS reports it to SQLite with
    /// `SQLITE_IOCAP_POWERSAFE_OVERWRITE`, as SQLite's default VFS does.
    package let isPowersafeOverwrite: Bool
    /// Whether the first sync of a new write-ahead log syncs the directory, too. SQLite's default VFS does this unless SQLite
    /// was compiled with `SQLITE_DISABLE_DIRSYNC`. gamed's journal must survive a power cut in both cases.
    package let syncsDirectoryWithLog: Bool

    package init(_ random: inout SeededRandom) {
        isPowersafeOverwrite = random.below(4) != 0
        syncsDirectoryWithLog = random.below(2) == 0
    }
}
