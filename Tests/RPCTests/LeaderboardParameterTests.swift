import RPC
import Testing

/// The parameters of the method `leaderboard`.
@Suite struct LeaderboardParameterTests {
    @Test func `a leaderboard of a flow without a final state needs the parameter state`() throws {
        let connection = try TestConnection()
        let answer = connection.reply(to: "leaderboard game")
        #expect(
            answer.hasPrefix("ERR invalid")
                && answer.contains("the flow game has no final state; state=NAME says which"),
            "\(answer)")
        connection.end()
    }
}
