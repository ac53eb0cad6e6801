package import TestSupport

/// What kind of disk it is, and what the way to it does unasked.
package struct Device: Sendable {
    /// Whether a write that is torn leaves the bytes beside it alone, in the same sector. SQLite
    /// believes it of all disks unless its VFS says otherwise, and is more careful then.
    package let sparesNeighbours: Bool
    /// Whether the directory is synced with the first sync of a new write-ahead log, as SQLite's
    /// own VFS does unless it was built without. The journal does not count on it.
    package let syncsDirectoryWithLog: Bool

    package init(_ random: inout SeededRandom) {
        sparesNeighbours = random.below(4) != 0
        syncsDirectoryWithLog = random.below(2) == 0
    }
}
