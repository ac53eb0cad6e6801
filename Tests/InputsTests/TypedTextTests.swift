import Inputs
import TestSupport
import Testing
import Timers

/// Readers that type: the keys that they press become texts.
@Suite struct TypedTextTests {
    private static let enter: UInt16 = 28

    /// The texts that these keys type, one press each, joined by `|`. `"` at a key's name holds Shift while it is pressed.
    private func texts(
        _ keys: String, _ text: inout TypedText, at now: Instant = .zero
    ) -> String {
        var texts: [String] = []
        for key in keys.split(separator: " ") {
            let code = KeyNames.code(of: "KEY_\(key.drop { $0 == "^" })")!
            if key.hasPrefix("^") { _ = text.add(.press(42), at: now) }
            if let complete = text.add(.press(code), at: now) { texts.append(complete) }
            _ = text.add(.release(code), at: now)
            if key.hasPrefix("^") { _ = text.add(.release(42), at: now) }
        }
        return texts.joined(separator: "|")
    }

    private func texts(_ keys: String, _ layout: KeyLayout = .us) -> String {
        var text = TypedText(layout)
        return texts(keys, &text)
    }

    @Test func `a text ends with Enter of either kind, and an empty one is left out`() {
        #expect(texts("1 2 ^A B ENTER ENTER KP7 KPDOT KPENTER C") == "12Ab|7.")
    }

    @Test func `keys that type nothing, and control characters, are not in a text`() throws {
        for layout in [KeyLayout.us, try KeyLayout("de")] {
            #expect(texts("ESC 1 BACKSPACE TAB F1 LEFTCTRL UP 2 ENTER", layout) == "12")
        }
    }

    /// Only the thread sanitizer sees each use of the shared count without its lock.
    @Test func `keyboards of several threads share a layout`() async throws {
        let layout = try KeyLayout("de")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<2000).allSatisfy { _ in
                        var keyboard = layout.keyboard()
                        return keyboard.press(21) == "z"
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        // The layout is still there.
        var keyboard = layout.keyboard()
        #expect(keyboard.press(21) == "z")
    }

    @Test func `Caps Lock inverts Shift for letters only`() {
        #expect(texts("A CAPSLOCK A 1 ^A ^1 CAPSLOCK A ENTER") == "aA1a!a")
    }

    @Test func `another key can end a text, and Enter then types nothing`() {
        var text = TypedText(endKeys: [15])
        #expect(texts("1 ENTER 2 TAB", &text) == "12")
    }

    @Test func `the longest text has 256 characters, and a longer one is dropped and counted`() {
        var text = TypedText()
        let longest = String(repeating: "A ", count: TypedText.maximumCharacters)
        #expect(texts(longest + "ENTER", &text) == String(repeating: "a", count: 256))
        #expect(texts(longest + "A A ENTER", &text).isEmpty)
        #expect(text.dropped == 1)
        #expect(texts("B ENTER", &text) == "b")
    }

    @Test func `after a pause of more than 500 ms a text begins anew`() {
        var text = TypedText()
        #expect(texts("1 2", &text).isEmpty)
        #expect(texts("3", &text, at: .zero + .milliseconds(500)).isEmpty)
        #expect(texts("4 ENTER", &text, at: .zero + .milliseconds(1000)) == "1234")
        #expect(texts("1 2", &text, at: .zero + .seconds(5)).isEmpty)
        #expect(texts("3 ENTER", &text, at: .zero + .milliseconds(5501)) == "3")
        #expect(text.dropped == 0)
    }

    @Test
    func `a text of which the kernel has lost keys is dropped, and Shift is not held after it`() {
        var text = TypedText()
        _ = text.add(.press(42), at: .zero)
        _ = text.add(.lost, at: .zero)
        #expect(texts("1 ENTER", &text).isEmpty)
        #expect(text.dropped == 1)
        #expect(texts("1 ENTER", &text) == "1")
    }

    @Test func `what was typed before the device was opened again is no beginning of a text`() {
        var text = TypedText()
        #expect(texts("1 2", &text).isEmpty)
        _ = text.add(.press(42), at: .zero)
        text.discard()
        #expect(texts("3 ENTER", &text) == "3")
    }

    @Test func `other layouts are those of libxkbcommon`() throws {
        let german = try KeyLayout("de")
        #expect(texts("Z ^Y MINUS ^7 KPDOT KP7 ENTER", german) == "yZß/,7")
        #expect(texts("EQUAL ENTER", try KeyLayout("de(nodeadkeys)")) == "´")
        #expect(texts("Q ^1 ENTER", try KeyLayout("fr")) == "a1")
        // Num Lock of the device does not turn the keypad's digits off.
        #expect(texts("NUMLOCK KP7 ENTER", german) == "7")
        #expect(try KeyLayout("de") == german && german != .us)
        for name in ["", "xx", "de/../us", String(repeating: "a", count: 65), "dé"] {
            #expect(throws: KeyLayoutError.self, "\(name)") { try KeyLayout(name) }
        }
    }

    /// `us(altgr-intl)` without a third level types what `us` does; it is not built in.
    @Test func `the layout that is built in is that of libxkbcommon`() throws {
        let layout = try KeyLayout("us(basic)")
        for code in UInt16(1)...127 where !TypedText.enter.contains(code) && code != 69 {
            var (own, other) = (TypedText(), TypedText(layout))
            for shift in [false, true] {
                // With Shift, the keypad of libxkbcommon moves the cursor.
                if shift, (71...83).contains(code) { continue }
                let texts = [own, other].map { text in
                    var text = text
                    if shift { _ = text.add(.press(42), at: .zero) }
                    _ = text.add(.press(code), at: .zero)
                    return text.add(.press(Self.enter), at: .zero) ?? ""
                }
                #expect(texts[0] == texts[1], "\(KeyNames.name(of: code)) \(shift)")
                (own, other) = (TypedText(), TypedText(layout))
            }
        }
    }

    @Test func `of devices with one name, the one with an Enter key is taken, then the first`() {
        func device(_ number: Int, _ name: String, enter: Bool) -> InputDevice {
            InputDevice(path: "/dev/input/event\(number)", name: name, hasEnter: enter)
        }
        let mouse = device(2, "Card Reader", enter: false)
        let keys = device(3, "Card Reader", enter: true)
        let more = device(10, "Card Reader 2", enter: true)
        let all = [device(1, "Keyboard", enter: true), mouse, keys, more]
        let found = InputDevice.select("Card*", from: all)
        #expect(found?.device == keys && found?.others == [mouse, more])
        let alone = InputDevice.select("Card Reader 2", from: all)
        #expect(alone?.device == more && alone?.others == [])
        #expect(InputDevice.select("Card Reader", from: [mouse])?.device == mouse)
        #expect(InputDevice.select("Buzzer", from: all) == nil)
    }
}
