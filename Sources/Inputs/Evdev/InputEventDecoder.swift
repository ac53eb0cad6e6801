internal import Glibc

/// Decodes what the kernel writes for an input device: `struct input_event`, see linux/input.h.
public struct InputEventDecoder {
    /// The size of the structure: a time, a type, a code and a value.
    public static let size = MemoryLayout<timeval>.size + 8
    private static let keyType: UInt16 = 1

    private var bytes: [UInt8] = []

    public init() {}

    /// Adds bytes that were read from a device, and returns the codes of the keys that were pressed. Releases,
    /// repeats and all other events are left out.
    public mutating func add(_ more: ArraySlice<UInt8>) -> [UInt16] {
        bytes += more
        var pressed: [UInt16] = []
        var rest = bytes[...]
        while rest.count >= Self.size {
            let event = Array(rest.prefix(Self.size).suffix(8))
            rest = rest.dropFirst(Self.size)
            let kind = event.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
            let code = event.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            }
            let value = event.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 4, as: Int32.self)
            }
            if kind == Self.keyType, value == 1 { pressed.append(code) }
        }
        bytes = Array(rest)
        return pressed
    }
}
