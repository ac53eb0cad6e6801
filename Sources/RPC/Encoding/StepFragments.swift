internal import GameFlow
internal import JSONCoding

/// Caches the JSON of steps, as members: the kind, the event, its source, and the states before and after. Games repeat
/// the same steps, most events have no arguments, and most states have no data.
///
/// The number of slots is fixed. If the slot of a step holds another step, the new step replaces it.
struct StepFragments {
    private static let slots = 64
    private var keys = [Key?](repeating: nil, count: slots)
    /// The objects of the keys, retained so that no other objects can get the same identities.
    private var subjects = [Subjects?](repeating: nil, count: slots)
    private var fragments = [[UInt8]](repeating: [], count: slots)

    private struct Subjects {
        let event: EventRecord?
        let source: Source
        let from: StateRecord?
        let to: StateRecord?
    }

    /// The addresses of a step's objects, its kind, and the view.
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

        /// The object's address. It is read as an unmanaged reference, which does not change the reference count.
        @inline(__always) private static func identity(_ object: AnyObject?) -> UInt {
            guard let object else { return 0 }
            return UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
        }

        /// The slot for the key. Objects are aligned to 16 bytes, so the lowest four bits of an address are ignored.
        var slot: Int {
            let mixed = (event >> 4) &* 31 &+ (to >> 4) &* 17 &+ (from >> 4) &* 7 &+ (source >> 4)
            return Int(mixed & UInt(slots - 1))
        }
    }

    /// Writes the members of the step and returns true, if they are in the cache; otherwise returns false.
    func write(_ key: Key, to writer: inout JSONWriter) -> Bool {
        let slot = key.slot
        guard keys[slot] == key else { return false }
        writer.members(fragments[slot])
        return true
    }

    /// Keeps the members of a step, unless its event has arguments or one of its states has data. Such an event or state is a
    /// separate object each time, so the cache would not find its step again. Other events and states are shared objects of
    /// the flow.
    mutating func keep(_ bytes: [UInt8], of step: borrowing Step, _ key: Key) {
        if let event = step.event, !event.arguments.isEmpty { return }
        if let state = step.from, !state.data.isEmpty { return }
        if let state = step.to, !state.data.isEmpty { return }
        let slot = key.slot
        keys[slot] = key
        subjects[slot] = Subjects(
            event: step.event, source: step.source, from: step.from, to: step.to)
        fragments[slot] = bytes
    }
}
