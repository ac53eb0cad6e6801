import FlowAnalysis
import GameFlow
import ShippedFlows
import Testing

/// Diagrams of `ExampleFlow`, whose table `rows` says what each state does for each event and signal. `.wait` defers the event.
@Suite struct DiagramTests {
    @Test func `Mermaid shows transitions, timers, deferred events and final states`() {
        let flow = ExampleFlow.with { $0.rows["c call"] = .wait }
        #expect(
            Diagram(flow).text(.mermaid) == """
                stateDiagram-v2
                    [*] --> a
                    a --> b: go
                    a --> c: leap
                    a --> a: call (stays)
                    b --> end: stop
                    b --> a: back, ⏱ over 10 s
                    b --> b: ♩ beat each 1 s
                    c --> a: back
                    note right of c
                        call waits
                    end note
                    end --> [*]

                """)
    }

    @Test func `DOT draws transitions on timers dashed`() {
        let dot = Diagram(AnyFlow(ExampleFlow())).text(.dot)
        #expect(dot.contains("\"b\" [label=\"b\\nover after 10 s\\nbeat each 1 s\"]"))
        #expect(dot.contains("\"b\" -> \"a\" [label=\"over\", style=dashed]"))
        #expect(dot.contains("\"b\" -> \"a\" [label=\"back\"]"))
        #expect(dot.contains("\"a\" -> \"a\" [label=\"call\\n(stays)\"]"))
        #expect(dot.contains("\"end\" [label=\"end\", peripheries=2]"))
        #expect(dot.contains("\"\" -> \"a\""))
    }

    @Test func `DOT draws the loops of timers below a state, and those of events above it`() {
        let flow = ExampleFlow.with {
            $0.rows["b call"] = .keep(nil)
            $0.rows["b leap"] = .enter(.b)
            $0.rows["b over"] = .enter(.b)
        }
        let loops = Diagram(flow).text(.dot).split(separator: "\n").filter {
            $0.contains("\"b\" -> \"b\"")
        }
        #expect(
            loops == [
                #"    "b" -> "b" [label="call\n(stays)\nleap"]"#,
                #"    "b" -> "b" [label="over\nbeat", style=dashed, tailport=s, headport=s]"#,
            ])
    }

    @Test func `SCXML has timers as delayed sends that onexit cancels`() {
        let scxml = Diagram(AnyFlow(ExampleFlow())).text(.scxml)
        #expect(scxml.contains("initial=\"a\""))
        #expect(scxml.contains("<send id=\"b.over\" event=\"over\" delay=\"10s\"/>"))
        #expect(scxml.contains("<cancel sendid=\"b.over\"/>"))
        #expect(scxml.contains("<transition event=\"over\" target=\"a\"/>"))
        #expect(
            scxml.contains(
                """
                    <transition event="beat">
                      <send id="b.beat" event="beat" delay="1s"/>
                    </transition>
                """))
        #expect(scxml.contains("<transition event=\"call\" gamed:effects=\"light\"/>"))
        #expect(scxml.contains("<final id=\"end\"/>"))
    }

    @Test func `a transition that depends on an argument shows the argument`() {
        let quiz = Diagram(AnyFlow(Quiz())).text(.mermaid)
        #expect(quiz.contains("locked --> reveal: judge correct=true\n"))
        #expect(quiz.contains("locked --> question: judge correct=false, ⏱ answerTimedOut 8 s\n"))
        #expect(quiz.contains("question --> locked: buzz\n"))
    }

    @Test func `a signal that no timer of the state sends is not drawn`() {
        let flow = ExampleFlow.with { $0.rows["c over"] = .enter(.end) }
        for format in Diagram.Format.allCases {
            #expect(Diagram(flow).text(format) == Diagram(AnyFlow(ExampleFlow())).text(format))
        }
    }
}

/// A diagram does not show secret samples of arguments. The code that opens one of the `Locks` has the secret samples NORTH and
/// 1911.
@Suite struct DiagramSecretTests {
    @Test(arguments: Diagram.Format.allCases)
    func `secret samples are in no diagram`(_ format: Diagram.Format) {
        let text = Diagram(AnyFlow(Locks())).text(format)
        #expect(text.contains("solve"))
        #expect(text.contains("escaped"))
        #expect(!text.contains("NORTH") && !text.contains("1911"), "\(text)")
    }
}
