import Access
import Bluetooth
import GameFlow
import Sessions
import Testing
import Timers

@testable import gamed

/// The same, whoever made the devices and wherever their controller is.
@Suite struct BluetoothConformanceTests {
    /// One buzzer, whose four buttons play a game.
    static let game = """
        map device="Buzzer 1" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
        map device="Buzzer 1" service=FFF0 characteristic=FFF1 value=02 event=chooseEpisode args={"episode": 1}
        map device=c0:00:00:00:00:01 service=FFF0 characteristic=FFF1 value=04 event=chooseLevel args={"level":1}
        map device="Buzzer 1" service=fff0 characteristic=fff1 value=08/0F event=pause
        """

    @Test(arguments: Maker.allCases)
    func `found, connected, four presses once each in order, lost, and found again`(_ maker: Maker)
        throws
    {
        let hall = try BuzzersFixture(maker, Self.game)
        hall.until("it is found and connected") { hall.isReady(1) }
        #expect(hall.device(1)?.battery == (maker == .simulated ? 90 : 77))
        for value: UInt8 in [1, 2, 4, 8] { hall.buzzers.press(1, value, in: hall) }
        hall.until("four presses have come") { hall.state == "paused" }
        let played = [
            "open open", "startPlaying enter", "chooseEpisode enter", "chooseLevel enter",
            "pause enter",
        ]
        #expect(hall.history == played)
        hall.buzzers.drop(1, in: hall)
        hall.until("it is lost") { hall.device(1)?.state == .away }
        hall.buzzers.comeBack(1, in: hall)
        hall.until("it is back") { hall.isReady(1) }
        hall.buzzers.press(1, 8, in: hall)
        hall.until("it is heard again") { hall.history.count == played.count + 2 }
        // The loss found the game paused by the player, whose pause the return does not end.
        #expect(hall.history[5].contains(#""event":{"name":"controllerLost""#))
        #expect(hall.history[6].contains(#""event":{"name":"pause""#))
        #expect(hall.state == "paused")
        #expect(hall.source.central.malformed == 0)
        hall.stop()
    }

    @Test(arguments: Maker.allCases)
    func `the loss of a controller pauses the game, its return resumes it with its clock exact`(
        _ maker: Maker
    ) throws {
        let hall = try BuzzersFixture(maker, Self.game)
        hall.until("it is found and connected") { hall.isReady(1) }
        for value: UInt8 in [1, 2, 4] { hall.buzzers.press(1, value, in: hall) }
        hall.until("the game is on") { hall.state == "playingLevel" }
        let began = try #require(hall.main.last).at
        hall.buzzers.drop(1, in: hall)
        hall.until("the game is paused") { hall.state == "paused" }
        let paused = try #require(hall.main.last)
        #expect(paused.step.source.kind == .bluetooth)
        #expect(paused.step.source.peer == .device("C0:00:00:00:00:01"))
        let left = Duration.seconds(90) + Duration.nanoseconds((began - paused.at).nanoseconds)
        #expect(paused.step.to?.data["remainingMs"] == .int(Int(left.milliseconds)))
        hall.buzzers.comeBack(1, in: hall)
        hall.until("the game goes on") { hall.state == "playingLevel" }
        let resumed = try #require(hall.main.last)
        #expect(resumed.step.event?.name == "controllerFound")
        let clock = try #require(hall.main.machine.timer("timeUp")?.info)
        #expect(
            clock.deadline == resumed.at + left || clock.deadline == resumed.at + left.roundedUp)
        #expect(clock.total == .seconds(90))
        hall.stop()
    }

    @Test(arguments: Maker.allCases)
    func `four buzzers at once have one winner, whom the others are told of`(_ maker: Maker) throws
    {
        let players = ["ann", "ben", "cem", "dee"]
        let map = players.enumerated().map { place, player in
            "map device=\"Buzzer \(place + 1)\" service=FFF0 characteristic=FFF1 value=01 event=buzz args={\"player\":\"\(player)\"}"
        }
        let hall = try BuzzersFixture(maker, map.joined(separator: "\n"), flow: "quiz")
        hall.until("all are connected") { (1...4).allSatisfy(hall.isReady) }
        try hall.send("start", [Member("rounds", 1)])
        hall.buzzers.pressAll(1, in: hall)
        hall.until("all are heard") { hall.history.count == 6 }
        #expect(hall.state == "locked")
        #expect(hall.history[2] == "buzz enter")
        let winner = try #require(hall.main.last)
        guard case .string(let player)? = winner.step.event?.arguments["player"] else {
            Issue.record("nobody won")
            return
        }
        #expect(players.contains(player))
        for refusal in hall.history[3...] {
            #expect(refusal.contains(#""message":"noTransition""#))
            #expect(
                refusal.contains(#""last":{"event":"buzz","args":{"player":"\#(player)"}"#))
        }
        // Each of the others was heard once.
        for other in players where other != player {
            let own = hall.history[3...].filter {
                $0.contains(#""event":{"name":"buzz","args":{"player":"\#(other)"}}"#)
            }
            #expect(own.count == 1, "\(other)")
        }
        hall.stop()
    }
}
