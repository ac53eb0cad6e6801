import Bluetooth
import Glibc
import Testing

/// A capture that others made of devices that others built, counted by a parser and by tshark, which agreed:
/// `btsnoop_hci.log` of the public repository csacca/horizon-74-at-ble. It is no part of this project; where it is,
/// `$GAMED_CAPTURES` says, or it is beside the project in `shared/data`.
@Suite struct CaptureTests {
    private static let path: String = {
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder =
            getenv("GAMED_CAPTURES").map { String(cString: $0) } ?? "\(root)/../shared/data"
        return "\(folder)/horizon-74-at-ble.btsnoop"
    }()

    private static var isThere: Bool {
        if access(path, R_OK) == 0 { return true }
        print("NOT RUN: there is no real capture at \(path); see CaptureTests")
        return false
    }

    @Test(.enabled(if: isThere, "the real capture is not there"))
    func `of a real capture all is read, and counted as others counted it`() throws {
        let file = try #require(fopen(Self.path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        var reader = try BtsnoopReader(Array(bytes[..<count]))
        var tally = PacketCounters()
        while let record = reader.next() { tally.take(record.packet, record.direction) }
        #expect(reader.malformed == 0)
        #expect(tally.malformed == 0)
        #expect(tally.packets == 2572)
        #expect(tally.advertisements == 412)
        let counts: [UInt8: Int] = [
            0x1B: 1047, 0x12: 261, 0x13: 261, 0x08: 19, 0x09: 9, 0x04: 23, 0x05: 23,
        ]
        for (opcode, count) in counts { #expect(tally.attributes[opcode] == count, "\(opcode)") }
        #expect(tally.notifications == [0x0014: 786, 0x0012: 261])
    }
}
