internal import CXKBCommon
public import Support
internal import Synchronization

/// The layout of a keyboard: what its keys type.
public struct KeyLayout: Equatable, Sendable {
    /// The layout of the United States, for which no library is needed.
    public static let us = KeyLayout()

    /// The name in the X Keyboard Extension, such as `de` or `de(nodeadkeys)`.
    public let name: String
    /// Nil for the layout of the United States.
    private let keymap: Keymap?

    private init() { (name, keymap) = ("us", nil) }

    /// Finds the layout with this name. Loads libxkbcommon, and reads the layout's files if it was not used before, which takes
    /// some milliseconds.
    public init(_ name: String) throws(KeyLayoutError) {
        self.name = name
        guard name != Self.us.name else {
            keymap = nil
            return
        }
        guard !name.isEmpty, name.utf8.count <= Self.longestName,
            name.utf8.allSatisfy(Self.isNameByte)
        else { throw KeyLayoutError(why: Self.expected) }
        if let known = Self.keymaps.withLock({ $0[name] }) {
            keymap = known
            return
        }
        if let reason = xkbcommon_load() {
            throw KeyLayoutError(
                why:
                    "\(String(cString: reason)); install libxkbcommon (Debian package libxkbcommon0)"
            )
        }
        guard let keymap = Keymap(name) else {
            throw KeyLayoutError(why: "no layout is called \(name); \(Self.expected)")
        }
        self.keymap = keymap
        Self.keymaps.withLock { $0[name] = keymap }
    }

    /// A keyboard on which no key is held.
    public func keyboard() -> any Keyboard { keymap.flatMap(XKBKeyboard.init) ?? USKeyboard() }

    public static func == (one: KeyLayout, other: KeyLayout) -> Bool { one.name == other.name }

    /// The layouts that were used before, by their names.
    private static let keymaps = Mutex<[String: Keymap]>([:])
    private static let longestName = 64
    private static let expected = "expected us, de, fr or another layout of xkeyboard-config(7)"

    private static func isNameByte(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-()".utf8.contains(byte)
    }
}

/// The reason why there is no layout.
public struct KeyLayoutError: DescribedError {
    public let why: String
}

/// A keymap of libxkbcommon. It is never changed, except for its count of references: each state of a keyboard has one. The library
/// counts without atomic instructions, and keyboards of several threads share a keymap. So a lock is held when states are made and
/// released.
private final class Keymap: @unchecked Sendable {
    private let keymap: OpaquePointer
    private let referenceCount = Mutex<Void>(())

    /// Nil if there is no layout of this name.
    init?(_ layout: String) {
        // The variables of the environment would change the rules.
        guard let context = xkb_context_new(XKB_CONTEXT_NO_ENVIRONMENT_NAMES) else { return nil }
        defer { xkb_context_unref(context) }
        // The library would print to standard error that it does not find a layout.
        xkb_context_set_log_level(context, XKB_LOG_LEVEL_CRITICAL)
        let found = layout.withCString { layout in
            "evdev".withCString { rules in
                "pc105".withCString { model in
                    var names = xkb_rule_names()
                    (names.rules, names.model, names.layout) = (rules, model, layout)
                    return xkb_keymap_new_from_names(
                        context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS)
                }
            }
        }
        guard let found else { return nil }
        keymap = found
    }

    deinit { xkb_keymap_unref(keymap) }

    /// Makes the state of a keyboard; nil without memory.
    func makeState() -> OpaquePointer? {
        var state: OpaquePointer?
        referenceCount.withLock { _ in state = xkb_state_new(keymap) }
        return state
    }

    func release(_ state: OpaquePointer) {
        referenceCount.withLock { _ in xkb_state_unref(state) }
    }
}

/// A keyboard whose layout libxkbcommon knows. Its keypad types digits, as with Num Lock.
private final class XKBKeyboard: Keyboard {
    private let state: OpaquePointer
    /// Keeps the keymap in memory.
    private let keymap: Keymap

    /// `KEY_NUMLOCK`.
    private static let numLock: UInt16 = 69
    /// The difference between a code of the X Keyboard Extension and the kernel's code for the same key.
    private static let codeOffset: UInt32 = 8

    /// Nil without memory.
    init?(_ keymap: Keymap) {
        guard let state = keymap.makeState() else { return nil }
        (self.state, self.keymap) = (state, keymap)
        update(Self.numLock, XKB_KEY_DOWN)
        update(Self.numLock, XKB_KEY_UP)
    }

    deinit { keymap.release(state) }

    func press(_ code: UInt16) -> String {
        guard code != Self.numLock else { return "" }
        // One key types at most a few characters.
        var buffer = [CChar](repeating: 0, count: 64)
        let count = xkb_state_key_get_utf8(
            state, UInt32(code) + Self.codeOffset, &buffer, buffer.count)
        update(code, XKB_KEY_DOWN)
        guard count > 0, Int(count) < buffer.count else { return "" }
        return String(decoding: buffer[..<Int(count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func release(_ code: UInt16) {
        guard code != Self.numLock else { return }
        update(code, XKB_KEY_UP)
    }

    private func update(_ code: UInt16, _ direction: xkb_key_direction) {
        xkb_state_update_key(state, UInt32(code) + Self.codeOffset, direction)
    }
}
