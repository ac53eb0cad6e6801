import Support
import Testing

@Suite struct HexadecimalTests {
    @Test func `both cases are read, and the upper one is written`() {
        #expect(Hexadecimal.read("01ff") == [0x01, 0xFF])
        #expect(Hexadecimal.read("01FF") == [0x01, 0xFF])
        #expect(Hexadecimal.read("aBcDeF") == [0xAB, 0xCD, 0xEF])
        #expect(Hexadecimal.read("") == [])
        #expect(Hexadecimal.write([0x01, 0xAB, 0xFF]) == "01ABFF")
        #expect(Hexadecimal.write([]) == "")
    }

    @Test func `all bytes come back`() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Hexadecimal.write(bytes).utf8.count == 512)
        #expect(Hexadecimal.read(Hexadecimal.write(bytes)) == bytes)
        #expect(Hexadecimal.read(Hexadecimal.write(bytes).lowercased()) == bytes)
    }

    @Test(arguments: [
        "0", "012", "0/", "0:", "0@", "0G", "0`", "0g", "+1", "-1", "0x01", " 1", "1 ", "01 FF",
        "é", "０１", "\u{0}\u{0}",
    ])
    func `what is no whole number of bytes is nil`(_ text: String) {
        #expect(Hexadecimal.read(text) == nil)
    }
}
