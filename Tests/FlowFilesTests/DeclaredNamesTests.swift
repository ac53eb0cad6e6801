import Testing

@testable import FlowFiles
@testable import GameFlow

/// Which tallies have only names that the flow declares, so that pages may show them as words.
@Suite struct DeclaredNamesTests {
    /// Whether the tally `votes` has only declared names, if the event `vote` gives it the value `value`.
    private func isDeclared(_ value: String) throws -> Bool {
        let text = """
            flow: poll
            start: open
            data: {votes: tally = none, guests: tally = none}
            events:
              vote: {args: {answer: "one of redTeam, blueTeam", name: text}}
              come: {args: {name: text}}
            states:
              open:
                on:
                  vote: {with: {votes: "=\(value)"}}
                  come: {with: {guests: "=add(guests, name, 1)"}}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "poll.yaml").flow
        let fields = try #require(flow.fields(of: "open"))
        return try #require(fields.first { $0.name == "votes" }).hasDeclaredNames
    }

    @Test(arguments: [
        "add(votes, answer, 1)", "add(votes, 'blueTeam', 1)",
        "add(add(votes, answer, 1), 'redTeam', 1)",
    ])
    func `names that the file declares`(_ value: String) throws {
        #expect(try isDeclared(value))
    }

    @Test(arguments: [
        "add(votes, name, 1)", "add(add(votes, name, 1), answer, 1)",
        "add(votes if answer == 'redTeam' else guests, name, 1)", "guests",
        "add(guests, answer, 1)", "add(votes, answer, 1) if answer == 'redTeam' else guests",
    ])
    func `names that people have typed`(_ value: String) throws {
        #expect(try !isDeclared(value))
    }
}
