import Access
import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import gamed

/// From a press to an event.
@Suite struct BluetoothSourceTests {
    private static let red = """
        map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        map device="Red *" service=FFF0 characteristic=FFF1 value=02/06 event=chooseEpisode args={"episode": 2}
        """

    @Test func `a press becomes the event that its line says, and names its device`() throws {
        let stage = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try stage.pass("1s")
        try stage.by(.press, "Red buzzer")
        #expect(stage.state == "choosingEpisode")
        #expect(stage.main.last?.step.source.peer == .device("C0:00:00:00:00:01"))
        #expect(stage.lastPress("Red buzzer", "outcome") == .string("enter"))
        #expect(stage.lastPress("Red buzzer", "atMs") == .int(1000))
        try stage.by(.press, "c0:00:00:00:00:01", button: 2)
        #expect(stage.main.machine.place.data == [Member("episode", 2)])
        // The third button is hidden by no mask, and is no line's.
        try stage.by(.press, "Red buzzer", button: 3)
        #expect(stage.main.seq == 3)
        #expect(stage.fact("Red buzzer", "taken") == .int(2))
        guard case .object(let value)? = stage.fact("Red buzzer", "lastValue") else {
            Issue.record("no last value")
            return
        }
        #expect(value["value"] == .string("04"))
    }

    @Test func `what no line means is seen and left alone`() throws {
        let stage = try BluetoothSourceFixture("device Stranger itag\n", Self.red)
        try stage.pass("10s")
        #expect(stage.fact("Stranger", "state") == .string("seen"))
        #expect(stage.fact("Stranger", "mapped") == .bool(false))
        #expect(stage.source?.simulator?.peripherals[0].isLinked == false)
    }

