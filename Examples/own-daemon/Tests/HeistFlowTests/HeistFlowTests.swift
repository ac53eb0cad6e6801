import GameFlow
import GameFlowTesting
import HeistFlow
import Testing
import Timers

@Suite struct HeistFlowTests {
    @Test func `a team that solves three puzzles has won`() throws {
        let test = MachineTest(HeistFlow())
        try test.send(.start(team: "owls"))
        test.after(.seconds(600))
        try test.send(.solve(code: "4711"))
        test.expect(.playing, ["team": "owls", "puzzle": "lasers"])
        try test.send(.hint)
        try test.send(.solve(code: "NORTH"))
        try test.send(.solve(code: "RUBY"))
        test.expect(.won, ["hints": 1, "leftMs": 3_000_000])
    }

    @Test func `after an hour the team has lost`() throws {
        let test = MachineTest(HeistFlow())
        try test.send(.start(team: "owls"))
        try test.send(.solve(code: "4711"))
        test.after(.seconds(3599))
        test.expect(.playing)
        test.after(.seconds(1))
        test.expect(.lost, ["puzzle": "lasers"])
        test.after(.seconds(300))
        test.expect(.lobby)
    }

    @Test func `a wrong code and a fourth hint are refused`() throws {
        let test = MachineTest(HeistFlow())
        try test.send(.start(team: "owls"))
        #expect(throws: Refusal<HeistFlow.State, HeistFlow.Event>.self) {
            try test.send(.solve(code: "0000"))
        }
        for _ in 1...3 { try test.send(.hint) }
        #expect(throws: Refusal<HeistFlow.State, HeistFlow.Event>.self) { try test.send(.hint) }
        test.expect(.playing, ["hints": 3, "puzzle": "keypad"])
    }

    @Test func `lint finds nothing`() { #expect(HeistFlow().lint().isEmpty) }
}
