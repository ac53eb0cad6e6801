/// Counts of damage by kind. Writes are counted in sectors.
package struct DamageTally: Equatable, Sendable {
    package internal(set) var kept = 0
    package internal(set) var dropped = 0
    package internal(set) var torn = 0
    package internal(set) var truncationsKept = 0
    package internal(set) var truncationsUndone = 0
    package internal(set) var entriesKept = 0
    package internal(set) var entriesUndone = 0

    static func += (sum: inout Self, other: Self) {
        sum.kept += other.kept
        sum.dropped += other.dropped
        sum.torn += other.torn
        sum.truncationsKept += other.truncationsKept
        sum.truncationsUndone += other.truncationsUndone
        sum.entriesKept += other.entriesKept
        sum.entriesUndone += other.entriesUndone
    }
}
