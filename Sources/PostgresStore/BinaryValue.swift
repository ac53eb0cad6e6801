/// A parameter of a statement, in PostgreSQL's binary format.
///
/// Values are sent separately from the statement's text, and never become part of this text. The statement gives the type of
/// each parameter: `$1::int8`.
package struct BinaryValue: Sendable {
    package let bytes: [UInt8]

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The types of elements, by their numbers in `pg_type`, which never change.
    private enum ElementType: UInt32 {
        case bytea = 17
        case int8 = 20
        case int4 = 23
        case text = 25
    }

    static func int4(_ number: Int32) -> BinaryValue {
        BinaryValue(bigEndian(number))
    }

    package static func int8(_ number: Int) -> BinaryValue {
        BinaryValue(bigEndian(Int64(number)))
    }

    static func text(_ text: String) -> BinaryValue { BinaryValue(Array(text.utf8)) }

    // MARK: lists

    static func int4s(_ numbers: some Collection<Int32>) -> BinaryValue {
        BinaryValue(
            list(of: .int4, numbers) { number, bytes in
                append(size: 4, to: &bytes)
                bytes += bigEndian(number)
            })
    }

    static func int8s(_ numbers: some Collection<Int>) -> BinaryValue {
        BinaryValue(list(of: .int8, numbers) { append(Int64($0), to: &$1) })
    }

    /// A list of numbers, in which nil is NULL.
    static func optionalInt8s(_ numbers: some Collection<Int?>) -> BinaryValue {
        BinaryValue(
            list(of: .int8, numbers) { number, bytes in
                guard let number else { return appendNull(to: &bytes) }
                append(Int64(number), to: &bytes)
            })
    }

    static func texts(_ texts: some Collection<String?>) -> BinaryValue {
        BinaryValue(
            list(of: .text, texts) { text, bytes in
                guard let text else { return appendNull(to: &bytes) }
                append(size: text.utf8.count, to: &bytes)
                bytes += text.utf8
            })
    }

    static func byteas(_ values: some Collection<[UInt8]>) -> BinaryValue {
        BinaryValue(
            list(of: .bytea, values) { value, bytes in
                append(size: value.count, to: &bytes)
                bytes += value
            })
    }

    /// Encodes an array of one dimension. First come the number of dimensions (0 for an empty array), whether an element may be
    /// NULL, and the type of the elements. Then come the number of elements and the first index. Last come the elements, each
    /// with its length before it. An empty array ends after the type.
    private static func list<Values: Collection>(
        of type: ElementType, _ values: Values, _ add: (Values.Element, inout [UInt8]) -> Void
    ) -> [UInt8] {
        var bytes = bigEndian(Int32(values.isEmpty ? 0 : 1)) + bigEndian(Int32(1))
        bytes += bigEndian(type.rawValue)
        guard !values.isEmpty else { return bytes }
        bytes += bigEndian(Int32(clamping: values.count)) + bigEndian(Int32(1))
        for value in values { add(value, &bytes) }
        return bytes
    }

    private static func append(_ number: Int64, to bytes: inout [UInt8]) {
        append(size: 8, to: &bytes)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(size: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: Int32(clamping: size).bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func appendNull(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: Int32(-1).bigEndian) { bytes.append(contentsOf: $0) }
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// The parameters of a statement in the form that libpq's functions take.
struct ArgumentList {
    let count: Int32
    /// Valid during the call of `withArguments` only.
    let values: [UnsafePointer<CChar>?]
    let lengths: [Int32]
    /// The format of each parameter: 1, which means binary.
    let formats: [Int32]
}

extension [BinaryValue] {
    /// Calls `work` with the values in the form that libpq takes. The values are valid only during the call. This is long
    /// enough, because libpq copies the values.
    func withArguments<Result>(_ work: (ArgumentList) -> Result) -> Result {
        let lengths = map { Int32(clamping: $0.bytes.count) }
        // An empty value needs an address too, because nil would mean NULL.
        let allBytes = flatMap(\.bytes) + [0]
        return allBytes.withUnsafeBytes { bytes in
            var start = 0
            let values: [UnsafePointer<CChar>?] = lengths.map { length in
                defer { start += Int(length) }
                return bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
            }
            return work(
                ArgumentList(
                    count: Int32(clamping: count), values: values, lengths: lengths,
                    formats: [Int32](repeating: 1, count: count)))
        }
    }
}
