/// A hash table of sessions by name.
///
/// The table stores only references. A dictionary would also store each name, and so take twice the memory. The preferred slot
/// of a session is given by the hash of its name. If another session was in that slot, the session is in the next slot that was
/// free.
struct SessionTable {
    /// Each slot holds a session, or nil if the slot is free. The number of slots is a power of two, so that
    /// `& (slots.count - 1)` computes a slot from a hash. At least an eighth of the slots is free, so that a search ends soon.
    private var slots = [Session?](repeating: nil, count: 8)
    /// The hash of the name of each slot's session; 0 if the slot is free. The sessions and their names are seldom in the processor's
    /// cache: a search reads the name of a session only if the hashes are equal, and a table that grows reads none.
    private var hashes = [UInt32](repeating: 0, count: 8)
    private(set) var count = 0

    init() {}

    /// Creates a table of sessions, which must have different names. Up to `capacity` sessions, the table need not grow.
    init(_ sessions: [Session], capacity: Int = 0) {
        var size = 8
        while max(capacity, sessions.count) > Self.limit(size) { size *= 2 }
        clear(size)
        for session in sessions { insert(session) }
    }

    func find(_ name: SessionName) -> Session? { name.withBytes(find) }

    /// The session whose name has these bytes; nil if no session in the table has this name.
    func find(_ name: UnsafeBufferPointer<UInt8>) -> Session? {
        slots[search(name, Self.hash(name))]
    }

    /// Adds a session, whose name must not be in the table.
    mutating func insert(_ session: Session) {
        if count >= Self.limit(slots.count) { grow() }
        let hash = hash(of: session.name)
        let slot = session.name.withBytes { search($0, hash) }
        precondition(slots[slot] == nil, "the name is already in the table")
        (slots[slot], hashes[slot]) = (session, hash)
        count += 1
    }

    /// Removes the session with this name. Returns false if no session in the table has this name.
    mutating func remove(_ name: SessionName) -> Bool {
        var freedSlot = name.withBytes { search($0, Self.hash($0)) }
        guard slots[freedSlot] != nil else { return false }
        count -= 1
        // A later session moves into the freed slot, unless its preferred slot lies between the freed slot and its
        // present slot.
        var slot = next(freedSlot)
        while hashes[slot] != 0 {
            let distance = (slot &- preferredSlot(hashes[slot])) & (slots.count - 1)
            if distance >= (slot &- freedSlot) & (slots.count - 1) {
                (slots[freedSlot], hashes[freedSlot]) = (slots[slot], hashes[slot])
                freedSlot = slot
            }
            slot = next(slot)
        }
        (slots[freedSlot], hashes[freedSlot]) = (nil, 0)
        return true
    }

    /// The slot of the session with a name, whose hash is `hash`; if the table has none, the free slot for it.
    private func search(_ name: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int {
        var slot = preferredSlot(hash)
        while hashes[slot] != 0 {
            if hashes[slot] == hash, let session = slots[slot], session.name.hasBytes(name) {
                break
            }
            slot = next(slot)
        }
        return slot
    }

    private func hash(of name: SessionName) -> UInt32 { name.withBytes(Self.hash) }

    /// The hash of a name. It is never 0.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt32 {
        max(1, UInt32(truncatingIfNeeded: NameHash.hash(name)))
    }

    /// The maximum number of sessions in a number of slots.
    private static func limit(_ slotCount: Int) -> Int { slotCount / 8 * 7 }

    private func preferredSlot(_ hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private mutating func grow() {
        var (oldSlots, oldHashes) = ([Session?](), [UInt32]())
        swap(&oldSlots, &slots)
        swap(&oldHashes, &hashes)
        clear(2 * oldSlots.count)
        for index in oldSlots.indices where oldHashes[index] != 0 {
            var slot = preferredSlot(oldHashes[index])
            while hashes[slot] != 0 { slot = next(slot) }
            // The references are moved. To copy them would count them, in each session.
            swap(&slots[slot], &oldSlots[index])
            hashes[slot] = oldHashes[index]
        }
    }

    private mutating func clear(_ size: Int) {
        slots = Array(repeating: nil, count: size)
        hashes = Array(repeating: 0, count: size)
    }
}
