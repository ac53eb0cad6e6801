import Bluetooth
import Testing
import Timers

@Suite struct CentralTests {
    @Test func `a buzzer is found, connected, and its four buttons come once each in order`() {
        let room = Room("device Red buzzer")
        room.pass("1s")
        #expect(room.takeHeard() == ["up", "found Red", "ready Red"])
        for button in 0..<4 { room.peripheral("Red").press(button: button) }
        room.settle()
        #expect(room.takeHeard() == ["Red 01", "Red 02", "Red 04", "Red 08"])
        #expect(room.device("Red").battery == 90)
        #expect(room.device("Red").rssi == -60)
        #expect(room.central.malformed == 0)
    }

    @Test func `a device that goes is lost after a second and found again when it is back`() {
        let room = Room("device Key itag")
        room.pass("1s")
        _ = room.takeHeard()
        room.peripheral("Key").drop()
        room.pass("999ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["lost Key: out of reach"])
        room.pass("10s")
        #expect(room.takeHeard() == [])
        room.peripheral("Key").comeBack()
        room.pass("1s")
        #expect(room.takeHeard() == ["returned Key"])
        room.peripheral("Key").press(button: 0)
        room.settle()
        #expect(room.takeHeard() == ["Key 01"])
    }
}
