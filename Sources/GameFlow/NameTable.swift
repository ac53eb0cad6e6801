/// A table that maps about a dozen names to their indices: the names of a flow's events or states. It compares the first and
/// last bytes of a name, which is faster than hashing the name.
@usableFromInline struct NameTable {
    private let names: [[UInt8]]
    private let keys: [Key]

    /// The first four bytes, the last four bytes and the length of a name. Names of more than eight bytes can have equal keys.
    private struct Key: Equatable {
        let bytes: UInt64
        /// The length in bytes.
        let count: Int

        init(_ name: UnsafeBufferPointer<UInt8>) {
            count = name.count
            var bytes: UInt64 = 0
            for index in 0..<min(4, count) { bytes = bytes << 8 | UInt64(name[index]) }
            for index in max(0, count - 4)..<count { bytes = bytes << 8 | UInt64(name[index]) }
            self.bytes = bytes
        }
    }

    @usableFromInline init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        keys = self.names.map { $0.withUnsafeBufferPointer(Key.init) }
    }

    /// Returns the index of a name; nil if it is not in the table.
    @usableFromInline func index(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { index(of: $0) }
    }

    /// Returns the index of the name with these bytes; nil if it is not in the table.
    func index(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let key = Key(name)
        for index in keys.indices where keys[index] == key && isSame(name, index) { return index }
        return nil
    }

    /// Whether a name is the one at an index, whose key is equal.
    private func isSame(_ name: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
        // The keys contain the other bytes.
        var offset = 4
        while offset + 4 < name.count {
            guard names[index][offset] == name[offset] else { return false }
            offset += 1
        }
        return true
    }
}
