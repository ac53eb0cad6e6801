internal import GameFlow
internal import JSONCoding

/// Caches the JSON of steps, as members: the kind, the event, its source, the states before and after, and the effects. Games
/// repeat the same steps, most events have no arguments, and most states have no data.
///
/// The effects contain the number of the session's entry, which is different in each change, and is therefore inserted. A flow
/// has one shared list for each effect without arguments; other lists are separate objects, and are encoded each time.
///
/// A step's key determines its slot. A step that is stored replaces the step in its slot. If that happens more often than there
/// are slots, they are doubled, as in `FragmentCache`.
struct StepFragments {
    private var keys: [Key?]
    /// The objects of the step in each slot. They are retained, so that no other objects can get the same identities.
    private var subjects: [Subjects?]
    /// The encoded members of the step in each slot.
    private var fragments: [Fragment]
    /// How many steps were replaced since the slots were last doubled.
    private var replacedCount = 0
    /// The maximum number of slots.
    private static let slotLimit = 4096

    /// Creates an empty cache. `slots` is the number of slots, a power of two.
    init(slots: Int = 64) {
        keys = Array(repeating: nil, count: slots)
        subjects = Array(repeating: nil, count: slots)
        fragments = Array(repeating: Fragment(), count: slots)
    }

    /// The encoded members of a step.
    struct Fragment {
        /// The members of the step, and then the member with its effects, which lacks the number of the entry.
        var bytes: [UInt8] = []
        /// The offset of the effects.
        var effectsStart = 0
        /// The offset at which the number of the entry belongs; nil if there is no effect.
        var entryStart: Int?
        /// The effects. The list is retained, so that no other list can get the same address.
        var effects: [EffectRecord] = []
        /// The address of the list; see `StepFragments.address(of:)`.
        var effectsAddress: UInt = 0
    }

    /// The address of a list of effects, which identifies it; 0 for an empty list.
    private static func address(of effects: [EffectRecord]) -> UInt {
        if effects.isEmpty { return 0 }
        return effects.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
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

    /// What `write` has written.
    enum Written { case nothing, withoutEffects, everything }

    /// Writes the members of the step with this key, as far as they are in the cache. `effects` are the effects of the step, and
    /// `entry` is the number of the entry for them; nil leaves the effects out.
    func write(
        _ key: Key, _ effects: [EffectRecord], entry: Int?, to writer: inout JSONWriter
    ) -> Written {
        let slot = key.slot(of: keys.count)
        guard keys[slot] == key else { return .nothing }
        let fragment = fragments[slot]
        writer.separate()
        guard let entry, fragment.effectsAddress == Self.address(of: effects) else {
            writer.raw(fragment.bytes, to: fragment.effectsStart)
            return .withoutEffects
        }
        if let entryStart = fragment.entryStart {
            writer.raw(fragment.bytes, to: entryStart)
            writer.digits(entry)
            writer.raw(fragment.bytes, from: entryStart)
        } else {
            writer.raw(fragment.bytes)
        }
        return .everything
    }

    /// Stores the members of a step, unless its event has arguments or one of its states has data. Such an event or state is a
    /// separate object each time, so the cache would not find its step again. Other events and states are shared objects of
    /// the flow. `bytes` are the step's members without its effects.
    mutating func store(_ bytes: [UInt8], of step: borrowing Step, _ key: Key) {
        if let event = step.event, !event.arguments.isEmpty { return }
        if let state = step.from, !state.data.isEmpty { return }
        if let state = step.to, !state.data.isEmpty { return }
        let subjects = Subjects(
            event: step.event, source: step.source, from: step.from, to: step.to)
        store(Self.fragment(bytes, step.effects), subjects, key)
    }

    /// The fragment of a step. Several effects, or an effect with arguments, are not kept, because their list is not shared.
    private static func fragment(_ bytes: [UInt8], _ effects: [EffectRecord]) -> Fragment {
        var writer = JSONWriter(capacity: 256)
        writer.raw(bytes)
        var fragment = Fragment(effectsStart: bytes.count)
        if effects.isEmpty {
            writer.effects([]) { _, _ in }
        } else if effects.count == 1, effects[0].arguments.isEmpty {
            (fragment.effects, fragment.effectsAddress) = (effects, address(of: effects))
            writer.effects(effects) { _, writer in
                writer.name("entry")
                fragment.entryStart = writer.count
            }
        } else {
            // No list has this address.
            fragment.effectsAddress = .max
        }
        fragment.bytes = writer.bytes
        return fragment
    }

    private mutating func store(_ fragment: Fragment, _ subjects: Subjects, _ key: Key) {
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
        fragments[slot] = fragment
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
