internal import GameFlow
internal import JSONCoding
internal import Support

/// Caches the JSON of steps, as members: the kind, the event, its source, the states before and after, and the effects.
///
/// The effects contain the number of the session's entry, which is different in each change, and is therefore inserted. Lists of
/// effects that are not shared are encoded each time.
struct StepFragments: ~Copyable {
    private typealias Cache = SlotCache<StepIdentity, Fragment>
    private var full = Cache(slots: 64, limit: 4096)
    private var limited = Cache(slots: 64, limit: 4096)

    /// The encoded members of a step.
    private final class Fragment {
        /// The objects by whose addresses the step is found.
        private let objects: StepObjects
        /// The members of the step, and then the member with its effects, which lacks the number of the entry.
        let bytes: [UInt8]
        /// The offset of the effects.
        let effectsStart: Int
        /// The offset at which the number of the entry belongs; nil if there is no effect.
        let entryStart: Int?
        /// The effects. The list is retained, so that no other list can get the same address.
        private let effects: [EffectRecord]
        /// The address of the list, see `StepIdentity.address(of:)`; the greatest number if the list is not shared, because no list
        /// has this address.
        let effectsAddress: UInt

        /// `members` are the step's members without its effects.
        init(_ members: [UInt8], of step: borrowing Step, _ objects: StepObjects) {
            self.objects = objects
            effectsStart = members.count
            guard step.hasSharedEffects else {
                (bytes, entryStart, effects, effectsAddress) = (members, nil, [], .max)
                return
            }
            effects = step.effects
            effectsAddress = StepIdentity.address(of: effects)
            var writer = JSONWriter(capacity: 256)
            writer.raw(members)
            var entryStart: Int?
            writer.effects(effects) { _, writer in
                writer.name("entry")
                entryStart = writer.count
            }
            (bytes, self.entryStart) = (writer.bytes, entryStart)
        }
    }

    /// What `write` has written.
    enum Written { case nothing, withoutEffects, everything }

    /// Writes the members of a step, as far as they are in the cache. `entry` is the number of the entry for its effects; nil leaves
    /// the effects out.
    func write(
        _ step: borrowing Step, _ identity: StepIdentity, _ view: SessionView, entry: Int?,
        to writer: inout JSONWriter
    ) -> Written {
        let found =
            switch view {
            case .full: full.find(identity)
            case .limited: limited.find(identity)
            }
        guard let fragment = found else { return .nothing }
        writer.separate()
        let bytes = fragment.bytes
        guard let entry, fragment.effectsAddress == StepIdentity.address(of: step.effects) else {
            writer.raw(bytes, to: fragment.effectsStart)
            return .withoutEffects
        }
        if let entryStart = fragment.entryStart {
            writer.raw(bytes, to: entryStart)
            writer.digits(entry)
            writer.raw(bytes, from: entryStart)
        } else {
            writer.raw(bytes)
        }
        return .everything
    }

    /// Stores the members of a step, if they can be found again. `members` are those without its effects.
    mutating func store(
        _ members: [UInt8], of step: borrowing Step, _ identity: StepIdentity, _ view: SessionView
    ) {
        guard let objects = StepObjects(step) else { return }
        let fragment = Fragment(members, of: step, objects)
        switch view {
        case .full: full.store(fragment, identity)
        case .limited: limited.store(fragment, identity)
        }
    }
}
