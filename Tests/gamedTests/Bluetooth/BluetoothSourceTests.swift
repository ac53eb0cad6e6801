import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import BluetoothPart
@testable import GamedServer
@testable import Parts

/// `BluetoothSource` turns presses of devices into events of sessions.
@Suite struct BluetoothSourceTests {
    private static let mapLines = """
        map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        map device="Red *" service=FFF0 characteristic=FFF1 value=02/06 event=chooseEpisode args={"episode": 2}
        """

    @Test func `a press becomes the event of its map line, with the device as its source`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.mapLines)
        try fixture.advance(by: "1s")
        try fixture.simulate(.press, "Red buzzer")
        #expect(fixture.state == "choosingEpisode")
        #expect(fixture.mainSession.last?.step.source.peer == .device("C0:00:00:00:00:01"))
        #expect(fixture.lastPressMember("outcome", of: "Red buzzer") == .string("enter"))
        #expect(fixture.lastPressMember("atMs", of: "Red buzzer") == .int(1000))
        try fixture.simulate(.press, "c0:00:00:00:00:01", button: 2)
        #expect(fixture.mainSession.machine.place.data == [Member("episode", 2)])
        // No line matches the third button: its value 04, masked with 06, is not 02.
        try fixture.simulate(.press, "Red buzzer", button: 3)
        #expect(fixture.mainSession.seq == 3)
        #expect(fixture.member("taken", of: "Red buzzer") == .int(2))
        guard case .object(let value)? = fixture.member("lastValue", of: "Red buzzer") else {
            Issue.record("the device has no last value")
            return
        }
        #expect(value["value"] == .string("04"))
        #expect(fixture.source?.counts.unmatched == 1)
    }

    @Test func `a device without a map line is listed and not connected`() throws {
        let fixture = try BluetoothSourceFixture("device Stranger itag\n", Self.mapLines)
        try fixture.advance(by: "10s")
        #expect(fixture.member("state", of: "Stranger") == .string("seen"))
        #expect(fixture.member("mapped", of: "Stranger") == .bool(false))
        #expect(fixture.source?.simulator?.peripherals[0].isLinked == false)
    }

    @Test func `a press is delivered at the instant that the scenario states, and moves no timer`()
        throws
    {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 30s press \"Red buzzer\"\n", Self.mapLines)
        try fixture.advance(by: "1s")
        // The help times out at 31 s, one second after the press.
        try fixture.send("displayHelp")
        let fired = try fixture.advance(by: "40s")
        #expect(fired.map(\.fires) == ["helpTimedOut"])
        // The press arrived in the state help, which refused it.
        #expect(fixture.lastPressMember("outcome", of: "Red buzzer") == .string("noTransition"))
        #expect(fixture.lastPressMember("atMs", of: "Red buzzer") == .int(30_000))
        #expect(fixture.sessions.now == Instant(nanoseconds: 41_000_000_000))
    }

    @Test func `at the same instant the timer fires before the press`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 31s press \"Red buzzer\"\n", Self.mapLines)
        try fixture.advance(by: "1s")
        try fixture.send("displayHelp")
        try fixture.advance(by: "40s")
        #expect(fixture.lastPressMember("outcome", of: "Red buzzer") == .string("enter"))
        #expect(fixture.mainSession.last?.at == Instant(nanoseconds: 31_000_000_000))
        #expect(fixture.state == "choosingEpisode")
    }

    @Test func `toNext stops at the next timer, and delivers the presses before it`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 5s press \"Red buzzer\"\n", Self.mapLines)
        // No timer is set, so the time does not move, although the devices act.
        #expect(try fixture.sessions.advance(.toNext).fired.isEmpty)
        #expect(fixture.sessions.now == .zero)
        try fixture.advance(by: "1s")
        try fixture.send("displayHelp")
        let (fired, hasMore) = try fixture.sessions.advance(.toNext)
        #expect(fired.map(\.fires) == ["helpTimedOut"] && !hasMore)
        #expect(fixture.sessions.now == Instant(nanoseconds: 31_000_000_000))
        #expect(fixture.lastPressMember("atMs", of: "Red buzzer") == .int(5000))
    }

    @Test func `a second press within the debounce time is ignored`() throws {
        let fixture = try BluetoothSourceFixture(
            """
            device "Red buzzer" buzzer
            at 2000ms press "Red buzzer"
            at 2049ms press "Red buzzer"
            at 2050ms press "Red buzzer"
            """,
            Self.mapLines.replacing("event=startPlaying", with: "event=startPlaying debounce=50ms"))
        try fixture.advance(by: "3s")
        #expect(fixture.member("taken", of: "Red buzzer") == .int(1))
        #expect(fixture.member("refused", of: "Red buzzer") == .int(1))
        #expect(fixture.member("bounced", of: "Red buzzer") == .int(1))
    }

    @Test func `the number of presses per second is limited`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=3\n" + Self.mapLines)
        try fixture.advance(by: "1s")
        for _ in 0..<5 { try fixture.simulate(.press, "Red buzzer") }
        #expect(fixture.mainSession.seq == 2)
        #expect(fixture.member("refused", of: "Red buzzer") == .int(2))
        #expect(fixture.member("limited", of: "Red buzzer") == .int(2))
        try fixture.advance(by: "1s")
        try fixture.simulate(.press, "Red buzzer")
        #expect(fixture.member("refused", of: "Red buzzer") == .int(3))
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
        try fixture.advance(by: "1s")
        for (button, outcome) in [(1, "unknownSession"), (2, "unknownEvent"), (3, "invalid")] {
            try fixture.simulate(.press, "Red buzzer", button: button)
            #expect(fixture.lastPressMember("outcome", of: "Red buzzer") == .string(outcome))
        }
        #expect(fixture.mainSession.seq == 1)
    }

    @Test func `simulated actions on unknown devices or buttons are refused`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.mapLines)
        for (action, why) in [
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
                try fixture.source?.simulate(action)
                Issue.record("\(action) was accepted")
            } catch { #expect(error.why == why) }
        }
    }

    @Test
    func `stored presses are not debounced, and a press beyond the limit starts no debounce time`()
        throws
    {
        // With `queue=8` the device stores up to 8 presses while it has no link, and sends them when it returns.
        let queueing = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer queue=8\n",
            Self.mapLines.replacing("event=startPlaying", with: "event=startPlaying debounce=10s"))
        try queueing.advance(by: "1s")
        try queueing.simulate(.drop, "Red buzzer")
        try queueing.advance(by: "2s")
        try queueing.simulate(.press, "Red buzzer")
        try queueing.simulate(.press, "Red buzzer")
        try queueing.simulate(.return, "Red buzzer")
        try queueing.advance(by: "1s")
        #expect(queueing.member("bounced", of: "Red buzzer") == .int(0))
        #expect(queueing.mainSession.seq == 2)
        let limiting = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            "limit presses=1\n"
                + Self.mapLines.replacing(
                    "event=startPlaying", with: "event=startPlaying debounce=50ms")
        )
        try limiting.advance(by: "1s")
        try limiting.simulate(.press, "Red buzzer", button: 2)
        try limiting.simulate(.press, "Red buzzer")
        try limiting.advance(by: "1s")
        // The first press used up the limit, so the second press was dropped and started no debounce time. The third press is
        // delivered.
        try limiting.simulate(.press, "Red buzzer")
        #expect(limiting.member("limited", of: "Red buzzer") == .int(1))
        #expect(limiting.member("bounced", of: "Red buzzer") == .int(0))
        #expect(limiting.mainSession.seq == 2)
    }

    @Test func `while too many changes wait for the disk, presses are dropped and counted`() throws
    {
        // `presses=0` means that presses have no limit.
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=0\n" + Self.mapLines)
        try fixture.advance(by: "1s")
        let redBuzzer = try #require(fixture.source?.simulator?.peripherals[0])
        fixture.isStorageFull = true
        redBuzzer.press(button: 0)
        redBuzzer.fallAsleep()
        fixture.source?.processSimulatedAction()
        #expect(fixture.source?.counts.overflowed == 1)
        // The loss of the link is sent nevertheless: a device loses its link once, but can send any number of presses.
        #expect(fixture.source?.counts.losses == 1)
    }

    @Test
    func `a press that is dropped because too many changes wait starts no debounce time`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            Self.mapLines.replacing("event=startPlaying", with: "event=startPlaying debounce=10s"))
        try fixture.advance(by: "1s")
        try fixture.simulate(.press, "Red buzzer", button: 2)
        fixture.isStorageFull = true
        try fixture.simulate(.press, "Red buzzer")
        fixture.isStorageFull = false
        try fixture.simulate(.press, "Red buzzer")
        #expect(fixture.source?.counts.overflowed == 1)
        #expect(fixture.member("bounced", of: "Red buzzer") == .int(0))
        #expect(fixture.mainSession.seq == 2)
    }

    @Test
    func `presses beyond the limit of one turn of the loop are dropped, but a loss is reported`()
        throws
    {
        // `presses=0` means that presses have no limit.
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=0\n" + Self.mapLines)
        try fixture.advance(by: "1s")
        let redBuzzer = try #require(fixture.source?.simulator?.peripherals[0])
        for _ in 0..<BluetoothSource.inboxLimit + 10 { redBuzzer.press(button: 0) }
        redBuzzer.fallAsleep()
        fixture.source?.processSimulatedAction()
        #expect(fixture.source?.counts.overflowed == 10)
        guard case .object(let lastLink)? = fixture.member("lastLink", of: "Red buzzer") else {
            Issue.record("the loss was also dropped")
            return
        }
        #expect(lastLink["event"] == .string("controllerLost"))
        #expect(fixture.source?.counts.losses == 1)
    }

    @Test func `an advance that stops early delivers no press after its stop`() throws {
        let fixture = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 20h press \"Red buzzer\"\n", Self.mapLines)
        try fixture.advance(by: "1s")
        // This state ticks periodically, and the ticks of 20 hours exceed the limit of one request.
        _ = try fixture.sessions.open(
            SessionName("q")!, fixture.sessions.flow("onboarding"), state: "offline",
            data: [Member("resume", "welcome")], RequestContext(from: Source(.terminal)))
        let (_, hasMore) = try fixture.sessions.advance(.by(.seconds(90_000)))
        #expect(hasMore)
        let now = fixture.sessions.now
        #expect(now < .zero + .seconds(72_000))
        // `simulate` delivers all presses that are due. No line maps button 3, and the press at 20 h is not due yet.
        try fixture.simulate(.press, "Red buzzer", button: 3)
        #expect(fixture.member("taken", of: "Red buzzer") == .int(0))
        while fixture.sessions.now < now + .seconds(90_000) {
            _ = try fixture.sessions.advance(.by(now + .seconds(90_000) - fixture.sessions.now))
        }
        #expect(fixture.mainSession.seq >= 2)
        let pressRecord = fixture.recordTexts.first { $0.contains("startPlaying") }
        #expect(pressRecord?.contains("\"atMs\":72000000") == true)
    }

    @Test func `a caller does not see presses of sessions that it may not observe`() throws {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.mapLines)
        try fixture.advance(by: "1s")
        try fixture.simulate(.press, "Red buzzer")
        func visiblePressMembers(for rights: Rights) -> [String] {
            guard case .array(let devices)? = fixture.source?.status(for: rights)["devices"],
                case .object(let members)? = devices.first
            else { return [] }
            return members.map(\.name).filter { ["lastPress", "taken", "lastValue"].contains($0) }
        }
        #expect(visiblePressMembers(for: .everything) == ["lastPress", "taken", "lastValue"])
        #expect(
            visiblePressMembers(for: Rights([Grant(.observe, session: Glob("main"))]))
                == ["lastPress"])
        #expect(visiblePressMembers(for: Rights([Grant(.observe, session: Glob("other"))])) == [])
    }

    @Test
    func `a reload of the map lines keeps the links that they need, and reports no loss`()
        throws
    {
        let fixture = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.mapLines)
        try fixture.advance(by: "1s")
        let source = try #require(fixture.source)
        let pressMap = try #require(source.maps.maps.first)
        source.replace(DeviceMaps(maps: [pressMap]), ServerLimits())
        try fixture.advance(by: "1s")
        // `links` counts the connections to the device.
        #expect(fixture.member("links", of: "Red buzzer") == .int(1))
        // A line with another characteristic needs another discovery, so the source connects again.
        let batteryMap = DeviceMap(
            device: Glob("Red *"),
            trigger: .press(
                Subscription(service: .batteryService, characteristic: .batteryLevel),
                try ValuePattern("00/00"), event: "returnHome"), session: .main, arguments: [],
            debounce: .zero)
        source.replace(DeviceMaps(maps: [pressMap, batteryMap]), ServerLimits())
        try fixture.advance(by: "2s")
        #expect(fixture.member("links", of: "Red buzzer") == .int(2))
        #expect(source.counts.losses == 0)
        #expect(fixture.recordTexts.count == 1)
    }
}
