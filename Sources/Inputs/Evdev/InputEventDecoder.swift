internal import Glibc

/// Decodes the bytes that are read from an input device: a sequence of `struct input_event`, see linux/input.h.
public struct InputEventDecoder {
    /// The size of the structure in bytes: a time, a type, a code and a value.
    public static let size = MemoryLayout<timeval>.size + 8
    /// `EV_KEY` of linux/input-event-codes.h.
    private static let keyType: UInt16 = 1

    /// The beginning of an event whose other bytes have not arrived.
    private var bytes: [UInt8] = []

    public init() {}

    /// Adds bytes that were read from a device, and returns the codes of the keys that were pressed. Releases,
    /// repeats and all other events are ignored.
    public mutating func add(_ newBytes: ArraySlice<UInt8>) -> [UInt16] {
        bytes += newBytes
        var pressed: [UInt16] = []
        var remaining = bytes[...]
        while remaining.count >= Self.size {
            let event = Array(remaining.prefix(Self.size).suffix(8))
            remaining = remaining.dropFirst(Self.size)
            let type = event.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
            let code = event.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            }
            let value = event.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 4, as: Int32.self)
            }
            if type == Self.keyType, value == 1 { pressed.append(code) }
        }
        bytes = Array(remaining)
        return pressed
    }
}
