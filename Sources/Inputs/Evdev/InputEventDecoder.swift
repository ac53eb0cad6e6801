internal import Glibc

/// Decodes the bytes that an `EvdevConnection` reads from an input device: a sequence of `struct input_event`, see
/// linux/input.h.
public struct InputEventDecoder {
    /// The size of `struct input_event` in bytes: a time, and the fields after it.
    public static let size = MemoryLayout<timeval>.size + fieldBytes
    /// The number of bytes after the time: a type and a code of two bytes each, and a value of four bytes.
    private static let fieldBytes = 8
    /// `EV_KEY` of linux/input-event-codes.h.
    private static let keyType: UInt16 = 1
    /// The value of the event when a key is released, and when it is pressed; 2 is a repeat.
    private static let (releaseValue, pressValue): (Int32, Int32) = (0, 1)
    /// `EV_SYN`, and `SYN_DROPPED`: the kernel's buffer was full.
    private static let (synchronizationType, droppedCode): (UInt16, UInt16) = (0, 3)

    /// The beginning of an event whose other bytes have not arrived.
    private var incompleteEvent: [UInt8] = []

    public init() {}

    /// Adds bytes that were read from a device, and returns what they report about its keys. Repeats and all other events are
    /// ignored.
    public mutating func add(_ newBytes: ArraySlice<UInt8>) -> [InputEvent] {
        let bytes = incompleteEvent + newBytes
        var events: [InputEvent] = []
        var remaining = bytes[...]
        while remaining.count >= Self.size {
            let fields = Array(remaining.prefix(Self.size).suffix(Self.fieldBytes))
            remaining = remaining.dropFirst(Self.size)
            let type = fields.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
            let code = fields.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
            }
            let value = fields.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: 4, as: Int32.self)
            }
            switch (type, value) {
            case (Self.keyType, Self.pressValue): events.append(.press(code))
            case (Self.keyType, Self.releaseValue): events.append(.release(code))
            case (Self.synchronizationType, _) where code == Self.droppedCode: events.append(.lost)
            default: break
            }
        }
        incompleteEvent = Array(remaining)
        return events
    }
}
