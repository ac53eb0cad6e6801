import Durability
import FlowFiles
import GameFlow
import Sessions
import Testing

/// The table files of a flow: the journal contains them with the flow's text.
@Suite struct TableRecordTests {
    private static let text = """
        flow: show
        start: asking
        events: {next: }
        tables: {questions: {columns: {ask: text}, file: questions.csv}}
        states:
          asking:
            data: {round: integer = 1, asked: text = '', seq: order of questions}
            on: {next: {with: {asked: '=questions[round].ask', round: =round + 1}}}
        """

    private static func flow(_ questions: String) throws -> AnyFlow {
        try FlowFile(
            text: Array(text.utf8), file: "show.yaml",
            tableFiles: [.init(name: "questions.csv", bytes: Array("ask\n\(questions)".utf8))]
        ).flow
    }

    private let context = RequestContext(from: .program)

    @Test func `a session plays on with the tables of its version after a restart`() throws {
        let fixture = RestartFixture([try Self.flow("One?\nTwo?")])
        _ = try fixture.sessions.open(.main, try Self.flow("One?\nTwo?"), context)
        func session() throws -> Session { try fixture.sessions.session(.main) }
        _ = try fixture.sessions.send("next", [], to: session(), context)
        fixture.restart(after: .seconds(5))
        _ = try fixture.sessions.send("next", [], to: session(), context)
        #expect(try session().machine.place.data["asked"] == .string("Two?"))
        let replay = JournalReplay([try Self.flow("One?\nTwo?")])
        for row in fixture.rows { #expect(replay.execute(row) == nil) }
    }

    @Test func `a move names an order that does not fit the new table`() throws {
        let fixture = RestartFixture([try Self.flow("One?")])
        let old = try Self.flow("One?\nTwo?")
        let session = try fixture.sessions.open(
            .main, old, data: [Member("seq", .array([2, 1]))], context)
        do throws(RequestError) {
            try fixture.sessions.move(session, context)
            Issue.record("moved")
        } catch {
            #expect(error.data["argument"] == "seq")
            #expect(
                error.data["why"] == "expected numbers of rows of questions, 1…1, each once")
        }
    }
}
