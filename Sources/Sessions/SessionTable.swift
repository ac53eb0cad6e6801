/// A hash table of sessions by name.
///
/// The table stores only references. A dictionary would also store each name, and so take twice the memory. The preferred slot
/// of a session is given by the hash of its name. If another session was in that slot, the session is in the next slot that was
/// free.
struct SessionTable {
    /// Each slot holds a session, or nil if the slot is free. The number of slots is a power of two, so that
    /// `& (slots.count - 1)` computes a slot from a hash. At least a quarter of the slots is free, so that a search ends soon.
    private var slots = [Session?](repeating: nil, count: 8)
    private(set) var count = 0

    init() {}

    /// Creates a table of sessions, which must have different names. Up to `capacity` sessions, the table need not grow.
    init(_ sessions: [Session], capacity: Int = 0) {
        var size = 8
        while max(capacity, sessions.count) > size / 4 * 3 { size *= 2 }
        slots = Array(repeating: nil, count: size)
        for session in sessions { insert(session) }
    }

    func find(_ name: SessionName) -> Session? { name.withBytes(find) }

    /// The session whose name has these bytes; nil if no session in the table has this name.
    func find(_ name: UnsafeBufferPointer<UInt8>) -> Session? {
        var slot = NameHash.hash(name) & (slots.count - 1)
        while let session = slots[slot] {
            if session.name.hasBytes(name) { return session }
            slot = next(slot)
        }
        return nil
    }

    /// Adds a session, whose name must not be in the table.
    mutating func insert(_ session: Session) {
        if count >= slots.count / 4 * 3 { grow() }
        var slot = preferredSlot(of: session.name)
        while let other = slots[slot] {
            precondition(other.name != session.name, "the name is already in the table")
            slot = next(slot)
        }
        slots[slot] = session
        count += 1
    }

    /// Removes the session with this name. Returns false if no session in the table has this name.
    mutating func remove(_ name: SessionName) -> Bool {
        var freedSlot = preferredSlot(of: name)
        while let session = slots[freedSlot], session.name != name { freedSlot = next(freedSlot) }
        guard slots[freedSlot] != nil else { return false }
        count -= 1
        // A later session moves into the freed slot, unless its preferred slot lies between the freed slot and its
        // present slot.
        var slot = next(freedSlot)
        while let session = slots[slot] {
            let distance = (slot &- preferredSlot(of: session.name)) & (slots.count - 1)
            if distance >= (slot &- freedSlot) & (slots.count - 1) {
                slots[freedSlot] = session
                freedSlot = slot
            }
            slot = next(slot)
        }
        slots[freedSlot] = nil
        return true
    }

    private func preferredSlot(of name: SessionName) -> Int {
        name.withBytes(NameHash.hash) & (slots.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: nil, count: 2 * old.count)
        count = 0
        for case let session? in old { insert(session) }
    }
}
