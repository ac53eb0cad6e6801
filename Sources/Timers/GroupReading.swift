/// The timers of a group that had yet to fire, as they were at one instant. A reading is made before each step of a session, so
/// it is made without allocating memory if the group has at most one timer.
package enum GroupReading: Sendable {
    case none
    case one(TimerReading)
    /// In the order in which the timers were set.
    case several([TimerReading])
    /// Timers, and the times of day at which some of them fire, by the tags of the timers; also of timers that have fired.
    case withUntils([TimerReading], [UInt8: UntilTime])

    /// All timers, in the order in which they were set.
    public var timers: [TimerReading] {
        switch self {
        case .none: []
        case .one(let timer): [timer]
        case .several(let timers), .withUntils(let timers, _): timers
        }
    }

    /// Whether a timer with a tag had yet to fire.
    package func contains(tag: UInt8) -> Bool { timers.contains { $0.tag == tag } }

    /// The time of day at which a timer fires, even if it has fired; nil if it fires at none.
    package func until(_ tag: UInt8) -> UntilTime? {
        if case .withUntils(_, let untils) = self { untils[tag] } else { nil }
    }

    fileprivate mutating func add(_ timer: TimerReading) {
        switch self {
        case .none: self = .one(timer)
        case .one(let first): self = .several([first, timer])
        case .several(let timers): self = .several(timers + [timer])
        case .withUntils(let timers, let untils): self = .withUntils(timers + [timer], untils)
        }
    }

    fileprivate mutating func add(_ until: UntilTime, of tag: UInt8) {
        var untils = [tag: until]
        if case .withUntils(_, let others) = self { untils.merge(others) { new, _ in new } }
        self = .withUntils(timers, untils)
    }
}

/// A timer as it was at one instant: the properties from which its `TimerInfo` is computed, in half of its memory.
package struct TimerReading: Sendable {
    /// See `TimerInfo.tag`.
    public let tag: UInt8
    private let traits: TimerTraits
    private let isPaused: Bool
    /// The deadline in nanoseconds; for a paused timer, the remaining time.
    private let deadline: Int64
    private let total: Int64
    private let order: UInt64
    /// For a mark, the tag of its countdown; zero for any other timer.
    private let countdown: UInt8
    /// Whether a running timer is in no structure, because it will not fire.
    private let isSilent: Bool

    init(
        tag: UInt8, traits: TimerTraits, isPaused: Bool, deadline: Int64, total: Int64,
        order: UInt64, countdown: UInt8, isSilent: Bool
    ) {
        (self.tag, self.traits, self.isPaused) = (tag, traits, isPaused)
        (self.deadline, self.total, self.order) = (deadline, total, order)
        (self.countdown, self.isSilent) = (countdown, isSilent)
    }

    /// The properties of the timer at the instant at which it was read.
    public func info(at instant: Instant) -> TimerInfo {
        let left = isPaused ? deadline : deadline - instant.nanoseconds
        if traits.contains(.mark) { return markInfo(left) }
        return TimerInfo(
            tag: tag, traits: traits, isPaused: isPaused,
            remaining: .nanoseconds(traits.mayBeNegative ? left : max(0, left)),
            total: .nanoseconds(total),
            end: isPaused ? nil : Instant(nanoseconds: deadline), order: order, mark: nil)
    }

    /// The properties of a mark. Its total is what its countdown has left when it fires.
    private func markInfo(_ remaining: Int64) -> TimerInfo {
        TimerInfo(
            tag: tag, traits: traits, isPaused: isPaused,
            remaining: .nanoseconds(isSilent ? 0 : max(0, remaining)), total: .zero,
            end: isPaused || isSilent ? nil : Instant(nanoseconds: deadline), order: order,
            mark: TimerMark(
                countdown: countdown, left: .nanoseconds(total), canFire: !isSilent))
    }
}

extension TimerQueue {
    /// Reads the timers of a group.
    package func reading(of group: TimerGroup) -> GroupReading {
        adoptContext()
        var reading = GroupReading.none
        var id = group.first
        while let i = storage.slot(of: id) {
            if storage.liveSlot(of: id) != nil { reading.add(self.reading(at: i)) }
            if let until = storage.until(i) { reading.add(until, of: storage.nodes[i].tag) }
            id = storage.sibling(of: i)
        }
        return reading
    }

    /// Calls `body` with each timer of a group, in the order in which they were set. `isLive` is false for a timer that has fired for
    /// the last time.
    package func forEachReading(
        of group: TimerGroup,
        _ body: (_ timer: TimerReading, _ until: UntilTime?, _ isLive: Bool) -> Void
    ) {
        adoptContext()
        var id = group.first
        while let i = storage.slot(of: id) {
            body(reading(at: i), storage.until(i), storage.liveSlot(of: id) != nil)
            id = storage.sibling(of: i)
        }
    }

    /// Reads the timer in a slot.
    func reading(at i: Int) -> TimerReading {
        let (entry, node) = (storage.entries[i], storage.nodes[i])
        // A mark that can no longer fire is in no structure, and stands still with its countdown nevertheless.
        let isPaused =
            node.membership == .paused
            || node.traits.contains(.mark) && storage.isCountdownPaused(ofMark: i)
        return TimerReading(
            tag: node.tag, traits: node.traits, isPaused: isPaused,
            deadline: entry.deadline, total: entry.total, order: entry.sequence,
            countdown: node.traits.contains(.mark) ? storage.countdownTag(ofMark: i) : 0,
            isSilent: node.membership == .silent)
    }
}
