import FlowFiles
import GameFlow
import RPC
import Testing

/// The method `presses`: who pressed first in the newest visit of a state that takes the event.
@Suite struct PressesMethodTests {
    private func connection() throws -> TestConnection {
        let text = """
            flow: show
            start: question
            data: {locked: set = none}
            events:
              buzz: {args: {player: text}, buzz: true}
              wrong:
              next:
              ring: {args: {}, hidden: players}
            states:
              question:
                on:
                  buzz:
                    - {if: player in locked, refuse: {player: locked out}}
                    - {to: answering}
                  ring: {with: {locked: =locked + 'ring'}}
                  next: pause
              answering: {on: {wrong: {to: question, with: {locked: =locked + 'Ann'}}, next: pause}}
              pause: {on: {next: question}}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "show.yaml").flow
        return try TestConnection([flow])
    }

    /// The presses as texts such as `Ann ok +0`.
    private func presses(_ connection: TestConnection) -> [String] {
        guard case .array(let presses)? = connection.json("presses")["presses"] else { return [] }
        return presses.map { press in
            guard case .object(let members) = press else { return "" }
            let words = ["by", "result"].map { members[$0]?.text ?? "" }
            guard case .int(let after)? = members["afterMs"] else { return "" }
            return (words + ["+\(after)"]).joined(separator: " ")
        }
    }

    @Test func `the presses of a question are in order, accepted and refused`() throws {
        let connection = try connection()
        #expect(presses(connection) == [])
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "advance 12ms")
        _ = connection.reply(to: "send buzz player=Bob")
        _ = connection.reply(to: "advance 30ms")
        _ = connection.reply(to: "send buzz player=Ann")
        #expect(
            presses(connection) == ["Ann ok +0", "Bob noTransition +12", "Ann noTransition +42"])
        #expect(connection.json("presses")["complete"] == .bool(true))
        connection.end()
    }

    @Test func `a new question begins a new list`() throws {
        let connection = try connection()
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "send wrong")
        #expect(presses(connection) == [])
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "send buzz player=Bob")
        _ = connection.reply(to: "send buzz player=Cat")
        #expect(
            presses(connection) == ["Ann invalid +0", "Bob ok +0", "Cat noTransition +0"])
        // The list stays until a state that takes the event is entered again.
        _ = connection.reply(to: "send next")
        #expect(presses(connection).count == 3)
        _ = connection.reply(to: "send next")
        #expect(presses(connection) == [])
        connection.end()
    }

    @Test func `a limit keeps the first presses, and the answer counts the others`() throws {
        let connection = try connection()
        for player in ["Ann", "Bob", "Cat"] {
            _ = connection.reply(to: "send buzz player=\(player)")
        }
        let answer = connection.json("presses limit=2")
        #expect(answer["presses.1.by"] == .string("Bob"))
        #expect(answer["presses.2"] == nil)
        // Nothing was forgotten.
        #expect(answer["complete"] == .bool(true))
        #expect(answer["more"] == .int(1))
        #expect(connection.json("presses limit=3")["more"] == nil)
        connection.end()
    }

    @Test func `an event of another name is asked for by its name`() throws {
        let connection = try connection()
        _ = connection.reply(to: "send ring")
        #expect(connection.json("presses event=ring")["presses.0.result"] == .string("ok"))
        #expect(connection.reply(to: "presses event=rin").contains("unknownEvent"))
        connection.end()
    }

    @Test func `without a name, the presses are those of the buzzer of the present state`() throws {
        let text = """
            flow: two
            start: slow
            events:
              buzz: {args: {player: text}, buzz: true}
              slam: {args: {player: text}, buzz: true}
              next:
            states:
              slow: {on: {buzz: pause, next: fast}}
              fast: {on: {slam: pause, next: slow}}
              pause: {on: {next: slow}}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "two.yaml").flow
        let connection = try TestConnection([flow])
        _ = connection.reply(to: "send buzz player=Ann")
        _ = connection.reply(to: "send next")
        _ = connection.reply(to: "send next")
        #expect(presses(connection) == [])
        _ = connection.reply(to: "send slam player=Bob")
        // The pause takes neither; the list is that of the state before it.
        #expect(presses(connection) == ["Bob ok +0"])
        _ = connection.reply(to: "send next")
        #expect(presses(connection) == [])
        connection.end()
    }

    @Test func `a flow without a buzzer asks for the name of an event`() throws {
        let text = "flow: a\nstart: b\nevents: {go: }\nstates: {b: {on: {go: b}}}"
        let connection = try TestConnection([
            FlowFile(text: Array(text.utf8), file: "a.yaml").flow
        ])
        let reply = connection.reply(to: "presses")
        #expect(
            reply.contains("the flow a has no event that is a buzzer; name an event"), "\(reply)")
        connection.end()
    }
}
