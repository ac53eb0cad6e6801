import Bluetooth
import Support

/// A pattern for the values of a characteristic: `01` matches that value; `01/0F` compares only the
/// bits of the mask, and allows any bytes after them.
struct ValuePattern: Equatable {
    private let value: [UInt8]
    private let mask: [UInt8]?

    /// The reason why a text is not a valid pattern.
    struct Flaw: Error, Equatable {
        let why: String
    }

    init(_ text: String) throws(Flaw) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let value = Hexadecimal.read(parts[0]), !value.isEmpty else {
            throw Flaw(why: "expected bytes such as 01 or 01FF, two digits each")
        }
        self.value = value
        guard parts.count == 2 else {
            mask = nil
            return
        }
        guard let mask = Hexadecimal.read(parts[1]), mask.count == value.count else {
            throw Flaw(why: "expected a mask as long as the value, such as 01/0F")
        }
        guard zip(value, mask).allSatisfy({ $0 & ~$1 == 0 }) else {
            throw Flaw(why: "has bits that the mask hides, and so would never match")
        }
        self.mask = mask
    }

    func matches(_ bytes: [UInt8]) -> Bool {
        guard let mask else { return bytes == value }
        return bytes.count >= value.count
            && zip(bytes, mask).map { $0 & $1 }.elementsEqual(value)
    }
}
