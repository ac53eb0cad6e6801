import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import GamedServer

/// Events for the loss and the return of a link, and the age of presses.
@Suite struct LinkEventTests {
    private static let scenario = "device Red buzzer queue=8\n"
    private static let press =
        "map device=Red service=FFF0 characteristic=FFF1 value=01 event=resume\n"

    /// A game in progress, with its controller connected.
    private func playing(_ scenario: String = scenario, _ map: String = press) throws
        -> BluetoothSourceFixture
    {
        let fixture = try BluetoothSourceFixture(scenario, map)
        try fixture.pass("1s")
        try fixture.send("startPlaying")
        try fixture.send("chooseEpisode", [Member("episode", 1)])
        try fixture.send("chooseLevel", [Member("level", 1)])
        return fixture
    }

    @Test func `the default events pause and resume a game with the exact time left`() throws {
        let fixture = try playing()
        try fixture.pass("10s")
        try fixture.act(.drop, "Red")
        try fixture.pass("5s")
        #expect(fixture.state == "paused")
        // The loss is noticed after one second of silence.
        #expect(fixture.main.machine.place.data["remainingMs"] == .int(79_000))
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        #expect(fixture.state == "playingLevel")
        let resumed = try #require(fixture.main.last).at
        #expect(
            fixture.main.machine.timer("timeUp")?.info.deadline == resumed + .seconds(79))
    }

    @Test func `the first link is not a return`() throws {
        let fixture = try playing("device Red buzzer away\n")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        #expect(fixture.member("Red", "state") == .string("ready"))
        #expect(fixture.main.seq == 4)
        #expect(fixture.records.count == 4)
    }

    @Test func `the first link after a restart ends a pause of a loss before it`() throws {
        let fixture = try playing()
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "paused")
        // The daemon restarts; the device is within reach.
        try fixture.restart()
        try fixture.pass("1s")
        #expect(fixture.state == "playingLevel")
        #expect(fixture.main.last?.step.event?.name == "controllerFound")
        // The first link does not end a pause with another cause.
        try fixture.send("pause")
        try fixture.restart()
        try fixture.pass("1s")
        #expect(fixture.state == "paused")
    }

    @Test func `a flow without the default events gets no event`() throws {
        let fixture = try BluetoothSourceFixture(
            Self.scenario,
            "map device=Red service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"r\"}",
            flow: "quiz")
        try fixture.pass("1s")
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        #expect(fixture.records.count == 1)
    }

    @Test func `a flow declares the names of its own events`() throws {
        let fixture = try BluetoothSourceFixture(
            Self.scenario, Self.press, flow: "lamp", flows: [AnyFlow(Lamp())])
        try fixture.pass("1s")
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "dark")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        #expect(fixture.state == "lit")
    }

    @Test func `a line replaces the default events and their sessions`() throws {
        let fixture = try playing(
            Self.scenario,
            Self.press + "map device=C0:* lost=returnHome\nmap device=Red found=displayHelp\n")
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "introduction")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        #expect(fixture.state == "help")
    }

    @Test func `a stored press is as old as the loss of its link`() throws {
        let fixture = try playing()
        try fixture.act(.drop, "Red")
        // The loss is noticed at 2 s; pressed at 3 s, back at 4 s.
        try fixture.pass("2s")
        try fixture.act(.press, "Red")
        try fixture.pass("1s")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        // The press resumes the game, so the return is not delivered.
        let resumed = try #require(fixture.main.last)
        #expect(resumed.step.event?.name == "resume")
        #expect(fixture.state == "playingLevel")
        #expect(fixture.records.allSatisfy { !$0.contains("controllerFound") })
        #expect(
            fixture.pressAges == [
                Int((resumed.at - Instant(nanoseconds: 2_000_000_000)).milliseconds)
            ])
    }

    @Test func `a press older than three seconds is refused as stale`() throws {
        let fixture = try playing()
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        try fixture.act(.press, "Red")
        try fixture.pass("8s")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        // The press arrived before the link was ready; then the return resumed the game.
        #expect(fixture.main.last?.step.event?.name == "controllerFound")
        #expect(fixture.state == "playingLevel")
        let stale = try #require(fixture.records.first { $0.contains("stale") })
        #expect(stale.contains(#""name":"resume""#) && stale.contains(#""limitMs":3000"#))
        #expect((fixture.pressAges.first ?? 0) > 8000)
        // Presses count as new 200 ms after the subscription.
        try fixture.act(.press, "Red")
        #expect(fixture.lastPress("Red", "ageMs") == .int(0))
        #expect(fixture.lastPress("Red", "outcome") == .string("noTransition"))
    }

    @Test func `the operator can set the age limit`() throws {
        let fixture = try playing(Self.scenario, "limit bluetoothAge=1m\n" + Self.press)
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        try fixture.act(.press, "Red")
        try fixture.pass("30s")
        try fixture.act(.return, "Red")
        try fixture.pass("1s")
        #expect(fixture.records.allSatisfy { !$0.contains("stale") })
        #expect(fixture.main.last?.step.event?.name == "resume")
    }

    @Test func `the return of a device ends only the pause that its loss caused`() throws {
        let fixture = try playing(
            "device Red buzzer\ndevice Blue buzzer\n",
            "map device=* service=FFF0 characteristic=FFF1 value=08 event=pause\n")
        // Paused by the operator: the loss is refused, and the return is not delivered.
        try fixture.send("pause")
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        try fixture.act(.return, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "paused")
        #expect(fixture.member("Red", "state") == .string("ready"))
        try fixture.send("resume")
        // Paused by the loss of one device, the session waits for that device.
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        try fixture.act(.drop, "Blue")
        try fixture.pass("2s")
        try fixture.act(.return, "Blue")
        try fixture.pass("2s")
        #expect(fixture.state == "paused")
        try fixture.act(.return, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "playingLevel")
        // Resumed and paused again in the meantime, the pause has another cause.
        try fixture.act(.drop, "Red")
        try fixture.pass("2s")
        try fixture.send("resume")
        try fixture.pass("1s")
        try fixture.send("pause")
        try fixture.act(.return, "Red")
        try fixture.pass("2s")
        #expect(fixture.state == "paused")
    }
}

/// A flow whose events for devices have names of its own.
private struct Lamp: Flow {
    enum StateName: String, CaseIterable { case lit, dark }
    enum State { case lit, dark }
    enum Event: FlowEvent { case gone, back }

    var name: String { "lamp" }
    var initial: StateName { .lit }
    var events: [EventSchema<Event>] { [EventSchema(.gone), EventSchema(.back)] }
    var deviceLost: EventSchema<Event>? { EventSchema(.gone) }
    var deviceFound: EventSchema<Event>? { EventSchema(.back) }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Lamp> {
        switch (state, event) {
        case (.lit, .gone): enter { _ in .dark }
        case (.dark, .back): enter { _ in .lit }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .lit: StateDescription(.lit)
        case .dark: StateDescription(.dark)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Lamp> {
        enter { _ in name == .lit ? .lit : .dark }
    }
}
