internal import Support

/// The numbers of the sessions of a journal, by name: from 0 in the order of the sessions' first rows.
///
/// The hash table replaces a dictionary. It contains the hashes, so that it grows without reading the names. For a million
/// names, it takes a fifth of the memory of a dictionary.
struct SessionNumbers: Sendable {
    /// The names, by number.
    private(set) var names = ChunkedArray<String>()
    /// The slots of the hash table. An empty slot is 0. Any other slot contains a session's number plus 1, and the hash of the
    /// session's name in the upper 32 bits. A session gets the slot whose index is the hash modulo the number of slots. If
    /// that slot is not empty, the session gets the next empty slot.
    private var table = [UInt64](repeating: 0, count: Self.initialSlotCount)
    /// A power of two, because a bit mask reduces a hash to an index.
    private static let initialSlotCount = 1024
    /// The random start of all hashes, so that a client cannot choose names with the same hash.
    private let seed = UInt64.random(in: 0 ... .max)

    var count: Int { names.count }

    /// The number of a name; nil if no session has this name.
    func number(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { find($0, hash(of: $0)) }.number
    }

    /// Returns the number of a name, and whether the table contained the name before. Adds a new name.
    mutating func number(adding name: String) -> (number: Int, isKnown: Bool) {
        var text = name
        let (number, slot, hash) = text.withUTF8 { bytes -> (Int?, Int, UInt32) in
            let hash = self.hash(of: bytes)
            let (number, slot) = find(bytes, hash)
            return (number, slot, hash)
        }
        if let number { return (number, true) }
        names.append(name)
        // `count` is now the number of the name plus 1.
        table[slot] = UInt64(hash) << 32 | UInt64(UInt32(truncatingIfNeeded: count))
        if count > table.count / 2 { grow() }
        return (count - 1, false)
    }

    /// The number of a name, or nil if the table does not contain the name. `slot` is the name's slot in the
    /// table, or the slot at which the name would be inserted.
    private func find(_ bytes: UnsafeBufferPointer<UInt8>, _ hash: UInt32)
        -> (number: Int?, slot: Int)
    {
        let mask = table.count - 1
        var slot = Int(hash) & mask
        while table[slot] != 0 {
            let number = Int(table[slot] & 0xFFFF_FFFF) - 1
            if table[slot] >> 32 == UInt64(hash), names[number].hasBytes(bytes) {
                return (number, slot)
            }
            slot = (slot + 1) & mask
        }
        return (nil, slot)
    }

    /// Makes the table four times as large.
    private mutating func grow() {
        let oldTable = table
        let mask = 4 * oldTable.count - 1
        table = [UInt64](repeating: 0, count: mask + 1)
        for entry in oldTable where entry != 0 {
            var slot = Int(entry >> 32) & mask
            while table[slot] != 0 { slot = (slot + 1) & mask }
            table[slot] = entry
        }
    }

    /// A hash of the bytes, computed by one multiplication for each eight bytes. The factor is 2^64 divided by the
    /// golden ratio.
    private func hash(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let raw = UnsafeRawBufferPointer(bytes)
        var (hash, offset) = (seed ^ UInt64(truncatingIfNeeded: bytes.count), 0)
        while offset < raw.count {
            var word: UInt64 = 0
            if offset + 8 <= raw.count {
                word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            } else {
                for index in offset..<raw.count { word = word << 8 | UInt64(raw[index]) }
            }
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low ^ seed
            offset += 8
        }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
