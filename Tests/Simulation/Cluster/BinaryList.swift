/// An array in PostgreSQL's binary format, in which statements send their array parameters.
struct BinaryList {
    /// The bytes of the elements; nil for NULL.
    let elements: [[UInt8]?]

    init(_ bytes: [UInt8]) {
        var reader = bytes[...]
        func number() -> Int {
            let number = reader.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            reader = reader.dropFirst(4)
            return Int(Int32(bitPattern: number))
        }
        let dimensions = number()
        (_, _) = (number(), number())  // whether there may be NULL, and the type of the elements
        guard dimensions > 0 else {
            elements = []
            return
        }
        let count = number()
        _ = number()  // the index of the first element
        elements = (0..<count).map { _ in
            let size = number()
            guard size >= 0 else { return nil }
            defer { reader = reader.dropFirst(size) }
            return Array(reader.prefix(size))
        }
    }

    var integers: [Int] { elements.map { Self.integer($0 ?? []) } }
    var texts: [String?] { elements.map { $0.map { String(decoding: $0, as: UTF8.self) } } }

    /// An integer of four or eight bytes.
    static func integer(_ bytes: [UInt8]) -> Int {
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bytes.count == 4
            ? Int(Int32(truncatingIfNeeded: number)) : Int(Int64(bitPattern: number))
    }
}
