import Bluetooth
import TestSupport
import Testing

@testable import gamed

/// What we capture, as tshark reads it: what it decodes and how often, for it does not complain of what it cannot.
@Suite struct TsharkTests {
    /// Four presses of one buzzer, its loss and its return, captured; the file's path.
    private static func capture(_ maker: Maker) throws -> BuzzersFixture {
        let hall = try BuzzersFixture(maker, BluetoothConformanceTests.game)
        hall.until("it is found and connected") { hall.isReady(1) }
        for value: UInt8 in [1, 2, 4, 8] { hall.buzzers.press(1, value, in: hall) }
        hall.until("four presses have come") { hall.state == "paused" }
        hall.buzzers.drop(1, in: hall)
        hall.until("it is lost") { hall.device(1)?.state == .away }
        hall.buzzers.comeBack(1, in: hall)
        hall.until("it is back") { hall.isReady(1) }
        hall.stop()
        return hall
    }

    /// A field of each packet that a filter takes, a line each.
    private func fields(_ hall: BuzzersFixture, _ filter: String, _ names: String...) -> [String] {
        let wanted = names.map { "-e \($0)" }.joined(separator: " ")
        let said = ShellCommand.run(
            "tshark -r '\(hall.capture)' -Y '\(filter)' -T fields \(wanted) 2>/dev/null")
        return said.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [Maker.simulated, .bumbleOverUNIX])
    func `it decodes each press, and all that came before it`(_ maker: Maker) throws {
        let hall = try Self.capture(maker)
        let presses = fields(hall, "btatt.opcode == 0x1b", "btatt.value")
        #expect(presses == ["01", "02", "04", "08"])
        // Twice discovered. Our own have a battery that notifies, too.
        for opcode in ["0x02", "0x03"] {
            let found = fields(hall, "btatt.opcode == \(opcode)", "btatt.opcode")
            #expect(found.count == 2, "\(opcode)")
        }
        let uuids = Set(
            fields(hall, "btatt.opcode == 0x05", "btatt.uuid16").flatMap {
                $0.split(separator: ",")
            }
        )
        #expect(uuids.isSuperset(of: ["0xfff1", "0x2902", "0x2a19", "0x2803", "0x2800"]))
        let subscriptions = fields(
            hall, "btatt.opcode == 0x12", "btatt.characteristic_configuration_client.notification")
        #expect(subscriptions == Array(repeating: "1", count: maker == .simulated ? 4 : 2))
        let names = Set(
            fields(hall, "btcommon.eir_ad.entry.device_name", "btcommon.eir_ad.entry.device_name"))
        #expect(names.contains("Buzzer 1"))
        // By type nothing is asked for: that would end Debian's btmon.
        #expect(fields(hall, "btatt.opcode == 0x08", "btatt.opcode") == [])
        let ends = fields(hall, "bthci_evt.code == 0x05", "bthci_evt.reason")
        #expect(ends == [maker == .simulated ? "0x08" : "0x13"])
        let malformed = fields(hall, "_ws.malformed", "frame.number")
        #expect(malformed == [])
    }

    /// Debian's btmon 5.66 dies of captures in which something was asked for by type.
    @Test func `btmon reads it to the end, each press in it`() throws {
        let hall = try Self.capture(.simulated)
        let said = ShellCommand.run("btmon -r '\(hall.capture)'; echo rc $?")
        #expect(said.hasSuffix("rc 0\n"))
        let lines = said.split(separator: "\n")
        let presses = lines.indices.filter {
            lines[$0].contains("ATT: Handle Value Notification (0x1b)")
        }
        let values = presses.map { lines[$0 + 2].filter { $0 != " " } }
        #expect(values == ["Data:01", "Data:02", "Data:04", "Data:08"])
    }

    @Test(arguments: [Maker.simulated, .bumbleOverTCP])
    func `it counts what our own reader counts`(_ maker: Maker) throws {
        let hall = try Self.capture(maker)
        let text = try #require(readFile(hall.capture))
        var reader = try BtsnoopReader(text)
        var counters = PacketCounters()
        while let record = reader.next() { counters.take(record.packet, record.direction) }
        #expect(reader.malformed == 0 && counters.malformed == 0)
        #expect(fields(hall, "frame", "frame.number").count == counters.packets)
        #expect(
            fields(
                hall, "bthci_evt.le_meta_subevent == 0x02 || bthci_evt.le_meta_subevent == 0x0d",
                "frame.number"
            ).count == counters.advertisements)
        for (opcode, count) in counters.attributes {
            let hexadecimal = String(opcode, radix: 16)
            let found = fields(hall, "btatt.opcode == 0x\(hexadecimal)", "frame.number").count
            #expect(found == count, "0x\(hexadecimal)")
        }
        #expect(counters.attributes[0x1B] == 4)
    }
}
