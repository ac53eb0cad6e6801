import Bluetooth
import BluetoothPart
import GameFlow
import RPC
import Sessions
import Testing
import Timers

@testable import GamedServer

/// `BluetoothSource` behaves the same with the buzzers that gamed simulates and with the buzzers of Bumble, a Bluetooth stack
/// in Python. `BluetoothSource` connects to Bumble's controller over a UNIX socket and over TCP.
@Suite struct BluetoothConformanceTests {
    /// Map lines by which the four buttons of one buzzer play a game.
    static let gameMapLines = """
        map device="Buzzer 1" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        map device="Buzzer 1" service=FFF0 characteristic=FFF1 value=02 event=chooseEpisode args={"episode": 1}
        map device=c0:00:00:00:00:01 service=FFF0 characteristic=FFF1 value=04 event=chooseLevel args={"level":1}
        map device="Buzzer 1" service=fff0 characteristic=fff1 value=08/0F event=pause
        """

    @Test(arguments: BuzzerKind.allCases)
    func `a device is found, its presses arrive once each in order, and it is lost and found again`(
        _ kind: BuzzerKind
    )
        throws
    {
        let fixture = try BuzzersFixture(kind, Self.gameMapLines)
        fixture.waitUntil("the buzzer is found and connected") { fixture.isReady(1) }
        #expect(fixture.device(1)?.battery == (kind == .simulated ? 90 : 77))
        for value: UInt8 in [1, 2, 4, 8] { fixture.buzzers.press(1, value: value, in: fixture) }
        fixture.waitUntil("four presses are delivered") { fixture.state == "paused" }
        let expectedHistory = [
            "open open", "startPlaying enter", "chooseEpisode enter", "chooseLevel enter",
            "pause enter",
        ]
        #expect(fixture.historyTexts == expectedHistory)
        fixture.buzzers.leaveRange(1, in: fixture)
        fixture.waitUntil("the buzzer is lost") { fixture.device(1)?.state == .away }
        fixture.buzzers.returnToRange(1, in: fixture)
        fixture.waitUntil("the buzzer is connected again") { fixture.isReady(1) }
        fixture.buzzers.press(1, value: 8, in: fixture)
        fixture.waitUntil("the next press is delivered") {
            fixture.historyTexts.count == expectedHistory.count + 2
        }
        // The player had already paused the game, and the return of the buzzer does not end this pause.
        #expect(fixture.historyTexts[5].contains(#""event":{"name":"controllerLost""#))
        #expect(fixture.historyTexts[6].contains(#""event":{"name":"pause""#))
        #expect(fixture.state == "paused")
        #expect(fixture.source.central.malformedCount == 0)
        fixture.stop()
    }

    @Test(arguments: BuzzerKind.allCases)
    func
        `the loss of a buzzer pauses the game, which resumes with the exact time left on its return`(
            _ kind: BuzzerKind
        ) throws
    {
        let fixture = try BuzzersFixture(kind, Self.gameMapLines)
        fixture.waitUntil("the buzzer is found and connected") { fixture.isReady(1) }
        for value: UInt8 in [1, 2, 4] { fixture.buzzers.press(1, value: value, in: fixture) }
        fixture.waitUntil("the game is in progress") { fixture.state == "playingLevel" }
        let levelStart = try #require(fixture.mainSession.last).at
        fixture.buzzers.leaveRange(1, in: fixture)
        fixture.waitUntil("the game is paused") { fixture.state == "paused" }
        let paused = try #require(fixture.mainSession.last)
        #expect(paused.step.source.kind == .bluetooth)
        #expect(paused.step.source.peer == .device("C0:00:00:00:00:01"))
        let remaining =
            Duration.seconds(90) + Duration.nanoseconds((levelStart - paused.at).nanoseconds)
        #expect(paused.step.to?.data["remainingMs"] == .int(Int(remaining.milliseconds)))
        fixture.buzzers.returnToRange(1, in: fixture)
        fixture.waitUntil("the game continues") { fixture.state == "playingLevel" }
        let resumed = try #require(fixture.mainSession.last)
        #expect(resumed.step.event?.name == "controllerFound")
        let timeUp = try #require(fixture.mainSession.machine.timer("timeUp")?.info)
        // The remaining time is exact, or rounded up to the whole milliseconds of `remainingMs`.
        #expect(
            timeUp.deadline == resumed.at + remaining
                || timeUp.deadline == resumed.at + remaining.roundedUp)
        #expect(timeUp.total == .seconds(90))
        fixture.stop()
    }

    @Test(arguments: BuzzerKind.allCases)
    func `one of four simultaneous presses wins, and the other presses' refusals name the winner`(
        _ kind: BuzzerKind
    ) throws {
        let players = ["ann", "ben", "cem", "dee"]
        let mapLines = players.enumerated().map { index, player in
            "map device=\"Buzzer \(index + 1)\" service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"\(player)\"}"
        }
        let fixture = try BuzzersFixture(kind, mapLines.joined(separator: "\n"), flow: "quiz")
        fixture.waitUntil("all buzzers are connected") { (1...4).allSatisfy(fixture.isReady) }
        try fixture.send("start", [Member("rounds", 1)])
        fixture.buzzers.pressAll(value: 1, in: fixture)
        fixture.waitUntil("all presses are delivered") { fixture.historyTexts.count == 6 }
        #expect(fixture.state == "locked")
        #expect(fixture.historyTexts[2] == "buzz enter")
        let acceptedBuzz = try #require(fixture.mainSession.last)
        guard case .string(let winner)? = acceptedBuzz.step.event?.arguments["player"] else {
            Issue.record("there is no winner")
            return
        }
        #expect(players.contains(winner))
        for refusal in fixture.historyTexts[3...] {
            #expect(refusal.contains(#""message":"noTransition""#))
            #expect(
                refusal.contains(#""last":{"event":"buzz","args":{"player":"\#(winner)"}"#))
        }
        // The press of each loser was delivered once.
        for loser in players where loser != winner {
            let refusals = fixture.historyTexts[3...].filter {
                $0.contains(#""event":{"name":"buzz","args":{"player":"\#(loser)"}}"#)
            }
            #expect(refusals.count == 1, "\(loser)")
        }
        fixture.stop()
    }
}
