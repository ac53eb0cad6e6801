public import Timers

/// Collects what a device types, such as a reader of cards or barcodes, until its end key. Texts without characters are left out.
public struct TypedText {
    /// The maximum number of characters of a text. Longer texts are dropped and counted.
    public static let maximumCharacters = 256
    /// After a longer pause, the next key begins a new text: the end of the text before was lost.
    public static let pause = Duration.milliseconds(500)
    /// `KEY_ENTER`, and `KEY_KPENTER` of the keypad.
    public static let enter: Set<UInt16> = [28, 96]

    private let layout: KeyLayout
    private let endKeys: Set<UInt16>
    private var keyboard: any Keyboard
    private var characters: [Character] = []
    /// Whether the present text is too long, or events of it were lost; it is dropped.
    private var isDropped = false
    private var lastPress: Instant?
    /// The number of texts that were dropped.
    public private(set) var dropped = 0

    /// `endKeys` are the keys that end a text.
    public init(_ layout: KeyLayout = .us, endKeys: Set<UInt16> = enter) {
        (self.layout, self.endKeys) = (layout, endKeys)
        keyboard = layout.keyboard()
    }

    /// Adds an event of the device that arrived at `now`. Returns the text that it ends.
    public mutating func add(_ event: InputEvent, at now: Instant) -> String? {
        switch event {
        case .release(let code):
            keyboard.release(code)
            return nil
        case .lost:
            // It is not known which keys are held.
            keyboard = layout.keyboard()
            isDropped = true
            return nil
        case .press(let code):
            if let lastPress, now - lastPress > Self.pause { restart() }
            lastPress = now
            let typed = keyboard.press(code)
            guard !endKeys.contains(code) else { return completeText() }
            append(typed)
            return nil
        }
    }

    /// Drops what was typed, and takes all keys for released, because the device was opened again.
    public mutating func discard() {
        keyboard = layout.keyboard()
        restart()
    }

    private mutating func restart() { (characters, isDropped) = ([], false) }

    /// Adds what a key has typed. Control characters, such as those of Escape and Backspace, are no text.
    private mutating func append(_ typed: String) {
        let text = typed.filter { character in
            character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
        guard characters.count + text.count <= Self.maximumCharacters else {
            (characters, isDropped) = ([], true)
            return
        }
        if !isDropped { characters += text }
    }

    private mutating func completeText() -> String? {
        defer { restart() }
        guard !isDropped else {
            dropped += 1
            return nil
        }
        return characters.isEmpty ? nil : String(characters)
    }
}
