import Access
import Bluetooth
import GameFlow
import Sessions
import Testing
import Timers

@testable import gamed

/// The same behaviour with simulated devices and with Bumble's, and over each kind of socket.
@Suite struct BluetoothConformanceTests {
    /// The four buttons of one buzzer play a game.
    static let game = """
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
        let fixture = try BuzzersFixture(kind, Self.game)
        fixture.until("it is found and connected") { fixture.isReady(1) }
        #expect(fixture.device(1)?.battery == (kind == .simulated ? 90 : 77))
        for value: UInt8 in [1, 2, 4, 8] { fixture.buzzers.press(1, value, in: fixture) }
        fixture.until("four presses are delivered") { fixture.state == "paused" }
        let played = [
            "open open", "startPlaying enter", "chooseEpisode enter", "chooseLevel enter",
            "pause enter",
        ]
        #expect(fixture.history == played)
        fixture.buzzers.drop(1, in: fixture)
        fixture.until("it is lost") { fixture.device(1)?.state == .away }
        fixture.buzzers.comeBack(1, in: fixture)
        fixture.until("it is back") { fixture.isReady(1) }
        fixture.buzzers.press(1, 8, in: fixture)
        fixture.until("the next press is delivered") { fixture.history.count == played.count + 2 }
        // The game was already paused by the player, and the return does not end that pause.
        #expect(fixture.history[5].contains(#""event":{"name":"controllerLost""#))
        #expect(fixture.history[6].contains(#""event":{"name":"pause""#))
        #expect(fixture.state == "paused")
        #expect(fixture.source.central.malformed == 0)
        fixture.stop()
    }

    @Test(arguments: BuzzerKind.allCases)
    func
        `the loss of a controller pauses the game, and its return resumes it with the exact time left`(
            _ kind: BuzzerKind
        ) throws
    {
        let fixture = try BuzzersFixture(kind, Self.game)
        fixture.until("it is found and connected") { fixture.isReady(1) }
        for value: UInt8 in [1, 2, 4] { fixture.buzzers.press(1, value, in: fixture) }
        fixture.until("the game is in progress") { fixture.state == "playingLevel" }
        let began = try #require(fixture.main.last).at
        fixture.buzzers.drop(1, in: fixture)
        fixture.until("the game is paused") { fixture.state == "paused" }
        let paused = try #require(fixture.main.last)
        #expect(paused.step.source.kind == .bluetooth)
        #expect(paused.step.source.peer == .device("C0:00:00:00:00:01"))
        let left = Duration.seconds(90) + Duration.nanoseconds((began - paused.at).nanoseconds)
        #expect(paused.step.to?.data["remainingMs"] == .int(Int(left.milliseconds)))
        fixture.buzzers.comeBack(1, in: fixture)
        fixture.until("the game continues") { fixture.state == "playingLevel" }
        let resumed = try #require(fixture.main.last)
        #expect(resumed.step.event?.name == "controllerFound")
        let clock = try #require(fixture.main.machine.timer("timeUp")?.info)
        #expect(
            clock.deadline == resumed.at + left || clock.deadline == resumed.at + left.roundedUp)
        #expect(clock.total == .seconds(90))
        fixture.stop()
    }

    @Test(arguments: BuzzerKind.allCases)
    func `of four simultaneous presses one wins, and the refusals of the others name it`(
        _ kind: BuzzerKind
    ) throws {
        let players = ["ann", "ben", "cem", "dee"]
        let map = players.enumerated().map { place, player in
            "map device=\"Buzzer \(place + 1)\" service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"\(player)\"}"
        }
        let fixture = try BuzzersFixture(kind, map.joined(separator: "\n"), flow: "quiz")
        fixture.until("all are connected") { (1...4).allSatisfy(fixture.isReady) }
        try fixture.send("start", [Member("rounds", 1)])
        fixture.buzzers.pressAll(1, in: fixture)
        fixture.until("all presses are delivered") { fixture.history.count == 6 }
        #expect(fixture.state == "locked")
        #expect(fixture.history[2] == "buzz enter")
        let winner = try #require(fixture.main.last)
        guard case .string(let player)? = winner.step.event?.arguments["player"] else {
            Issue.record("there is no winner")
            return
        }
        #expect(players.contains(player))
        for refusal in fixture.history[3...] {
            #expect(refusal.contains(#""message":"noTransition""#))
            #expect(
                refusal.contains(#""last":{"event":"buzz","args":{"player":"\#(player)"}"#))
        }
        // Each of the others was delivered once.
        for other in players where other != player {
            let own = fixture.history[3...].filter {
                $0.contains(#""event":{"name":"buzz","args":{"player":"\#(other)"}}"#)
            }
            #expect(own.count == 1, "\(other)")
        }
        fixture.stop()
    }
}
