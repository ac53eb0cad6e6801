internal import Support

/// The sessions of a journal, numbered from 0 in the order of their first rows.
///
/// A hash table rather than a dictionary: it stores the hashes, so that it grows without reading
/// the names, and a million names take a fifth of the memory.
struct SessionNumbers: Sendable {
    private(set) var names = ChunkedArray<String>()
    /// Each number plus 1, with the hash of the name in the upper bits, at the index of the hash or
    /// after it; 0 for an empty slot.
    private var table = [UInt64](repeating: 0, count: 1024)
    /// Random, so that a client cannot choose names with the same hash.
    private let seed = UInt64.random(in: 0 ... .max)

    var count: Int { names.count }

    /// The number of a name; nil if it has none.
    func number(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { find($0, hash(of: $0)) }.number
    }

    /// The number of a name, which is added if it is new, and whether it was known.
    mutating func number(adding name: String) -> (number: Int, isKnown: Bool) {
        var text = name
        let (number, place, hash) = text.withUTF8 { bytes -> (Int?, Int, UInt32) in
            let own = self.hash(of: bytes)
            let (number, place) = find(bytes, own)
            return (number, place, own)
        }
        if let number { return (number, true) }
        names.append(name)
        table[place] = UInt64(hash) << 32 | UInt64(UInt32(truncatingIfNeeded: count))
        if count > table.count / 2 { grow() }
        return (count - 1, false)
    }

    /// The index of the name in the table, or the index at which it would be inserted, and its
    /// number if it is there.
    private func find(_ bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt32)
        -> (number: Int?, place: Int)
    {
        let mask = table.count - 1
        var place = Int(hash) & mask
        while table[place] != 0 {
            let number = Int(table[place] & 0xFFFF_FFFF) - 1
            if table[place] >> 32 == UInt64(hash), names[number].hasBytes(bytes) {
                return (number, place)
            }
            place = (place + 1) & mask
        }
        return (nil, place)
    }

    private mutating func grow() {
        let old = table
        let mask = 4 * old.count - 1
        table = [UInt64](repeating: 0, count: mask + 1)
        for entry in old where entry != 0 {
            var place = Int(entry >> 32) & mask
            while table[place] != 0 { place = (place + 1) & mask }
            table[place] = entry
        }
    }

    /// Multiplies eight bytes at a time.
    private func hash(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        var (hash, place) = (seed ^ UInt64(truncatingIfNeeded: bytes.count), 0)
        while place < raw.count {
            var word: UInt64 = 0
            if place + 8 <= raw.count {
                word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            } else {
                for at in place..<raw.count { word = word << 8 | UInt64(raw[at]) }
            }
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low ^ seed
            place += 8
        }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
