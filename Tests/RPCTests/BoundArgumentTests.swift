import GameFlow
import RPC
import Sessions
import Testing

/// Grants with fixed arguments.
@Suite struct BoundArgumentTests {
    @Test func `an argument bound for one event does not affect other events`() throws {
        let connection = try TestConnection()
        #expect(connection.reply(to: "open @quiz flow=quiz").hasPrefix("OK"))
        // The event `start` has no argument `player`.
        connection.rights = Rights([
            Grant(.play, session: Glob("quiz"), boundArguments: [Member("player", "Ann")])
        ])
        #expect(connection.reply(to: "send @quiz start rounds=2").hasPrefix("OK"))
        #expect(connection.reply(to: "send @quiz buzz player=Bob").hasPrefix("ERR forbidden"))
        #expect(connection.reply(to: "send @quiz buzz").contains(#""args":{"player":"Ann"}"#))
        connection.rights = .everything
        connection.end()
    }

    @Test
    func `if two grants bind different values, the first supplies the value that a request omits`()
    {
        let grants = ["Ann", "Bob"].map { name in
            Grant(
                .play, session: Glob("quiz"), event: Glob("buzz"),
                boundArguments: [Member("player", .string(name))])
        }
        let quiz = SessionName("quiz")!
        for order in [grants, grants.reversed()] {
            let rights = Rights(order)
            #expect(rights.arguments([], of: "buzz", to: quiz) == order[0].boundArguments)
            for given in ["Ann", "Bob"].map({ [Member("player", .string($0))] }) {
                #expect(rights.arguments(given, of: "buzz", to: quiz) == given)
            }
            #expect(rights.arguments([Member("player", "Cid")], of: "buzz", to: quiz) == nil)
        }
    }
}
