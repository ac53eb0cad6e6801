internal import JSONCoding
internal import Support

/// Caches the JSON of objects that many changes refer to: the source of a connection, a state
/// without data, an event without arguments. The key is the object's identity, so only immutable
/// objects may be cached.
struct FragmentCache<Subject: AnyObject> {
    private var cache: SlotCache<ObjectIdentifier, Fragment>
    /// The maximum number of slots.
    static var slotLimit: Int { 1024 }
    /// The number of slots.
    var slotCount: Int { cache.slotCount }

    /// The JSON of an object, which it retains.
    private final class Fragment {
        private let subject: Subject
        let bytes: [UInt8]

        init(_ subject: Subject, _ bytes: [UInt8]) { (self.subject, self.bytes) = (subject, bytes) }
    }

    /// Creates an empty cache. `slots` is the number of slots, a power of two.
    init(slots: Int = 16) { cache = SlotCache(slots: slots, limit: Self.slotLimit) }

    /// Writes the object's JSON as the value of the member whose name was written last: the cached
    /// bytes, or else what `compose` writes.
    mutating func write(
        _ subject: Subject, to writer: inout JSONWriter, _ compose: (inout JSONWriter) -> Void
    ) {
        let key = ObjectIdentifier(subject)
        if let fragment = cache.find(key) { return writer.raw(fragment.bytes) }
        let start = writer.count
        compose(&writer)
        cache.store(Fragment(subject, writer.bytes(from: start)), key)
    }
}
