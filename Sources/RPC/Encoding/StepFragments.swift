internal import GameFlow
internal import JSONCoding

/// Caches the JSON of steps, as members: the kind, the event, its source, and the states before and after. Games repeat
/// the same steps, most events have no arguments, and most states have no data.
///
/// A step's key determines its slot. A step that is stored replaces the step in its slot. If that happens more often than there
/// are slots, they are doubled, as in `FragmentCache`.
struct StepFragments {
    private var keys: [Key?]
    /// The objects of the step in each slot. They are retained, so that no other objects can get the same identities.
    private var subjects: [Subjects?]
    /// The encoded members of the step in each slot.
    private var fragments: [[UInt8]]
    /// How many steps were replaced since the slots were last doubled.
    private var replacedCount = 0
    /// The maximum number of slots.
    private static let slotLimit = 4096

    /// Creates an empty cache. `slots` is the number of slots, a power of two.
    init(slots: Int = 64) {
        keys = Array(repeating: nil, count: slots)
        subjects = Array(repeating: nil, count: slots)
        fragments = Array(repeating: [], count: slots)
    }

    /// The objects of a step whose addresses are in its key.
    private struct Subjects {
        let event: EventRecord?
        let source: Source
        let from: StateRecord?
        let to: StateRecord?
    }

    /// Identifies an encoding of a step: the addresses of the step's objects, 0 for none; the step's kind; and the view.
    struct Key: Equatable {
        private let event: UInt
        private let source: UInt
        private let from: UInt
        private let to: UInt
        private let kind: Step.Kind
        private let view: SessionView

        init(_ step: borrowing Step, _ view: SessionView) {
            event = Self.identity(step.event)
            source = Self.identity(step.source)
            from = Self.identity(step.from)
            to = Self.identity(step.to)
            (kind, self.view) = (step.kind, view)
        }

        /// The object's address; 0 for nil. An unmanaged reference is used, because it does not change the reference count.
        @inline(__always) private static func identity(_ object: AnyObject?) -> UInt {
            guard let object else { return 0 }
            return UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        }

        /// The slot for the key, of this number of slots. Objects are aligned to 16 bytes, so the lowest four bits of an address are ignored.
        func slot(of slots: Int) -> Int {
            // The factors are odd and different, so that the order of the objects matters. If only `from` and `to` are
            // exchanged between two steps, for example, the steps rarely share a slot.
            let mixed = (event >> 4) &* 31 &+ (to >> 4) &* 17 &+ (from >> 4) &* 7 &+ (source >> 4)
            return Int(mixed & UInt(slots - 1))
        }
    }

    /// If the members of the step with this key are in the cache, writes them and returns true. Otherwise returns false.
    func write(_ key: Key, to writer: inout JSONWriter) -> Bool {
        let slot = key.slot(of: keys.count)
        guard keys[slot] == key else { return false }
        writer.members(fragments[slot])
        return true
    }

    /// Stores the members of a step, unless its event has arguments or one of its states has data. Such an event or state is a
    /// separate object each time, so the cache would not find its step again. Other events and states are shared objects of
    /// the flow.
    mutating func store(_ bytes: [UInt8], of step: borrowing Step, _ key: Key) {
        if let event = step.event, !event.arguments.isEmpty { return }
        if let state = step.from, !state.data.isEmpty { return }
        if let state = step.to, !state.data.isEmpty { return }
        let subjects = Subjects(
            event: step.event, source: step.source, from: step.from, to: step.to)
        store(bytes, subjects, key)
    }

    private mutating func store(_ bytes: [UInt8], _ subjects: Subjects, _ key: Key) {
        var slot = key.slot(of: keys.count)
        if keys[slot] != nil {
            replacedCount += 1
            if replacedCount > keys.count, keys.count < Self.slotLimit {
                doubleSlots()
                slot = key.slot(of: keys.count)
            }
        }
        keys[slot] = key
        self.subjects[slot] = subjects
        fragments[slot] = bytes
    }

    private mutating func doubleSlots() {
        let old = self
        self = Self(slots: 2 * old.keys.count)
        for slot in old.keys.indices {
            if let key = old.keys[slot], let subjects = old.subjects[slot] {
                store(old.fragments[slot], subjects, key)
            }
        }
        replacedCount = 0
    }

    /// The number of slots.
    var slotCount: Int { keys.count }
}
