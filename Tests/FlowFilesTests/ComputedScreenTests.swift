import GameFlow
import Testing

@testable import FlowFiles

/// The texts of `show` that depend on data.
@Suite struct ComputedScreenTests {
    private static let round = """
        flow: round
        start: ask
        settings: {host: Ann}
        data: {score: integer = 0}
        events: {right: , done: }
        states:
          ask:
            data: {n: integer = 1, hint: optional text}
            show:
              title: ='Question ' + text(n)
              text: ='From ' + settings.host
              picture: ='q' + text(n) + '.png'
              sound: "=given(hint, '')"
            on:
              right: {with: {n: =n + 1, score: =score + 10}}
              done: over
          over:
            show: {text: =text(100 / score) + ' %'}
        """

    private func flow(_ settings: [Member] = []) throws -> AnyFlow {
        try flowFile(Self.round).flow.with(settings: settings)
    }

    private func screen(_ flow: AnyFlow, _ state: String, _ data: [Member]) -> [Member]? {
        flow.clientView?.screen(StateRecord(state, data))?.members
    }

    @Test func `the texts follow the data and the settings, and an empty text shows nothing`()
        throws
    {
        let expected = [
            Member("title", "Question 3"), Member("text", "From Bob"), Member("picture", "q3.png"),
        ]
        let flow = try flow([Member("host", "Bob")])
        #expect(screen(flow, "ask", [Member("n", 3), Member("score", 0)]) == expected)
    }

    @Test func `a text that cannot be computed is left out`() throws {
        #expect(try screen(flow(), "over", [Member("score", 0)]) == [])
        #expect(try screen(flow(), "over", [Member("score", 20)]) == [Member("text", "5 %")])
        let failed = StateRecord("over", [Member("score", 0)])
        #expect(try flow().clientView?.screen(failed)?.failures == ["text"])
    }

    @Test func `a step shows the screen that it changes`() throws {
        let view = try #require(try flow().clientView)
        let states = [1, 2].map { StateRecord("ask", [Member("n", $0), Member("score", 0)]) }
        let right = EventRecord("right")
        #expect(
            view.newScreen(after: Step(.keep, right, from: .timer, states[0], states[0])) == nil)
        let changed = view.newScreen(after: Step(.keep, right, from: .timer, states[0], states[1]))
        #expect(changed?.members.first == Member("title", "Question 2"))
        #expect(view.newScreen(after: Step(.open, from: .timer, nil, states[0])) != nil)
    }

    @Test func `a flow whose screens do not depend on data computes nothing`() throws {
        let file = try flowFile(
            "flow: f\nstart: a\nstates:\n  a: {show: {title: Hello, picture: a.png}}\n")
        #expect(file.flow.clientView == nil)
        let state = file.flow.presentation.states["a"]
        #expect(state?.screenTitle == "Hello")
        #expect(state?.picture == "a.png")
    }

    @Test(arguments: [
        ("show: {text: =n}", "10:19: expected text, but this is integer"),
        ("show: {text: =name}", "10:19: there is no name name here"),
        ("show: {picture: ../x}", "10:21: \"../x\" is not a file in the media directory"),
    ])
    func `a wrong text is a mistake`(_ line: String, _ start: String) {
        let found = findings(
            flowText("  data: {n: integer = 0}\n  \(line)\n  on: {stop: b}"))
        #expect(found.first?.hasPrefix(start) == true, "\(found)")
    }

    @Test func `a text of a journal reads tables as the file did`() throws {
        let text = """
            flow: f
            start: a
            languages: [en, de]
            tables:
              q: {columns: {ask: text}, file: q.csv}
            states:
              a: {show: {text: {en: "=q[1].ask", de: "='Frage: ' + q[1].ask"}}}
            """
        let tableFile = FlowSource.TableFile(name: "q.csv", bytes: Array("ask\nWhy?\n".utf8))
        let source = FlowSource(
            version: "1", text: Array(text.utf8), tableFiles: [tableFile])
        let flow = try FlowFile.flow(of: source)
        #expect(screen(flow, "a", []) == [Member("text", "Why?")])
        let german = try flow.with(settings: [Member("language", "de")])
        #expect(screen(german, "a", []) == [Member("text", "Frage: Why?")])
        #expect(german.source?.tableFiles == [tableFile])
    }

    private static let speech = """
        flow: speech
        start: a
        effects: [say, play, show]
        events: {go: {q: integer}, volume: {q: integer}, clip: {q: integer}, show: {q: integer}, next: {q: integer}}
        states:
          a:
            leave: [say: {text: "='bye ' + text(6 / event.q)"}]
            on:
              go: {do: [say: {text: "=text(6 / q)", for: 5s}, play: {sound: "=text(6 / q) + '.ogg'"}]}
              volume: {do: [play: {sound: a.ogg, volume: =6 / q}]}
              clip: {do: [play: {clip: "=text(6 / q)"}]}
              show: {do: [show: {text: "=text(6 / q)"}]}
              next: b
          b: {data: {z: integer = 0}, enter: [say: {text: "=text(1 / z)"}]}
        """

    @Test func `a text of say or play that cannot be computed is left out, and refuses nothing`()
        throws
    {
        let game = try PlayedFlow(Self.speech)
        #expect(game.send("go", Member("q", 0)) == "a")
        #expect(game.effects.map(\.name) == ["say", "play"])
        #expect(game.effects.map(\.arguments) == [[Member("for", "5s")], []])
        #expect(game.effects.map(\.unshown) == [["text"], ["sound"]])
        #expect(game.steps.last?.hasSharedEffects == false)
        #expect(game.send("go", Member("q", 2)) == "a")
        #expect(game.effects[0].arguments == [Member("text", "3"), Member("for", "5s")])
        #expect(game.effects.flatMap(\.unshown) == [])
        #expect(game.send("next", Member("q", 0)) == "b")
        #expect(game.effects.map(\.unshown) == [["text"], ["text"]])
    }

    @Test func `what is no text of say or play refuses the event if it cannot be computed`() throws
    {
        let game = try PlayedFlow(Self.speech)
        #expect(
            game.send("volume", Member("q", 0)) == "invalid: volume: division by zero")
        #expect(game.send("clip", Member("q", 0)) == "invalid: clip: division by zero")
        #expect(game.send("show", Member("q", 0)) == "invalid: text: division by zero")
    }

    /// Until 0.1, players saw such a text as it stands.
    @Test func `a recorded text that is no expression stands as it is`() throws {
        let text = "flow: f\nstart: a\nstates:\n  a: {show: {text: '= 5 points'}}\n"
        #expect(!findings(text).isEmpty)
        let flow = try FlowFile.flow(of: FlowSource(version: "1", text: Array(text.utf8)))
        #expect(flow.presentation.states["a"]?.text == "= 5 points")
    }
}
