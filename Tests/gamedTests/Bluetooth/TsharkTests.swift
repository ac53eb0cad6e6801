import Bluetooth
import Glibc
import TestSupport
import Testing

@testable import GamedServer

/// tshark and btmon decode the captures of a Bluetooth source. The tests compare counts of packets, because tshark does not
/// report all packets that it cannot decode.
@Suite struct TsharkTests {
    /// Captures four presses of one buzzer, its loss and its return. Returns the fixture after the source has stopped.
    private static func makeCapture(_ kind: BuzzerKind) throws -> BuzzersFixture {
        let fixture = try BuzzersFixture(kind, BluetoothConformanceTests.gameMapLines)
        fixture.waitUntil("the buzzer is found and connected") { fixture.isReady(1) }
        for value: UInt8 in [1, 2, 4, 8] { fixture.buzzers.press(1, value: value, in: fixture) }
        fixture.waitUntil("four presses are delivered") { fixture.state == "paused" }
        fixture.buzzers.leaveRange(1, in: fixture)
        fixture.waitUntil("the buzzer is lost") { fixture.device(1)?.state == .away }
        fixture.buzzers.returnToRange(1, in: fixture)
        fixture.waitUntil("the buzzer is connected again") { fixture.isReady(1) }
        fixture.stop()
        return fixture
    }

    /// The fields of a packet that tshark has decoded, by name. A field can occur several times in a packet.
    private typealias Packet = [String: [String]]

    /// Decodes a capture, and returns the named fields of each packet. A field that a packet lacks has an empty list.
    private func packets(_ fixture: BuzzersFixture, _ names: String...) -> [Packet] {
        let options = names.map { "-e \($0)" }.joined(separator: " ")
        let output = ShellCommand.run(
            "tshark -r '\(fixture.capturePath)' -T fields \(options) 2>/dev/null")
        return output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            let values = $0.split(separator: "\t", omittingEmptySubsequences: false)
            return Dictionary(
                uniqueKeysWithValues: zip(names, values).map { name, values in
                    (name, values.split(separator: ",").map(String.init))
                })
        }
    }

    @Test(arguments: [BuzzerKind.simulated, .bumbleOverUNIX])
    func `tshark decodes each press and the discovery before it`(_ kind: BuzzerKind) throws {
        let fixture = try Self.makeCapture(kind)
        let subscription = "btatt.characteristic_configuration_client.notification"
        let deviceName = "btcommon.eir_ad.entry.device_name"
        let packets = packets(
            fixture, "btatt.opcode", "btatt.value", "btatt.uuid16", subscription, deviceName,
            "bthci_evt.code", "bthci_evt.reason", "_ws.malformed")
        /// The values of a field in the packets with an opcode of the attribute protocol.
        func values(_ field: String, opcode: String) -> [String] {
            packets.filter { $0["btatt.opcode"]?.contains(opcode) == true }
                .flatMap { $0[field] ?? [] }
        }
        #expect(values("btatt.value", opcode: "0x1b") == ["01", "02", "04", "08"])
        // The source connected twice, before and after the loss. Each time it sent an MTU request and got the response.
        for opcode in ["0x02", "0x03"] {
            #expect(values("btatt.opcode", opcode: opcode).count == 2, "\(opcode)")
        }
        // 0x05 is a response with the UUIDs of attributes, and 0x12 a write request, such as a subscription. In simulated
        // buzzers the source subscribes to the battery, too.
        let uuids = Set(values("btatt.uuid16", opcode: "0x05"))
        #expect(uuids.isSuperset(of: ["0xfff1", "0x2902", "0x2a19", "0x2803", "0x2800"]))
        let subscriptions = values(subscription, opcode: "0x12")
        #expect(subscriptions == Array(repeating: "1", count: kind == .simulated ? 4 : 2))
        #expect(packets.contains { $0[deviceName]?.contains("Buzzer 1") == true })
        // The ATT request Read By Type is never used, because Debian's btmon crashes on it.
        #expect(values("btatt.opcode", opcode: "0x08") == [])
        // Event 0x05 reports the end of a connection and the reason: 0x08, a time-out, if a simulated buzzer leaves the range,
        // and 0x13 because Bumble's buzzer disconnects.
        let disconnections = packets.filter { $0["bthci_evt.code"]?.contains("0x05") == true }
        #expect(
            disconnections.flatMap { $0["bthci_evt.reason"] ?? [] }
                == [kind == .simulated ? "0x08" : "0x13"])
        #expect(packets.allSatisfy { $0["_ws.malformed"] == [] })
    }

    /// Debian's btmon 5.66 crashes on captures that contain the ATT request Read By Type.
    @Test func `btmon decodes each press of the capture and does not crash`() throws {
        let fixture = try Self.makeCapture(.simulated)
        let output = ShellCommand.run("btmon -r '\(fixture.capturePath)'; echo rc $?")
        #expect(output.hasSuffix("rc 0\n"))
        let lines = output.split(separator: "\n")
        let pressIndices = lines.indices.filter {
            lines[$0].contains("ATT: Handle Value Notification (0x1b)")
        }
        // The value of a notification is two lines below its opcode.
        let values = pressIndices.map { lines[$0 + 2].filter { $0 != " " } }
        #expect(values == ["Data:01", "Data:02", "Data:04", "Data:08"])
    }

    @Test(arguments: [BuzzerKind.simulated, .bumbleOverTCP])
    func `tshark counts the same packets as the capture reader`(_ kind: BuzzerKind) throws {
        let fixture = try Self.makeCapture(kind)
        let capture = try #require(readFile(fixture.capturePath))
        var reader = try BtsnoopReader(capture)
        var counters = PacketCounters()
        while let record = reader.next() { counters.count(record.packet, record.direction) }
        #expect(reader.malformedCount == 0 && counters.malformedCount == 0)
        let packets = packets(fixture, "frame.number", "btatt.opcode", "bthci_evt.le_meta_subevent")
        #expect(packets.count == counters.packets)
        // The events LE Advertising Report and LE Extended Advertising Report.
        let advertisements = packets.filter { packet in
            ["0x02", "0x0d"].contains { packet["bthci_evt.le_meta_subevent"]?.contains($0) == true }
        }
        #expect(advertisements.count == counters.advertisements)
        for (opcode, count) in counters.attPackets {
            let digits = String(opcode, radix: 16)
            let name = "0x" + (digits.count == 1 ? "0" : "") + digits
            let decoded = packets.filter { $0["btatt.opcode"]?.contains(name) == true }
            #expect(decoded.count == count, "\(name)")
        }
        // The notifications of the four presses.
        #expect(counters.attPackets[0x1B] == 4)
    }
}

/// The bytes of a file; nil if it cannot be read.
func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
    }
    return bytes
}
