import Bluetooth

/// Which values of a characteristic are meant: `01`, all of it; or `01/0F`, where only the bits of the mask are
/// compared, and what follows may be anything.
struct ValuePattern: Equatable {
    private let value: [UInt8]
    private let mask: [UInt8]?

    /// Nil of what is none: no bytes, a mask of another length, or bits that the mask hides.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let value = Hexadecimal.read(parts[0]), !value.isEmpty else {
            return nil
        }
        self.value = value
        guard parts.count == 2 else {
            mask = nil
            return
        }
        guard let mask = Hexadecimal.read(parts[1]), mask.count == value.count,
            zip(value, mask).allSatisfy({ $0 & ~$1 == 0 })
        else { return nil }
        self.mask = mask
    }

    /// What is wrong with a text that is none.
    static func flaw(of text: String) -> String {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let value = Hexadecimal.read(parts[0]), !value.isEmpty else {
            return "expected bytes such as 01 or 01FF, two digits each"
        }
        guard parts.count == 2, let mask = Hexadecimal.read(parts[1]), mask.count == value.count
        else { return "expected a mask as long as the value, such as 01/0F" }
        return "has bits that the mask hides, and so would never match"
    }

    func matches(_ bytes: [UInt8]) -> Bool {
        guard let mask else { return bytes == value }
        return bytes.count >= value.count
            && zip(bytes, mask).map { $0 & $1 }.elementsEqual(value)
    }
}
