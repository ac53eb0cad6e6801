/// The state of a keyboard, such as whether Shift is held, and what its keys type in this state.
public protocol Keyboard {
    /// Returns the text that this press types; empty if it types none.
    mutating func press(_ code: UInt16) -> String
    mutating func release(_ code: UInt16)
}

/// A keyboard of the United States. Its keypad types digits, as with Num Lock.
public struct USKeyboard: Keyboard {
    private var heldShifts: Set<UInt16> = []
    private var hasCapsLock = false

    public init() {}

    /// `KEY_LEFTSHIFT`, `KEY_RIGHTSHIFT` and `KEY_CAPSLOCK`.
    private static let shifts: Set<UInt16> = [42, 54]
    private static let capsLock: UInt16 = 58

    public mutating func press(_ code: UInt16) -> String {
        if Self.shifts.contains(code) { heldShifts.insert(code) }
        if code == Self.capsLock { hasCapsLock.toggle() }
        guard let (plain, shifted) = Self.keys[code] else { return "" }
        // Caps Lock inverts Shift for letters only.
        let isShifted = heldShifts.isEmpty == (hasCapsLock && plain.isLetter)
        return String(isShifted ? shifted : plain)
    }

    public mutating func release(_ code: UInt16) { heldShifts.remove(code) }

    /// What each key types without Shift and with it.
    private static let keys: [UInt16: (plain: Character, shifted: Character)] = {
        var keys: [UInt16: (plain: Character, shifted: Character)] = [:]
        for (first, plain, shifted) in rows {
            for (index, pair) in zip(plain, shifted).enumerated() {
                keys[first + UInt16(index)] = (pair.0, pair.1)
            }
        }
        return keys
    }()

    /// Keys with successive codes: the first code, and what they type without Shift and with it.
    private static let rows: [(first: UInt16, plain: String, shifted: String)] = [
        (2, "1234567890-=", "!@#$%^&*()_+"),
        (16, "qwertyuiop[]", "QWERTYUIOP{}"),
        (30, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
        (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
        (57, " ", " "), (86, "<", ">"),
        // The keypad.
        (55, "*", "*"), (71, "789-456+1230.", "789-456+1230."), (98, "/", "/"), (117, "=±", "=±"),
        (121, ".", "."),
    ]
}