    @Test func `a press of the scenario comes at its own instant, behind the timers that are due`()
        throws
    {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 30s press \"Red buzzer\"\n", Self.red)
        try stage.pass("1s")
        // Its time is up at 31 s, one second behind the press.
        try stage.send("displayHelp")
        let fired = try stage.pass("40s")
        #expect(fired.map(\.fires) == ["helpTimedOut"])
        // The press found help, and was refused there.
        #expect(stage.lastPress("Red buzzer", "outcome") == .string("noTransition"))
        #expect(stage.lastPress("Red buzzer", "atMs") == .int(30_000))
        #expect(stage.sessions.now == Instant(nanoseconds: 41_000_000_000))
    }

    @Test func `at one instant the timer is first, and then the press`() throws {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 31s press \"Red buzzer\"\n", Self.red)
        try stage.pass("1s")
        try stage.send("displayHelp")
        try stage.pass("40s")
        #expect(stage.lastPress("Red buzzer", "outcome") == .string("enter"))
        #expect(stage.main.last?.at == Instant(nanoseconds: 31_000_000_000))
        #expect(stage.state == "choosingEpisode")
    }

    @Test func `toNext goes to the next timer, and what is pressed on the way is heard`() throws {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 5s press \"Red buzzer\"\n", Self.red)
        // Nothing is to fire: nothing moves, whatever devices do.
        #expect(try stage.sessions.advance(.toNext).fired.isEmpty)
        #expect(stage.sessions.now == .zero)
        try stage.pass("1s")
        try stage.send("displayHelp")
        let (fired, more) = try stage.sessions.advance(.toNext)
        #expect(fired.map(\.fires) == ["helpTimedOut"] && !more)
        #expect(stage.sessions.now == Instant(nanoseconds: 31_000_000_000))
        #expect(stage.lastPress("Red buzzer", "atMs") == .int(5000))
    }

    @Test func `a second press within the debounce is none`() throws {
        let stage = try BluetoothSourceFixture(
            """
            device "Red buzzer" buzzer
            at 2000ms press "Red buzzer"
            at 2049ms press "Red buzzer"
            at 2050ms press "Red buzzer"
            """, Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=50ms"))
        try stage.pass("3s")
        #expect(stage.fact("Red buzzer", "taken") == .int(1))
        #expect(stage.fact("Red buzzer", "refused") == .int(1))
        #expect(stage.fact("Red buzzer", "bounced") == .int(1))
    }

    @Test func `a device may tell so much a second, and no more`() throws {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=3\n" + Self.red)
        try stage.pass("1s")
        for _ in 0..<5 { try stage.by(.press, "Red buzzer") }
        #expect(stage.main.seq == 2)
        #expect(stage.fact("Red buzzer", "refused") == .int(2))
        #expect(stage.fact("Red buzzer", "limited") == .int(2))
        try stage.pass("1s")
        try stage.by(.press, "Red buzzer")
        #expect(stage.fact("Red buzzer", "refused") == .int(3))
    }

    @Test
    func `a line for a session that is not there, or a flow that does not know it, harms nobody`()
        throws
    {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            """
            map device=* service=FFF0 characteristic=FFF1 value=01 event=startPlaying session=nowhere
            map device=* service=FFF0 characteristic=FFF1 value=02 event=buzz args={"player":"ann"}
            map device=* service=FFF0 characteristic=FFF1 value=04 event=chooseEpisode args={"episode":"x"}
            """)
        try stage.pass("1s")
        for (button, outcome) in [(1, "unknownSession"), (2, "unknownEvent"), (3, "invalid")] {
            try stage.by(.press, "Red buzzer", button: button)
            #expect(stage.lastPress("Red buzzer", "outcome") == .string(outcome))
        }
        #expect(stage.main.seq == 1)
    }

    @Test func `by hand only what is there is moved`() throws {
        let stage = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        for (deed, why) in [
            (
                SimulatedDeviceAction(.press, "Blue"),
                "device: no Blue; the devices are Red buzzer"
            ),
            (SimulatedDeviceAction(.press, "Red buzzer", button: 5), "button: Red buzzer has 4 buttons"),
            (SimulatedDeviceAction(.press, "Red buzzer", button: 0), "button: Red buzzer has 4 buttons"),
        ] {
            do throws(CallError) {
                try stage.source?.simulate(deed)
                Issue.record("\(deed) was done")
            } catch { #expect(error.why == why) }
        }
    }

    @Test func `what was kept is not debounced, and a press too many starts no debounce`() throws {
        let kept = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer queue=8\n",
            Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=10s"))
        try kept.pass("1s")
        try kept.by(.drop, "Red buzzer")
        try kept.pass("2s")
        try kept.by(.press, "Red buzzer")
        try kept.by(.press, "Red buzzer")
        try kept.by(.return, "Red buzzer")
        try kept.pass("1s")
        #expect(kept.fact("Red buzzer", "bounced") == .int(0))
        #expect(kept.main.seq == 2)
        let limited = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n",
            "limit presses=1\n"
                + Self.red.replacing("event=startPlaying", with: "event=startPlaying debounce=50ms")
        )
        try limited.pass("1s")
        try limited.by(.press, "Red buzzer", button: 2)
        try limited.by(.press, "Red buzzer")
        try limited.pass("1s")
        // It was too many, and so it was no press that counted.
        try limited.by(.press, "Red buzzer")
        #expect(limited.fact("Red buzzer", "limited") == .int(1))
        #expect(limited.fact("Red buzzer", "bounced") == .int(0))
        #expect(limited.main.seq == 2)
    }

    @Test func `past so many presses in a turn they are dropped, and losses are not`() throws {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\n", "limit presses=0\n" + Self.red)
        try stage.pass("1s")
        let red = try #require(stage.source?.simulator?.peripherals[0])
        for _ in 0..<BluetoothSource.inboxLimit + 10 { red.press(button: 0) }
        red.fallAsleep()
        stage.source?.processSimulatedAction()
        #expect(stage.source?.counts.overflowed == 10)
        guard case .object(let last)? = stage.fact("Red buzzer", "lastLink") else {
            Issue.record("the loss was dropped, too")
            return
        }
        #expect(last["event"] == .string("controllerLost"))
        #expect(stage.source?.counts.losses == 1)
    }

    @Test func `after an advance that was cut short nothing of the future is handed over`() throws {
        let stage = try BluetoothSourceFixture(
            "device \"Red buzzer\" buzzer\nat 20h press \"Red buzzer\"\n", Self.red)
        try stage.pass("1s")
        // 20 hours of ticks are more than one request fires.
        _ = try stage.sessions.open(
            SessionName("q")!, stage.sessions.flow("onboarding"), state: "offline",
            data: [Member("resume", "welcome")], RequestContext(from: Source(.terminal)))
        let (_, more) = try stage.sessions.advance(.by(.seconds(90_000)))
        #expect(more)
        let now = stage.sessions.now
        #expect(now < .zero + .seconds(72_000))
        try stage.by(.press, "Red buzzer", button: 3)
        #expect(stage.fact("Red buzzer", "taken") == .int(0))
        while stage.sessions.now < now + .seconds(90_000) {
            _ = try stage.sessions.advance(.by(now + .seconds(90_000) - stage.sessions.now))
        }
        #expect(stage.main.seq >= 2)
        let pressed = stage.records.first { $0.contains("startPlaying") }
        #expect(pressed?.contains("\"atMs\":72000000") == true)
    }

    @Test func `who may not see a session is not told what was pressed in it`() throws {
        let stage = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try stage.pass("1s")
        try stage.by(.press, "Red buzzer")
        func seen(_ rights: Rights) -> [String] {
            guard case .array(let devices)? = stage.source?.status(for: rights)["devices"],
                case .object(let members)? = devices.first
            else { return [] }
            return members.map(\.name).filter { ["lastPress", "taken", "lastValue"].contains($0) }
        }
        #expect(seen(.everything) == ["lastPress", "taken", "lastValue"])
        #expect(seen(Rights([Grant(.observe, session: Glob("main"))])) == ["lastPress"])
        #expect(seen(Rights([Grant(.observe, session: Glob("other"))])) == [])
    }

    @Test func `lines that are read again end no link that they still want, and none as a loss`()
        throws
    {
        let stage = try BluetoothSourceFixture("device \"Red buzzer\" buzzer\n", Self.red)
        try stage.pass("1s")
        let source = try #require(stage.source)
        let press = try #require(source.maps.maps.first)
        source.take(DeviceMaps(maps: [press]), ServerLimits())
        try stage.pass("1s")
        #expect(stage.fact("Red buzzer", "links") == .int(1))
        // Another characteristic has to be asked for anew.
        let battery = DeviceMap(
            device: Glob("Red *"),
            input: .press(
                Subscription(service: .batteryService, characteristic: .batteryLevel),
                try ValuePattern("00/00"), event: "returnHome"), session: .main, arguments: [],
            debounce: .zero)
        source.take(DeviceMaps(maps: [press, battery]), ServerLimits())
        try stage.pass("2s")
        #expect(stage.fact("Red buzzer", "links") == .int(2))
        #expect(source.counts.losses == 0)
        #expect(stage.records.count == 1)
    }
}
