internal import Support

/// Identifies the steps of one kind with the same event, source and states, by the addresses of these objects.
///
/// Games repeat the same steps. Most events have no arguments, and most states have no data: a flow has one shared object for each
/// of them, and one shared list for each effect without arguments. So the encoding of such a step is found again by its identity.
package struct StepIdentity: SlotKey {
    @usableFromInline let event: UInt
    @usableFromInline let source: UInt
    @usableFromInline let from: UInt
    @usableFromInline let to: UInt
    @usableFromInline let kind: Step.Kind

    @inlinable package init(_ step: borrowing Step) {
        event = Self.address(step.event)
        source = Self.address(step.source)
        from = Self.address(step.from)
        to = Self.address(step.to)
        kind = step.kind
    }

    /// The object's address; 0 for nil. An unmanaged reference is used, because it does not change the reference count.
    @inlinable @inline(__always) static func address(_ object: AnyObject?) -> UInt {
        guard let object else { return 0 }
        return UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// The address of a list of effects, which identifies it; 0 for an empty list.
    @inlinable package static func address(of effects: [EffectRecord]) -> UInt {
        if effects.isEmpty { return 0 }
        return effects.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    /// The slot for the identity. Objects are aligned to 16 bytes, so the lowest four bits of an address are ignored.
    @inlinable package func slot(of slots: Int) -> Int {
        // The factors are odd and different, so that the order of the objects matters. If only `from` and `to` are
        // exchanged between two steps, for example, the steps rarely share a slot.
        let mixed = (event >> 4) &* 31 &+ (to >> 4) &* 17 &+ (from >> 4) &* 7 &+ (source >> 4)
        return Int(mixed & UInt(slots - 1))
    }

    @inlinable package static func == (a: Self, b: Self) -> Bool {
        a.event == b.event && a.to == b.to && a.from == b.from && a.source == b.source
            && a.kind == b.kind
    }
}

/// The objects of a step by which it is identified. Who keeps a step's identity retains them, so that no other objects can get the
/// same addresses.
package struct StepObjects: Sendable {
    private let event: EventRecord?
    private let source: Source
    private let from: StateRecord?
    private let to: StateRecord?

    /// Nil if the event has arguments, or if one of the states has data. Such an object is made for each step, so that its address
    /// never identifies the same step again.
    package init?(_ step: borrowing Step) {
        if let event = step.event, !event.arguments.isEmpty { return nil }
        if let state = step.from, !state.data.isEmpty { return nil }
        if let state = step.to, !state.data.isEmpty { return nil }
        (event, source, from, to) = (step.event, step.source, step.from, step.to)
    }
}

extension Step {
    /// Whether the list of effects is empty or shared by all steps that request the same effect: it has one effect, without arguments.
    package var hasSharedEffects: Bool {
        effects.isEmpty
            || effects.count == 1 && effects[0].arguments.isEmpty && effects[0].unshown.isEmpty
    }
}
