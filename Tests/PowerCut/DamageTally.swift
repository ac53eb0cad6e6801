/// Counts of what `Damage` did to the operations that were not synced.
package struct DamageTally: Equatable, Sendable {
    /// The sectors that were written completely, not at all, and in part.
    package internal(set) var keptSectors = 0
    package internal(set) var droppedSectors = 0
    package internal(set) var tornSectors = 0
    package internal(set) var truncationsKept = 0
    package internal(set) var truncationsUndone = 0
    /// Changes of the directory: files that were created, removed and renamed.
    package internal(set) var entriesKept = 0
    package internal(set) var entriesUndone = 0

    static func += (sum: inout Self, other: Self) {
        sum.keptSectors += other.keptSectors
        sum.droppedSectors += other.droppedSectors
        sum.tornSectors += other.tornSectors
        sum.truncationsKept += other.truncationsKept
        sum.truncationsUndone += other.truncationsUndone
        sum.entriesKept += other.entriesKept
        sum.entriesUndone += other.entriesUndone
    }
}
