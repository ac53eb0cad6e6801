import Inputs
import TestSupport
import Testing

@Suite struct OSCCodecTests {
    private let messageWithAllTypes = OSCMessage(
        "/all",
        [
            .int(-2), .float(0.5), .text("häuser"), .blob([1, 2, 3]), .truth(true), .truth(false),
            .null, .impulse, .long(1 << 40), .double(-1.25),
        ])

    private func bundle(_ elements: [[UInt8]]) -> [UInt8] {
        Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
            + elements.flatMap { [0, 0, 0, UInt8($0.count)] + $0 }
    }

    private func error(_ bytes: [UInt8]) -> OSCError? {
        do throws(OSCError) { _ = try OSCDecoder.decode(bytes[...]) } catch { return error }
        return nil
    }

    @Test func `a message is decoded as it was encoded`() throws {
        #expect(
            try OSCDecoder.decode(OSCEncoder.encode(messageWithAllTypes)[...])
                == [messageWithAllTypes])
        #expect(
            OSCEncoder.encode(OSCMessage("/a", [.int(1)]))
                == [0x2F, 0x61, 0, 0, 0x2C, 0x69, 0, 0, 0, 0, 0, 1])
    }

    @Test func `the messages of nested bundles come in order`() throws {
        let (a, b, c) = (OSCMessage("/a"), OSCMessage("/b", [.int(1)]), OSCMessage("/c"))
        let inner = bundle([OSCEncoder.encode(b), OSCEncoder.encode(c)])
        #expect(try OSCDecoder.decode(bundle([OSCEncoder.encode(a), inner])[...]) == [a, b, c])
    }

    @Test func `an invalid message is an error`() {
        #expect(error([]) == .truncated)
        #expect(error(Array("a\0\0\0".utf8)) == .address)
        #expect(error(Array("/a\0\0i\0\0\0".utf8)) == .noTypes)
        #expect(error(Array("/a\0\0,i\0\0".utf8)) == .truncated)
        #expect(error(Array("/a\0\0,x\0\0".utf8)) == .type(UInt8(ascii: "x")))
        #expect(error(Array("/a\0\0,T\0\0".utf8) + [0, 0, 0, 0]) == .excess)
        #expect(error(Array("/a\0\0,b\0\0".utf8) + [0xFF, 0xFF, 0xFF, 0xFF]) == .truncated)
        #expect(
            error(Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]) == .truncated)
        #expect(error([0x2F, 0xFF, 0, 0]) == .text)
        var nested = OSCEncoder.encode(OSCMessage("/a"))
        for _ in 0...OSCLimit.depth {
            nested =
                Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]
                + [0, 0, UInt8(nested.count / 256), UInt8(nested.count % 256)] + nested
        }
        #expect(error(nested) == .depth)
    }

    @Test(arguments: seeds(300)) func `a damaged datagram does not trap the decoder`(seed: UInt64) {
        var random = SeededRandom(seed)
        var bytes = bundle([
            OSCEncoder.encode(messageWithAllTypes), OSCEncoder.encode(OSCMessage("/b")),
        ])
        for _ in 0...random.below(6) {
            bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
        if random.below(3) == 0 { bytes.removeLast(random.below(bytes.count)) }
        _ = error(bytes)
    }

    @Test func `patterns match within the parts of an address`() throws {
        for (pattern, address) in [
            ("/a/b", "/a/b"), ("/a/*", "/a/b"), ("/*/b", "/abc/b"), ("/a?", "/ab"),
            ("/[a-c]x", "/bx"), ("/[!a]", "/b"), ("/{on,off}/x", "/off/x"), ("/a*c*e", "/abcde"),
            ("/*a*b*c*d*e", "/xaxbxcxdxe"), ("/{a,ab,}{b,}*", "/abb"), ("/a*", "/a"),
        ] { #expect(try #require(OSCPattern(pattern)).matches(address), "\(pattern)") }
        for (pattern, address) in [
            ("/a/*", "/a/b/c"), ("/a?", "/a/"), ("/[!a]", "/a"), ("/{on,off}", "/o"), ("/a", "/ab"),
        ] { #expect(try !#require(OSCPattern(pattern)).matches(address), "\(pattern)") }
        for pattern in ["", "a", "/[a", "/{a", "/a b", "/a\u{7F}"] {
            #expect(OSCPattern(pattern) == nil, "\(pattern)")
        }
    }

    @Test func `a pattern with many stars and choices is matched quickly against a long address`()
        throws
    {
        // A search that tries all combinations one after the other would take years.
        let address = "/" + String(repeating: "a", count: 2000)
        let pattern = "/" + String(repeating: "*{a,aa,}", count: 20)
        #expect(try #require(OSCPattern(pattern)).matches(address))
        #expect(try !#require(OSCPattern(pattern + "b")).matches(address))
    }
}
