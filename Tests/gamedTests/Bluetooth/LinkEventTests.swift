import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import GamedServer

/// Events for the loss and the return of a device's link, and the age of stored presses.
@Suite struct LinkEventTests {
    /// A device that stores up to 8 presses while it has no link.
    private static let scenario = "device Red buzzer queue=8\n"
    private static let resumeMapLine =
        "map device=Red service=FFF0 characteristic=FFF1 value=01 event=resume\n"

    /// Connects the devices, and plays the game until a level starts. The level lasts 90 seconds.
    private func startLevel(
        _ scenario: String = scenario, _ mapLines: String = resumeMapLine
    ) throws -> BluetoothSourceFixture {
        let fixture = try BluetoothSourceFixture(scenario, mapLines)
        try fixture.advance(by: "1s")
        try fixture.send("startPlaying")
        try fixture.send("chooseEpisode", [Member("episode", 1)])
        try fixture.send("chooseLevel", [Member("level", 1)])
        return fixture
    }

    @Test func `the events that the game declares pause and resume it with the exact time left`()
        throws
    {
        let fixture = try startLevel()
        try fixture.advance(by: "10s")
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "5s")
        #expect(fixture.state == "paused")
        // The source notices the loss after one second of silence, so 11 of the 90 seconds have passed.
        #expect(fixture.mainSession.machine.place.data["remainingMs"] == .int(79_000))
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        #expect(fixture.state == "playingLevel")
        let resumed = try #require(fixture.mainSession.last).at
        #expect(
            fixture.mainSession.machine.timer("timeUp")?.info.deadline == resumed + .seconds(79))
    }

    @Test func `the first link of a device sends no event for a return`() throws {
        let fixture = try startLevel("device Red buzzer away\n")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        #expect(fixture.member("state", of: "Red") == .string("ready"))
        #expect(fixture.mainSession.seq == 4)
        #expect(fixture.recordTexts.count == 4)
    }

    @Test
    func `the first link after a restart ends a pause that a loss before the restart caused`()
        throws
    {
        let fixture = try startLevel()
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "paused")
        // The daemon restarts; the device is within reach.
        try fixture.restart()
        try fixture.advance(by: "1s")
        #expect(fixture.state == "playingLevel")
        #expect(fixture.mainSession.last?.step.event?.name == "controllerFound")
        // The first link does not end a pause with another cause.
        try fixture.send("pause")
        try fixture.restart()
        try fixture.advance(by: "1s")
        #expect(fixture.state == "paused")
    }

    @Test func `a flow that declares no event for the loss of a device gets none`() throws {
        let fixture = try BluetoothSourceFixture(
            Self.scenario,
            "map device=Red service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"r\"}",
            flow: "quiz")
        try fixture.advance(by: "1s")
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.recordTexts.count == 1)
    }

    @Test func `a flow can declare its own events for the loss and the return`() throws {
        let fixture = try BluetoothSourceFixture(
            Self.scenario, Self.resumeMapLine, flow: "lamp", flows: [AnyFlow(Lamp())])
        try fixture.advance(by: "1s")
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "dark")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        #expect(fixture.state == "lit")
    }

    @Test func `a map line with lost or found replaces the events that the flow declares`()
        throws
    {
        let fixture = try startLevel(
            Self.scenario,
            Self.resumeMapLine
                + "map device=C0:* lost=returnHome\nmap device=Red found=displayHelp\n")
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "introduction")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        #expect(fixture.state == "help")
    }

    @Test
    func
        `the age of a stored press counts from the instant at which the loss of the link was noticed`()
        throws
    {
        let fixture = try startLevel()
        try fixture.simulate(.drop, "Red")
        // The device loses its link at 1 s, and the source notices the loss at 2 s. The device is pressed at 3 s and returns at
        // 4 s.
        try fixture.advance(by: "2s")
        try fixture.simulate(.press, "Red")
        try fixture.advance(by: "1s")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        // The press resumes the game, so the return is not delivered.
        let resumed = try #require(fixture.mainSession.last)
        #expect(resumed.step.event?.name == "resume")
        #expect(fixture.state == "playingLevel")
        #expect(fixture.recordTexts.allSatisfy { !$0.contains("controllerFound") })
        #expect(
            fixture.storedPressAges == [
                Int((resumed.at - Instant(nanoseconds: 2_000_000_000)).milliseconds)
            ])
    }

    @Test func `a press older than three seconds is refused as stale`() throws {
        let fixture = try startLevel()
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        try fixture.simulate(.press, "Red")
        try fixture.advance(by: "8s")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        // The stored press arrived first and was refused. Then the event for the return resumed the game.
        #expect(fixture.mainSession.last?.step.event?.name == "controllerFound")
        #expect(fixture.state == "playingLevel")
        let stale = try #require(fixture.recordTexts.first { $0.contains("stale") })
        #expect(stale.contains(#""name":"resume""#) && stale.contains(#""limitMs":3000"#))
        #expect((fixture.storedPressAges.first ?? 0) > 8000)
        // From 200 ms after the subscription, the source takes presses as new and not as stored ones.
        try fixture.simulate(.press, "Red")
        #expect(fixture.lastPressMember("ageMs", of: "Red") == .int(0))
        #expect(fixture.lastPressMember("outcome", of: "Red") == .string("noTransition"))
    }

    @Test func `the operator can set the age limit`() throws {
        let fixture = try startLevel(Self.scenario, "limit bluetoothAge=1m\n" + Self.resumeMapLine)
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        try fixture.simulate(.press, "Red")
        try fixture.advance(by: "30s")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "1s")
        #expect(fixture.recordTexts.allSatisfy { !$0.contains("stale") })
        #expect(fixture.mainSession.last?.step.event?.name == "resume")
    }

    @Test func `the return of a device ends only the pause that its loss caused`() throws {
        let fixture = try startLevel(
            "device Red buzzer\ndevice Blue buzzer\n",
            "map device=* service=FFF0 characteristic=FFF1 value=08 event=pause\n")
        // The operator paused the game, so the loss is refused and the return is not delivered.
        try fixture.send("pause")
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "paused")
        #expect(fixture.member("state", of: "Red") == .string("ready"))
        try fixture.send("resume")
        // The loss of one device paused the session, so only the return of that device resumes it.
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        try fixture.simulate(.drop, "Blue")
        try fixture.advance(by: "2s")
        try fixture.simulate(.return, "Blue")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "paused")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "playingLevel")
        // The operator resumed and paused the game in the meantime, so the pause has another cause.
        try fixture.simulate(.drop, "Red")
        try fixture.advance(by: "2s")
        try fixture.send("resume")
        try fixture.advance(by: "1s")
        try fixture.send("pause")
        try fixture.simulate(.return, "Red")
        try fixture.advance(by: "2s")
        #expect(fixture.state == "paused")
    }
}

/// A flow that declares its own events for the loss and the return of a device.
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
