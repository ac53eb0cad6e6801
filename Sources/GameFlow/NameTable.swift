/// A table that maps about a dozen names to their indices: the names of a flow's events or states. It compares the first and
/// last bytes of a name, which is faster than hashing the name.
@usableFromInline struct NameTable {
    private let keys: [Key]
    /// The bytes of all names, one after the other.
    private let bytes: [UInt8]

    /// The first four bytes, the last four bytes and the length of a name. Names of more than eight bytes can have equal keys.
    private struct Key {
        let bytes: UInt64
        /// The length in bytes.
        let count: Int
        /// Where the name begins in the bytes of all names; 0 for a name that is looked up.
        let start: Int

        @inline(__always) init(_ name: UnsafeBufferPointer<UInt8>, start: Int = 0) {
            (count, self.start) = (name.count, start)
            var bytes: UInt64 = 0
            if count >= 4 {
                let name = UnsafeRawBufferPointer(name)
                let first = name.loadUnaligned(as: UInt32.self)
                let last = name.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
                bytes = UInt64(first) << 32 | UInt64(last)
            } else {
                for byte in name { bytes = bytes << 8 | UInt64(byte) }
            }
            self.bytes = bytes
        }
    }

    @usableFromInline init(_ names: [String]) {
        var (keys, bytes): ([Key], [UInt8]) = ([], [])
        for name in names {
            let name = Array(name.utf8)
            keys.append(name.withUnsafeBufferPointer { Key($0, start: bytes.count) })
            bytes += name
        }
        (self.keys, self.bytes) = (keys, bytes)
    }

    /// Returns the index of a name; nil if it is not in the table.
    @usableFromInline func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0) }
    }

    /// Returns the index of the name with these bytes; nil if it is not in the table.
    @inline(__always) func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = Key(name)
        return keys.withUnsafeBufferPointer { keys in
            for index in keys.indices
            where keys[index].bytes == key.bytes && keys[index].count == key.count {
                if name.count <= 8 || isSame(name, keys[index].start) { return index }
            }
            return nil
        }
    }

    /// Whether a name of more than eight bytes is the one that begins at `start`, if their keys are equal.
    private func isSame(_ name: UnsafeBufferPointer<UInt8>, _ start: Int) -> Bool {
        // The keys contain the first and the last four bytes.
        for offset in 4..<name.count - 4 where bytes[start + offset] != name[offset] {
            return false
        }
        return true
    }
}
