internal import JSONCoding

/// Caches the JSON of objects that many changes refer to: the source of a connection, a state
/// without data, an event without arguments. The key is the object's identity, so only immutable
/// objects may be cached.
///
/// An object's address determines its slot. An object that is encoded replaces the object in its slot. If that happens more
/// often than there are slots, they are doubled: each connection has a source of its own, and a daemon has few connections or
/// thousands.
struct FragmentCache<Subject: AnyObject> {
    /// The identity of the object in each slot. `subjects` retains the object, so that no other
    /// object can get the same identity.
    private var identities: [ObjectIdentifier?]
    private var subjects: [Subject?]
    /// The JSON of the object in each slot.
    private var fragments: [[UInt8]]

    /// How many objects were replaced since the slots were last doubled.
    private var replacedCount = 0
    /// The maximum number of slots.
    static var slotLimit: Int { 1024 }

    /// Creates an empty cache. `slots` is the number of slots, a power of two.
    init(slots: Int = 16) {
        identities = Array(repeating: nil, count: slots)
        subjects = Array(repeating: nil, count: slots)
        fragments = Array(repeating: [], count: slots)
    }

    /// Writes the object's JSON as the value of the member whose name was written last: the cached
    /// bytes, or else what `compose` writes.
    mutating func write(
        _ subject: Subject, to writer: inout JSONWriter, _ compose: (inout JSONWriter) -> Void
    ) {
        let slot = self.slot(of: subject)
        if identities[slot] == ObjectIdentifier(subject) { return writer.raw(fragments[slot]) }
        let start = writer.count
        compose(&writer)
        store(subject, writer.bytes(from: start))
    }

    private mutating func store(_ subject: Subject, _ fragment: [UInt8]) {
        var slot = self.slot(of: subject)
        if subjects[slot] != nil {
            replacedCount += 1
            if replacedCount > identities.count, identities.count < Self.slotLimit {
                doubleSlots()
                slot = self.slot(of: subject)
            }
        }
        (identities[slot], subjects[slot]) = (ObjectIdentifier(subject), subject)
        fragments[slot] = fragment
    }

    private mutating func doubleSlots() {
        let old = self
        self = Self(slots: 2 * old.identities.count)
        for (subject, fragment) in zip(old.subjects, old.fragments) {
            if let subject { store(subject, fragment) }
        }
        replacedCount = 0
    }

    /// The number of slots.
    var slotCount: Int { identities.count }

    /// The slot for the object, from the lowest bits of its address. The last four bits are left out: they are always 0,
    /// because objects are aligned to 16 bytes.
    private func slot(of subject: Subject) -> Int {
        Int(bitPattern: ObjectIdentifier(subject)) >> 4 & (identities.count - 1)
    }
}
