/// A table that maps about a dozen names to their indices: the names of a flow's events or states. It compares the first and
/// last bytes of a name, which is faster than hashing the name.
@usableFromInline struct NameTable {
    private let names: [String]
    private let keys: [Key]

    /// The first four bytes, the last four bytes and the length of a name. Different names can have equal keys.
    private struct Key: Equatable {
        let bytes: UInt64
        /// The length in bytes.
        let count: Int

        init(_ name: String) {
            var name = name
            self = name.withUTF8 { Key($0.span) }
        }

        private init(_ name: Span<UInt8>) {
            var bytes: UInt64 = 0
            for index in 0..<min(4, name.count) { bytes = bytes << 8 | UInt64(name[index]) }
            for index in max(0, name.count - 4)..<name.count {
                bytes = bytes << 8 | UInt64(name[index])
            }
            (self.bytes, count) = (bytes, name.count)
        }
    }

    @usableFromInline init(_ names: [String]) {
        self.names = names
        keys = names.map(Key.init)
    }

    /// Returns the index of a name; nil if it is not in the table.
    @usableFromInline func index(of name: String) -> Int? {
        let key = Key(name)
        // Equal keys have equal lengths. A text of this length that is canonically equivalent to a name, which is ASCII, is the
        // name itself.
        for index in keys.indices where keys[index] == key && names[index] == name { return index }
        return nil
    }
}
