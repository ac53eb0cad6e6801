internal import CDeflate
internal import Glibc
internal import Timers

/// The file of the high-water mark. It has two slots, which are written alternately, so that one slot is always complete. The
/// file is not synced. The mark may therefore be older after a power failure, and then fewer lost rows are noticed.
public final class HighWaterMarkFile {
    /// The name of the file in the state directory.
    public static let name = "journal.mark"

    private let descriptor: Int32
    /// The slot to write next: 0 or 1.
    private var nextSlot = 0

    /// Opens the file in a directory, or creates the file if it is missing. Nil if the file can neither be opened nor created.
    public init?(_ directory: String) {
        descriptor = open(
            "\(directory)/\(Self.name)", O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o640)
        if descriptor < 0 { return nil }
        let slots = Self.slots(descriptor)
        nextSlot = Self.isNewer(slots[0], than: slots[1]) ? 1 : 0
    }

    deinit { close(descriptor) }

    /// The newer of the valid marks in a directory; nil if there is none. Creates no file.
    public static func newest(in directory: String) -> HighWaterMark? {
        // Without O_NONBLOCK, open(2) would block on a pipe of that name.
        let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let slots = slots(descriptor)
        return isNewer(slots[0], than: slots[1]) ? slots[0] : slots[1]
    }

    /// The marks in the two slots; nil for a slot without a valid mark.
    private static func slots(_ descriptor: Int32) -> [HighWaterMark?] {
        var bytes = [UInt8](repeating: 0, count: 2 * HighWaterMark.width)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return [0, 1].map { slot in
            let (start, end) = (slot * HighWaterMark.width, (slot + 1) * HighWaterMark.width)
            return end <= count ? HighWaterMark(bytes[start..<end]) : nil
        }
    }

    /// Whether `a` was written later than `b`. A missing mark is older than any other.
    private static func isNewer(_ a: HighWaterMark?, than b: HighWaterMark?) -> Bool {
        guard let a else { return false }
        return b.map { (a.atNs, a.position) > ($0.atNs, $0.position) } ?? true
    }

    /// Writes a mark to the slot of the older mark. A failure is ignored; the file then keeps an older mark.
    public func write(_ mark: HighWaterMark) {
        let text = mark.text
        _ = pwrite(descriptor, text, text.count, off_t(nextSlot * HighWaterMark.width))
        nextSlot = 1 - nextSlot
    }
}

extension HighWaterMark {
    /// The size of a mark in the file, in bytes.
    fileprivate static let width = 64

    /// The mark as one line of fixed width: position, time and checksum in decimal digits, and then spaces.
    fileprivate var text: [UInt8] {
        let fields = Self.padded(position, 20) + " " + Self.padded(atNs, 20) + " "
        let checksum = Self.checksum(Array(fields.utf8))
        let text = fields + Self.padded(checksum, 10)
        return Array(
            (text + String(repeating: " ", count: Self.width - 1 - text.count) + "\n").utf8)
    }

    /// Parses the line of a mark; nil if the line is not valid.
    fileprivate init?(_ text: ArraySlice<UInt8>) {
        let fields = text.split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard fields.count >= 3, text.count == Self.width, let position = Int(fields[0]),
            let atNs = Int64(fields[1]), let checksum = UInt32(fields[2]),
            // The checksum is computed from two numbers of 20 digits, each followed by a space: 42 bytes.
            checksum == Self.checksum(Array(text.prefix(42))),
            0...JournalRow.greatestNumber ~= position, 0...Instant.last.nanoseconds ~= atNs
        else { return nil }
        self.init(position: position, atNs: atNs)
    }

    /// A number with leading zeros, so that it has `width` digits.
    private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        libdeflate_crc32(0, bytes, bytes.count)
    }
}
