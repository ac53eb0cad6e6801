import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import GamedServer

/// From a press to an event of a session.
@Suite struct BluetoothSourceTests {
    private static let red = """
        map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        map device="Red *" service=FFF0 characteristic=FFF1 value=02/06 event=chooseEpisode args={"episode": 2}
        """

    @Test func `a press becomes the event of its line, with the device as its source`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try fixture.pass("1s")
        try fixture.act(.press, "Red buzzer")
        #expect(fixture.state == "choosingEpisode")
        #expect(fixture.main.last?.step.source.peer == .device("C0:00:00:00:00:01"))
        #expect(fixture.lastPress("Red buzzer", "outcome") == .string("enter"))
        #expect(fixture.lastPress("Red buzzer", "atMs") == .int(1000))
        try fixture.act(.press, "c0:00:00:00:00:01", button: 2)
        #expect(fixture.main.machine.place.data == [Member("episode", 2)])
        // No line matches the third button: its value 04, masked with 06, is not 02.
        try fixture.act(.press, "Red buzzer", button: 3)
        #expect(fixture.main.seq == 3)
        #expect(fixture.member("Red buzzer", "taken") == .int(2))
        guard case .object(let value)? = fixture.member("Red buzzer", "lastValue") else {
            Issue.record("the device has no last value")
            return
        }
        #expect(value["value"] == .string("04"))
    }

    @Test func `a device without a line is listed and not connected`() throws {
        let fixture = try BluetoothSourceFixture("device Stranger itag\n", Self.red)
        try fixture.pass("10s")
        #expect(fixture.member("Stranger", "state") == .string("seen"))
        #expect(fixture.member("Stranger", "mapped") == .bool(false))
        #expect(fixture.source?.simulator?.peripherals[0].isLinked == false)
    }

    @Test func `a press is delivered at the scenario's instant, and moves no timer`()
        throws
    {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 30s press \"Red buzzer\"\n", Self.red)
        try fixture.pass("1s")
        // The help times out at 31 s, one second after the press.
        try fixture.send("displayHelp")
        let fired = try fixture.pass("40s")
        #expect(fired.map(\.fires) == ["helpTimedOut"])
        // The press arrived in the state help, which refused it.
        #expect(fixture.lastPress("Red buzzer", "outcome") == .string("noTransition"))
        #expect(fixture.lastPress("Red buzzer", "atMs") == .int(30_000))
        #expect(fixture.sessions.now == Instant(nanoseconds: 41_000_000_000))
    }

    @Test func `at the same instant the timer fires before the press`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 31s press \"Red buzzer\"\n", Self.red)
        try fixture.pass("1s")
        try fixture.send("displayHelp")
        try fixture.pass("40s")
        #expect(fixture.lastPress("Red buzzer", "outcome") == .string("enter"))
        #expect(fixture.main.last?.at == Instant(nanoseconds: 31_000_000_000))
        #expect(fixture.state == "choosingEpisode")
    }

    @Test func `toNext stops at the next timer, and delivers the presses before it`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 5s press \"Red buzzer\"\n", Self.red)
        // No timer is set, so the time does not move, although the devices act.
        #expect(try fixture.sessions.advance(.toNext).fired.isEmpty)
        #expect(fixture.sessions.now == .zero)
        try fixture.pass("1s")
        try fixture.send("displayHelp")
        let (fired, more) = try fixture.sessions.advance(.toNext)
        #expect(fired.map(\.fires) == ["helpTimedOut"] && !more)
        #expect(fixture.sessions.now == Instant(nanoseconds: 31_000_000_000))
        #expect(fixture.lastPress("Red buzzer", "atMs") == .int(5000))
    }

    @Test func `a second press within the debounce is ignored`() throws {
        let fixture = try BluetoothSourceFixture(
            """
            device "Red buzzer" buzzer
            at 2000ms press "Red buzzer"
            at 2049ms press "Red buzzer"
            at 2050ms press "Red buzzer"
            """, Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=50ms"))
        try fixture.pass("3s")
        #expect(fixture.member("Red buzzer", "taken") == .int(1))
        #expect(fixture.member("Red buzzer", "refused") == .int(1))
        #expect(fixture.member("Red buzzer", "bounced") == .int(1))
    }

    @Test func `the number of presses per second is limited`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=3\n" + Self.red)
        try fixture.pass("1s")
        for _ in 0..<5 { try fixture.act(.press, "Red buzzer") }
        #expect(fixture.main.seq == 2)
        #expect(fixture.member("Red buzzer", "refused") == .int(2))
        #expect(fixture.member("Red buzzer", "limited") == .int(2))
        try fixture.pass("1s")
        try fixture.act(.press, "Red buzzer")
        #expect(fixture.member("Red buzzer", "refused") == .int(3))
    }

    @Test
    func `a press with an unknown session, an unknown event or an invalid argument is refused`()
        throws
    {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            """
            map device=* service=FFF0 characteristic=FFF1 value=01 event=startPlaying session=nowhere
            map device=* service=FFF0 characteristic=FFF1 value=02 event=buzz args={"player":"ann"}
            map device=* service=FFF0 characteristic=FFF1 value=04 event=chooseEpisode args={"episode":"x"}
            """)
        try fixture.pass("1s")
        for (button, outcome) in [(1, "unknownSession"), (2, "unknownEvent"), (3, "invalid")] {
            try fixture.act(.press, "Red buzzer", button: button)
            #expect(fixture.lastPress("Red buzzer", "outcome") == .string(outcome))
        }
        #expect(fixture.main.seq == 1)
    }

    @Test func `simulated actions on unknown devices or buttons are refused`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        for (deed, why) in [
            (
                SimulatedDeviceAction(.press, "Blue"),
                "device: no Blue; the devices are Red buzzer"
            ),
            (
                SimulatedDeviceAction(.press, "Red buzzer", button: 5),
                "button: expected 1 to 4 for Red buzzer"
            ),
            (
                SimulatedDeviceAction(.press, "Red buzzer", button: 0),
                "button: expected 1 to 4 for Red buzzer"
            ),
        ] {
            do throws(CallError) {
                try fixture.source?.simulate(deed)
                Issue.record("\(deed) was accepted")
            } catch { #expect(error.why == why) }
        }
    }

    @Test func `stored presses are not debounced, and a press beyond the limit starts no debounce`()
        throws
    {
        let kept = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer queue=8\n",
            Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=10s"))
        try kept.pass("1s")
        try kept.act(.drop, "Red buzzer")
        try kept.pass("2s")
        try kept.act(.press, "Red buzzer")
        try kept.act(.press, "Red buzzer")
        try kept.act(.return, "Red buzzer")
        try kept.pass("1s")
        #expect(kept.member("Red buzzer", "bounced") == .int(0))
        #expect(kept.main.seq == 2)
        let limited = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            "limit presses=1\n"
                + Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=50ms")
        )
        try limited.pass("1s")
        try limited.act(.press, "Red buzzer", button: 2)
        try limited.act(.press, "Red buzzer")
        try limited.pass("1s")
        // It was beyond the limit, so the next press is not debounced.
        try limited.act(.press, "Red buzzer")
        #expect(limited.member("Red buzzer", "limited") == .int(1))
        #expect(limited.member("Red buzzer", "bounced") == .int(0))
        #expect(limited.main.seq == 2)
    }

    @Test func `while too many changes wait for the disk, presses are dropped and counted`() throws
    {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=0\n" + Self.red)
        try fixture.pass("1s")
        let red = try #require(fixture.source?.simulator?.peripherals[0])
        fixture.isStorageFull = true
        red.press(button: 0)
        red.fallAsleep()
        fixture.source?.processSimulatedAction()
        #expect(fixture.source?.counts.overflowed == 1)
        // The loss of a link changes a session only once, and is sent.
        #expect(fixture.source?.counts.losses == 1)
    }

    @Test
    func `presses beyond the limit of a turn are dropped, but the loss of a link is reported`()
        throws
    {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=0\n" + Self.red)
        try fixture.pass("1s")
        let red = try #require(fixture.source?.simulator?.peripherals[0])
        for _ in 0..<BluetoothSource.inboxLimit + 10 { red.press(button: 0) }
        red.fallAsleep()
        fixture.source?.processSimulatedAction()
        #expect(fixture.source?.counts.overflowed == 10)
        guard case .object(let last)? = fixture.member("Red buzzer", "lastLink") else {
            Issue.record("the loss was also dropped")
            return
        }
        #expect(last["event"] == .string("controllerLost"))
        #expect(fixture.source?.counts.losses == 1)
    }

    @Test func `an advance that stops early delivers no press after its stop`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 20h press \"Red buzzer\"\n", Self.red)
        try fixture.pass("1s")
        // 20 hours of ticks exceed the limit of one request.
        _ = try fixture.sessions.open(
            SessionName("q")!, fixture.sessions.flow("onboarding"), state: "offline",
            data: [Member("resume", "welcome")], RequestContext(from: Source(.terminal)))
        let (_, more) = try fixture.sessions.advance(.by(.seconds(90_000)))
        #expect(more)
        let now = fixture.sessions.now
        #expect(now < .zero + .seconds(72_000))
        try fixture.act(.press, "Red buzzer", button: 3)
        #expect(fixture.member("Red buzzer", "taken") == .int(0))
        while fixture.sessions.now < now + .seconds(90_000) {
            _ = try fixture.sessions.advance(.by(now + .seconds(90_000) - fixture.sessions.now))
        }
        #expect(fixture.main.seq >= 2)
        let pressed = fixture.records.first { $0.contains("startPlaying") }
        #expect(pressed?.contains("\"atMs\":72000000") == true)
    }

    @Test func `a caller does not see presses of sessions that it may not observe`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try fixture.pass("1s")
        try fixture.act(.press, "Red buzzer")
        func seen(_ rights: Rights) -> [String] {
            guard case .array(let devices)? = fixture.source?.status(for: rights)["devices"],
                case .object(let members)? = devices.first
            else { return [] }
            return members.map(\.name).filter { ["lastPress", "taken", "lastValue"].contains($0) }
        }
        #expect(seen(.everything) == ["lastPress", "taken", "lastValue"])
        #expect(seen(Rights([Grant(.observe, session: Glob("main"))])) == ["lastPress"])
        #expect(seen(Rights([Grant(.observe, session: Glob("other"))])) == [])
    }

    @Test
    func `reading the lines again keeps the links that are still wanted, and reports no loss`()
        throws
    {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try fixture.pass("1s")
        let source = try #require(fixture.source)
        let press = try #require(source.maps.maps.first)
        source.take(DeviceMaps(maps: [press]), ServerLimits())
        try fixture.pass("1s")
        #expect(fixture.member("Red buzzer", "links") == .int(1))
        // Another characteristic needs another discovery.
        let battery = DeviceMap(
            device: Glob("Red *"),
            input: .press(
                Subscription(service: .batteryService, characteristic: .batteryLevel),
                try ValuePattern("00/00"), event: "returnHome"), session: .main, arguments: [],
            debounce: .zero)
        source.take(DeviceMaps(maps: [press, battery]), ServerLimits())
        try fixture.pass("2s")
        #expect(fixture.member("Red buzzer", "links") == .int(2))
        #expect(source.counts.losses == 0)
        #expect(fixture.records.count == 1)
    }
}
