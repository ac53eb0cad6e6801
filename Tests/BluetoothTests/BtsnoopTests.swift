import Glibc
import TestSupport
import Testing
import Timers

@testable import Bluetooth

@Suite struct BtsnoopTests {
    private typealias Record = BtsnoopReader.Record

    private static let packets: [HCIPacket] = [
        HCICommand.reset.packet, HCIPacket(.acl, [2, 0x40, 0x20, 2, 0, 7, 8]),
        HCIPacket(.synchronous, [3, 0x40, 0, 1, 9]), HCIPacket(.event, [4, 0x0E, 1, 0]),
        HCIPacket(.isochronous, [5, 0x40, 0, 1, 0, 7]),
    ]

    /// Times in nanoseconds: before, at and after the Unix epoch.
    private static let times: [Int64] = [
        -9_000_000_000_000_000_000, -1000, 0, 1000, 1_763_676_000_123_456_000,
        9_000_000_000_000_000_000,
    ]

    private static let records: [Record] = packets.flatMap { packet in
        [PacketDirection.toController, .toHost].flatMap { direction in
            times.map {
                Record(packet: packet, direction: direction, at: Instant(nanoseconds: $0))
            }
        }
    }

    private func file(_ records: some Sequence<Record>) -> [UInt8] {
        BtsnoopFormat.header
            + records.flatMap { BtsnoopFormat.record($0.packet, $0.direction, $0.at) }
    }

    /// All records, and the number of malformed ones.
    private func read(_ bytes: [UInt8]) throws -> (records: [Record], malformed: Int) {
        var reader = try BtsnoopReader(bytes)
        var records: [Record] = []
        while let record = reader.next() { records.append(record) }
        #expect(reader.next() == nil)
        return (records, reader.malformedCount)
    }

    @Test func `written records are read unchanged`() throws {
        let (records, malformed) = try read(file(Self.records))
        // Five packets, each in two directions and at six times.
        #expect(records.count == 60)
        #expect(records == Self.records)
        #expect(malformed == 0)
        #expect(try read(file([])).records.isEmpty)
    }

    @Test func `a record has the documented bytes`() {
        // The Unix epoch, in microseconds since the year 0.
        let epoch: [UInt8] = [0x00, 0xDC, 0xDD, 0xB3, 0x0F, 0x2F, 0x80, 0x00]
        // Each with the index of a packet in `packets`.
        let flagsOfPackets: [(Int, PacketDirection, UInt8)] = [
            (0, .toController, 2), (3, .toHost, 3), (1, .toController, 0), (1, .toHost, 1),
        ]
        for (index, direction, flags) in flagsOfPackets {
            let packet = Self.packets[index]
            let length: [UInt8] = [0, 0, 0, UInt8(packet.bytes.count)]
            #expect(
                BtsnoopFormat.record(packet, direction, .zero)
                    == length + length + [0, 0, 0, flags, 0, 0, 0, 0] + epoch + packet.bytes)
        }
        #expect(
            BtsnoopFormat.header
                == [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0, 0, 0, 0, 1, 0, 0, 0x03, 0xEA])
    }

    @Test func `a truncated file yields the complete records before the end`() throws {
        let records = Self.records.filter { $0.at == .zero }
        let whole = file(records)
        // The lengths at which a truncated file ends with its header or with a whole record.
        var ends = [16]
        for record in records { ends.append(ends.last! + 24 + record.packet.bytes.count) }
        for length in 0...whole.count {
            let bytes = Array(whole[..<length])
            guard length >= 16 else {
                #expect(throws: BtsnoopError.notBtsnoop) { try BtsnoopReader(bytes) }
                continue
            }
            let completeCount = ends.count { $0 <= length } - 1
            let (readRecords, malformed) = try read(bytes)
            #expect(readRecords == Array(records[..<completeCount]), "\(length)")
            #expect(malformed == (ends.contains(length) ? 0 : 1), "\(length)")
        }
    }

    @Test func `a file of another format is rejected with the reason`() {
        for index in 0..<12 {
            var bytes = BtsnoopFormat.header
            bytes[index] ^= 1
            #expect(throws: BtsnoopError.notBtsnoop, "\(index)") { try BtsnoopReader(bytes) }
        }
        var bytes = BtsnoopFormat.header
        // The data link type of captures that the Bluetooth monitor of Linux writes.
        bytes.replaceSubrange(12..., with: [0, 0, 0x07, 0xD1])
        #expect(throws: BtsnoopError.unsupportedDatalink(2001)) { try BtsnoopReader(bytes) }
        bytes.replaceSubrange(12..., with: [0xFF, 0, 0x03, 0xEA])
        #expect(throws: BtsnoopError.unsupportedDatalink(0xFF00_03EA)) { try BtsnoopReader(bytes) }
    }

    @Test func `a length that is too large ends the file and is counted`() throws {
        let record = BtsnoopFormat.record(Self.packets[0], .toHost, .zero)
        for length: [UInt8] in [
            [0xFF, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0, 1, 0, 5],
            [0, 0, 0, 5],
        ] {
            var huge = record
            huge.replaceSubrange(..<8, with: length + length)
            let (records, malformed) = try read(BtsnoopFormat.header + record + huge)
            #expect(records.count == 1, "\(length)")
            #expect(malformed == 1, "\(length)")
        }
        // A packet has at most 65 540 bytes. This record is complete, but its packet has 65 541 bytes.
        var bytes = record
        bytes.replaceSubrange(..<8, with: [0, 1, 0, 5, 0, 1, 0, 5])
        bytes += [UInt8](repeating: 0, count: 65_541)
        #expect(try read(BtsnoopFormat.header + bytes).malformed == 1)
    }

    @Test func `the longest packet is read`() throws {
        let bytes = [2, 0x40, 0, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 65_535)
        let record = Record(packet: HCIPacket(.acl, bytes), direction: .toHost, at: .zero)
        #expect(try read(file([record])).records == [record])
    }

    @Test func `a record that cannot be read is counted, and the next record is read`() throws {
        let good = BtsnoopFormat.record(Self.packets[0], .toHost, .zero)
        // First comes a record whose original length says that its packet was truncated. Then come records with an unknown
        // type, with two packets, with half a packet and with no packet.
        var truncatedRecord = good
        truncatedRecord[3] += 1
        var malformedRecords = [truncatedRecord]
        for body: [UInt8] in [
            [9, 3, 0x0C, 0], Self.packets[0].bytes + Self.packets[0].bytes, [1, 3, 0x0C, 1], [],
        ] {
            let length = [0, 0, 0, UInt8(body.count)]
            malformedRecords.append(length + length + good[8..<24] + body)
        }
        for bytes in malformedRecords {
            let (records, malformed) = try read(BtsnoopFormat.header + bytes + good)
            #expect(records.map(\.packet) == [Self.packets[0]])
            #expect(malformed == 1)
        }
    }

    @Test func `a time out of range is read as the zero of the clock`() throws {
        for first: UInt8 in [0x00, 0x7F, 0x80, 0xFF] {
            var bytes = BtsnoopFormat.record(Self.packets[0], .toHost, Instant(nanoseconds: 5000))
            bytes.replaceSubrange(16..<24, with: [first] + [UInt8](repeating: 0, count: 7))
            #expect(try read(BtsnoopFormat.header + bytes).records.map(\.at) == [.zero])
        }
    }
}

