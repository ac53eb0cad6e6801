import Sessions
import Testing

@testable import Journal

/// The numbers in a row's body, which are encoded as unsigned LEB128: seven bits in each byte, the lowest bits first. The high
/// bit is set in every byte but the last.
@Suite struct BodyNumberTests {
    private func bytes(of number: UInt64) -> [UInt8] {
        var (bytes, higherBits) = ([UInt8](), number)
        while higherBits >= 0x80 {
            bytes.append(UInt8(higherBits & 0x7F) | 0x80)
            higherBits >>= 7
        }
        return bytes + [UInt8(higherBits)]
    }

    /// Reads the number at the beginning of the bytes, and counts the bytes after it.
    private func read(_ bytes: [UInt8]) throws -> (number: UInt64, bytesAfter: Int) {
        var reader = BodyReader()
        return try bytes.withUnsafeBufferPointer { bytes in
            try reader.read(bytes) { (reader) throws(UnreadableRowError) in
                let number = try reader.unsigned()
                var bytesAfter = 0
                while !reader.isAtEnd {
                    _ = try reader.byte()
                    bytesAfter += 1
                }
                return (number, bytesAfter)
            }
        }
    }

    /// If at least ten bytes of the body are left, the reader reads the bytes of a number together. Otherwise it reads them one
    /// by one.
    @Test func `a number of any length is read correctly, whatever bytes follow it`() throws {
        for bit in 0..<64 {
            let power = UInt64(1) << UInt64(bit)
            for number in [power, power - 1, power | 0x5555_5555_5555_5555 & (power - 1)] {
                for count in [0, 1, 9, 20] {
                    for byte in [0x00, 0x7F, 0x80, 0xFF] as [UInt8] {
                        let filler = [UInt8](repeating: byte, count: count)
                        let found = try read(bytes(of: number) + filler)
                        #expect(found == (number, count), "2^\(bit), \(count) of \(byte)")
                    }
                }
            }
        }
    }

    @Test func `a number of more than 64 bits, or without an end, is an error`() {
        for count in [0, 20] {
            let filler = [UInt8](repeating: 0, count: count)
            let tooLong = [UInt8](repeating: 0xFF, count: 9) + [0x02] + filler
            #expect(throws: UnreadableRowError.self) { try read(tooLong) }
            let endless = [UInt8](repeating: 0x80, count: 10) + [0x01] + filler
            #expect(throws: UnreadableRowError.self) { try read(endless) }
        }
        #expect(throws: UnreadableRowError.self) { try read([0x80, 0x80]) }
    }
}
