internal import JSONCoding

/// Caches the JSON of objects that many changes refer to: the source of a connection, a state
/// without data, an event without arguments. The key is the object's identity, so only immutable
/// objects may be cached.
///
/// The number of slots is fixed, and an object's address determines its slot. An object that is encoded replaces the object
/// in its slot.
struct FragmentCache<Subject: AnyObject> {
    /// The identity of the object in each slot. `subjects` retains the object, so that no other
    /// object can get the same identity.
    private var identities: [ObjectIdentifier?]
    private var subjects: [Subject?]
    /// The JSON of the object in each slot.
    private var fragments: [[UInt8]]

    /// Creates an empty cache. `slots` is the number of slots, a power of two.
    init(slots: Int) {
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
        (identities[slot], subjects[slot]) = (ObjectIdentifier(subject), subject)
        fragments[slot] = writer.bytes(from: start)
    }

    /// The slot for the object, from the lowest bits of its address. The last four bits are left out: they are always 0,
    /// because objects are aligned to 16 bytes.
    private func slot(of subject: Subject) -> Int {
        Int(bitPattern: ObjectIdentifier(subject)) >> 4 & (identities.count - 1)
    }
}
