import Bluetooth
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import gamed

/// What the loss and the return of a link become, and how old what is told then is.
@Suite struct LinkEventTests {
    private static let keeper = "device Red buzzer queue=8\n"
    private static let press =
        "map device=Red service=FFF0 characteristic=FFF1 value=01 event=resume\n"

    /// A game that is on, its controller there.
    private func playing(_ scenario: String = keeper, _ map: String = press) throws
        -> BluetoothSourceFixture
    {
        let stage = try BluetoothSourceFixture(scenario, map)
        try stage.pass("1s")
        try stage.send("startPlaying")
        try stage.send("chooseEpisode", [Member("episode", 1)])
        try stage.send("chooseLevel", [Member("level", 1)])
        return stage
    }

    @Test func `the customary events pause and resume a game, its clock exact`() throws {
        let stage = try playing()
        try stage.pass("10s")
        try stage.by(.drop, "Red")
        try stage.pass("5s")
        #expect(stage.state == "paused")
        // The loss is noticed after a second of silence.
        #expect(stage.main.machine.place.data["remainingMs"] == .int(79_000))
        try stage.by(.return, "Red")
        try stage.pass("1s")
        #expect(stage.state == "playingLevel")
        let resumed = try #require(stage.main.last).at
        #expect(
            stage.main.machine.timer("timeUp")?.info.deadline == resumed + .seconds(79))
    }

    @Test func `the first link is no return`() throws {
        let stage = try playing("device Red buzzer away\n")
        try stage.by(.return, "Red")
        try stage.pass("1s")
        #expect(stage.fact("Red", "state") == .string("ready"))
        #expect(stage.main.seq == 4)
        #expect(stage.records.count == 4)
    }

    @Test func `a loss from before a start ends with the first link after it`() throws {
        let stage = try playing()
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        #expect(stage.state == "paused")
        // The daemon is started anew; its devices are there.
        try stage.begin()
        try stage.pass("1s")
        #expect(stage.state == "playingLevel")
        #expect(stage.main.last?.step.event?.name == "controllerFound")
        // A pause that somebody else made is not its to end.
        try stage.send("pause")
        try stage.begin()
        try stage.pass("1s")
        #expect(stage.state == "paused")
    }

    @Test func `a flow that does not know the customary events is not bothered`() throws {
        let stage = try BluetoothSourceFixture(
            Self.keeper,
            "map device=Red service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"r\"}",
            flow: "quiz")
        try stage.pass("1s")
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        #expect(stage.records.count == 1)
    }

    @Test func `a line says what loss and return become, and to whom`() throws {
        let stage = try playing(
            Self.keeper,
            Self.press + "map device=C0:* lost=returnHome\nmap device=Red found=displayHelp\n")
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        #expect(stage.state == "introduction")
        try stage.by(.return, "Red")
        try stage.pass("1s")
        #expect(stage.state == "help")
    }

    @Test func `what a device kept while it was away is as old as the loss of its link`() throws {
        let stage = try playing()
        try stage.by(.drop, "Red")
        // It is noticed at two seconds; pressed at three, back at four.
        try stage.pass("2s")
        try stage.by(.press, "Red")
        try stage.pass("1s")
        try stage.by(.return, "Red")
        try stage.pass("1s")
        // The game is resumed by the press, and so not by the return.
        let resumed = try #require(stage.main.last)
        #expect(resumed.step.event?.name == "resume")
        #expect(stage.state == "playingLevel")
        #expect(stage.records.allSatisfy { !$0.contains("controllerFound") })
        #expect(
            stage.pressAges == [
                Int((resumed.at - Instant(nanoseconds: 2_000_000_000)).milliseconds)
            ])
    }

    @Test func `past three seconds it is stale, and changes nothing`() throws {
        let stage = try playing()
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        try stage.by(.press, "Red")
        try stage.pass("8s")
        try stage.by(.return, "Red")
        try stage.pass("1s")
        // It came before the link was ready, and the return resumed the game.
        #expect(stage.main.last?.step.event?.name == "controllerFound")
        #expect(stage.state == "playingLevel")
        let stale = try #require(stage.records.first { $0.contains("stale") })
        #expect(stale.contains(#""name":"resume""#) && stale.contains(#""limitMs":3000"#))
        #expect((stage.pressAges.first ?? 0) > 8000)
        // What is pressed from now on is of now, but for the first 200 ms after the subscription.
        try stage.by(.press, "Red")
        #expect(stage.lastPress("Red", "ageMs") == .int(0))
        #expect(stage.lastPress("Red", "outcome") == .string("noTransition"))
    }

    @Test func `how old it may be is the operator's to say`() throws {
        let stage = try playing(Self.keeper, "limit bluetoothAge=1m\n" + Self.press)
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        try stage.by(.press, "Red")
        try stage.pass("30s")
        try stage.by(.return, "Red")
        try stage.pass("1s")
        #expect(stage.records.allSatisfy { !$0.contains("stale") })
        #expect(stage.main.last?.step.event?.name == "resume")
    }

    @Test func `a return ends no pause but its own loss's`() throws {
        let stage = try playing(
            "device Red buzzer\ndevice Blue buzzer\n",
            "map device=* service=FFF0 characteristic=FFF1 value=08 event=pause\n")
        // Paused by hand; what is lost meanwhile is refused, and its return is nobody's business.
        try stage.send("pause")
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        try stage.by(.return, "Red")
        try stage.pass("2s")
        #expect(stage.state == "paused")
        #expect(stage.fact("Red", "state") == .string("ready"))
        try stage.send("resume")
        // Paused by the loss of one, it waits for that one.
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        try stage.by(.drop, "Blue")
        try stage.pass("2s")
        try stage.by(.return, "Blue")
        try stage.pass("2s")
        #expect(stage.state == "paused")
        try stage.by(.return, "Red")
        try stage.pass("2s")
        #expect(stage.state == "playingLevel")
        // Resumed and paused anew meanwhile, it is somebody else's pause.
        try stage.by(.drop, "Red")
        try stage.pass("2s")
        try stage.send("resume")
        try stage.pass("1s")
        try stage.send("pause")
        try stage.by(.return, "Red")
        try stage.pass("2s")
        #expect(stage.state == "paused")
    }
}
