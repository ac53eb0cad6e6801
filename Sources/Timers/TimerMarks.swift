/// Marks on countdowns. A mark is a timer of its own in the storage: while it can fire, it is in the heap with the deadline at
/// which its countdown has the mark's time left, or it is paused with its countdown. Otherwise it is silent. Its `total` is the
/// mark's time, and its number in the order of setting is that of its countdown.
extension TimerStorage {
    /// The countdown of a mark.
    struct MarkLink {
        /// The slot of the countdown; `noSlot` if it is not set.
        let countdown: UInt32
        /// The tag of the countdown.
        let tag: UInt8
        /// Since when a mark is due whose countdown is restored next; nil if this follows from the countdown.
        var restoredDue: Int64? = nil
    }

    /// Makes the timer in the slot `i`, which was just set, a mark of a countdown. `countdown` is nil if the countdown is not set.
    mutating func makeMark(_ i: Int, left: Int64, of countdown: Int?, tag: UInt8, now: Int64) {
        removeFromOrder(i)
        nodes[i].traits = .mark
        nodes[i].membership = .silent
        entries[i].total = left
        let slot = UInt32(truncatingIfNeeded: i)
        markLinks[slot] = MarkLink(
            countdown: countdown.map { UInt32(truncatingIfNeeded: $0) } ?? noSlot, tag: tag)
        guard let countdown else { return }
        let isFirst = !nodes[countdown].traits.contains(.marked)
        nodes[countdown].traits.insert(.marked)
        // A slot may have belonged to another countdown with marks before.
        if isFirst { marks[UInt32(truncatingIfNeeded: countdown)] = [] }
        marks[UInt32(truncatingIfNeeded: countdown), default: []].append(slot)
        follow(i, countdown, now: now)
    }

    /// Moves the marks of a countdown after it was operated or restored. `isJump` says that its remaining time was changed at `now`.
    mutating func moveMarks(of countdown: Int, now: Int64, isJump: Bool = false) {
        for mark in marks[UInt32(truncatingIfNeeded: countdown)] ?? [] {
            follow(Int(mark), countdown, now: now, isJump: isJump)
        }
    }

    /// Whether the countdown of a mark is paused.
    func isCountdownPaused(ofMark i: Int) -> Bool {
        guard let link = markLinks[UInt32(truncatingIfNeeded: i)], link.countdown != noSlot else {
            return false
        }
        return nodes[Int(link.countdown)].membership == .paused
    }

    /// Places a mark as its countdown is placed. If the countdown went from above the mark's time to that time or less, the mark
    /// is due: since the instant at which that time was left, or, after a jump, since now.
    private mutating func follow(_ i: Int, _ countdown: Int, now: Int64, isJump: Bool = false) {
        let couldFire = nodes[i].membership != .silent
        let restoredDue = takeRestoredDue(i)
        unplace(i)
        let (entry, membership) = (entries[countdown], nodes[countdown].membership)
        let isPaused = membership == .paused
        let remaining = isPaused ? entry.deadline : entry.deadline - now
        if membership != .unplaced, remaining > entries[i].total {
            guard !isPaused else { return setPaused(i, remaining: remaining - entries[i].total) }
            place(i, at: entry.deadline - entries[i].total, sequence: entry.sequence)
        } else if couldFire {
            // After a jump below zero, the marks above zero are due before the countdown, and the others after it.
            let left = isJump ? min(0, entries[i].total) : entries[i].total
            let crossing = restoredDue ?? (isPaused ? now : min(now, entry.deadline - left))
            // A countdown that was restored while it was paused has the number of its setting, which can be higher than all
            // numbers of the restored timers. A timer with such a number would not fire.
            place(i, at: crossing, sequence: min(entry.sequence, sequence))
        } else {
            nodes[i].membership = .silent
        }
    }

    /// Says whether a mark of a restored machine could still fire when the machine was recorded, and since when it was due if it was.
    /// The countdown is restored next.
    mutating func restoreMark(_ i: Int, couldFire: Bool, due: Int64?) {
        removeFromOrder(i)
        if couldFire { setPaused(i, remaining: 0) } else { nodes[i].membership = .silent }
        if due != nil { markLinks[UInt32(truncatingIfNeeded: i)]?.restoredDue = due }
    }

    private mutating func takeRestoredDue(_ i: Int) -> Int64? {
        let slot = UInt32(truncatingIfNeeded: i)
        guard let due = markLinks[slot]?.restoredDue else { return nil }
        markLinks[slot]?.restoredDue = nil
        return due
    }

    /// The slot of the timer that fires instead of `slot`, which is due first: of a countdown and its marks that are due at the
    /// same instant, the mark with the largest time comes first, and the countdown last. Marks with the same time come in the order in
    /// which they were set.
    func slotToFire(_ key: HeapKey) -> Int {
        let slot = key.slot
        guard !nodes[Int(slot)].traits.isDisjoint(with: [.mark, .marked]) else { return Int(slot) }
        let countdown = nodes[Int(slot)].traits.contains(.mark) ? markLinks[slot]?.countdown : slot
        let due = (countdown.flatMap { marks[$0] } ?? []).filter { mark in
            nodes[Int(mark)].membership == .heap && entries[Int(mark)].deadline <= key.deadline
        }
        guard var first = due.first else { return Int(slot) }
        for mark in due where entries[Int(mark)].total > entries[Int(first)].total { first = mark }
        return Int(first)
    }

    /// The tag of a mark's countdown.
    func countdownTag(ofMark i: Int) -> UInt8 { markLinks[UInt32(truncatingIfNeeded: i)]?.tag ?? 0 }
}