/// Reads captures that other programs wrote. The expected counts are the counts of tshark for these captures.
@Suite struct CapturesOfOtherProgramsTests {
    private func countPackets(inFile path: String) throws -> PacketCounters {
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        var reader = try BtsnoopReader(Array(bytes[..<count]))
        var counters = PacketCounters()
        while let record = reader.next() { counters.count(record.packet, record.direction) }
        #expect(reader.malformedCount == 0)
        #expect(counters.malformedCount == 0)
        return counters
    }

    /// `Captures/make.py` made this capture.
    @Test func `a capture of Bumble is read completely and has the counts of tshark`() throws {
        let counters = try countPackets(
            inFile:
                "\(RepositoryFile.root)/Tests/BluetoothTests/Captures/bumble.btsnoop")
        #expect(counters.packets == 218)
        #expect(counters.advertisements == 8)
        let counts: [UInt8: Int] = [
            0x01: 8, 0x02: 2, 0x03: 2, 0x04: 6, 0x05: 6, 0x08: 12, 0x09: 6, 0x0A: 2, 0x0B: 2,
            0x10: 4, 0x11: 2, 0x12: 2, 0x13: 2, 0x1B: 80,
        ]
        #expect(counters.attPackets == counts)
        #expect(counters.notifications == [0x0010: 80])
    }

    /// `btsnoop_hci.log` of the public repository csacca/horizon-74-at-ble: a capture of real devices. The file is not part of
    /// this project. The test runs if `GAMED_CAPTURES` names a directory that contains the file as `horizon-74-at-ble.btsnoop`.
    @Test(.enabled(if: getenv("GAMED_CAPTURES") != nil, "GAMED_CAPTURES is not set"))
    func `a capture of real devices is read completely and has the counts of tshark`() throws {
        let folder = try #require(getenv("GAMED_CAPTURES").map { String(cString: $0) })
        let counters = try countPackets(inFile: "\(folder)/horizon-74-at-ble.btsnoop")
        #expect(counters.packets == 2572)
        #expect(counters.advertisements == 412)
        let counts: [UInt8: Int] = [
            0x1B: 1047, 0x12: 261, 0x13: 261, 0x08: 19, 0x09: 9, 0x04: 23, 0x05: 23,
        ]
        for (opcode, count) in counts { #expect(counters.attPackets[opcode] == count, "\(opcode)") }
        #expect(counters.notifications == [0x0014: 786, 0x0012: 261])
    }
}
