import QRCode
import Testing

/// QR codes as modules, SVG and lines of a terminal.
@Suite struct QRCodeTests {
    private let link = "http://192.168.1.10:8080/join#T5C3PH2V20HPDQDY3TFAFKSN02"

    /// A finder pattern of ISO/IEC 18004 is a dark square with sides of seven modules. Inside are a light square with sides of
    /// five modules and a dark square with sides of three.
    @Test func `a code has its three finder patterns`() throws {
        let code = try #require(QRCode(link))
        #expect(code.size == 33)
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let ring = max(abs(x - 3), abs(y - 3))
                    #expect(code.isDark(left + x, top + y) == (ring != 2), "\(x) \(y)")
                }
            }
        }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, code.size))
    }

    @Test func `the lines of a terminal show each module once, with a margin`() throws {
        let code = try #require(QRCode(link))
        let lines = code.lines(hasColour: false)
        #expect(lines.allSatisfy { $0.count == code.size + 2 * QRCode.margin })
        for y in -QRCode.margin..<code.size + QRCode.margin {
            let line = Array(lines[(y + QRCode.margin) / 2])
            for x in -QRCode.margin..<code.size + QRCode.margin {
                let isUpper = (y + QRCode.margin) % 2 == 0
                // A block is light on a dark background.
                let light: Set<Character> = isUpper ? ["█", "▀"] : ["█", "▄"]
                #expect(light.contains(line[x + QRCode.margin]) == !code.isDark(x, y))
            }
        }
        #expect(code.lines(hasColour: true).allSatisfy { $0.hasPrefix("\u{1B}[30;107m") })
    }

    @Test func `the SVG has the same dark modules`() throws {
        let code = try #require(QRCode(link))
        let dark = (0..<code.size).reduce(0) { sum, y in
            sum + (0..<code.size).count { code.isDark($0, y) }
        }
        let runs = code.svg.matches(of: /h(\d+)v1h-(\d+)z/)
        #expect(runs.allSatisfy { $0.1 == $0.2 })
        #expect(runs.reduce(0) { $0 + (Int($1.1) ?? 0) } == dark)
    }

    /// The largest code with the error correction M, which gamed uses, holds 2331 bytes.
    @Test func `a text that is empty, contains a NUL or is too long has no QR code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode("a\u{0}b") == nil)
        #expect(QRCode(String(repeating: "x", count: 2331)) != nil)
        #expect(QRCode(String(repeating: "x", count: 2332)) == nil)
        #expect(QRCode("سلام 你好") != nil)
    }
}
