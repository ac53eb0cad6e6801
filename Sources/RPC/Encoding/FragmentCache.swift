internal import JSON

/// The JSON of objects that many changes point to: the source of a connection, a state without data, an event without
/// arguments. They are known by identity, so only immutable objects may be kept here.
///
/// A fixed number of slots: an object whose slot another one has is written again and takes the slot.
struct FragmentCache<Subject: AnyObject> {
    /// Whose bytes each slot has. The object is kept, so that no other gets its identity.
    private var identities: [ObjectIdentifier?]
    private var subjects: [Subject?]
    private var fragments: [[UInt8]]

    /// `slots` is a power of two.
    init(slots: Int) {
        identities = Array(repeating: nil, count: slots)
        subjects = Array(repeating: nil, count: slots)
        fragments = Array(repeating: [], count: slots)
    }

    /// Writes the object's JSON: the bytes of the last time, or else what `compose` writes.
    mutating func write(
        _ subject: Subject, to writer: inout JSONWriter, _ compose: (inout JSONWriter) -> Void
    ) {
        let slot = self.slot(of: subject)
        if identities[slot] == ObjectIdentifier(subject) { return writer.json(fragments[slot]) }
        writer.separate()
        let start = writer.count
        compose(&writer)
        (identities[slot], subjects[slot]) = (ObjectIdentifier(subject), subject)
        fragments[slot] = writer.bytes(from: start)
    }

    /// Objects are aligned to 16 bytes.
    private func slot(of subject: Subject) -> Int {
        Int(bitPattern: ObjectIdentifier(subject)) >> 4 & (identities.count - 1)
    }
}
