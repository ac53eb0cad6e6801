import GameFlow
import Testing

@testable import FlowAnalysis
@testable import FlowFiles

/// How scenarios write sets and tallies.
@Suite struct ScenarioCollectionTests {
    private func failure(_ lines: String) throws -> String? {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {add: {item: text, n: integer}}
            states:
              a:
                data: {done: set = none, points: tally = none}
                on: {add: {with: {done: =done + item, points: "=add(points, item, n)"}}}
            """
        ).flow
        let reader = ScenarioReader(Array("flow f\n\(lines)\n".utf8), file: "f", flows: [flow])
        if let error = reader.errors.first { return error.sentence }
        return ScenarioRun(try #require(reader.scenarios.first)).failure.map {
            "expected \($0.expected), was \($0.was)"
        }
    }

    @Test(arguments: ["none", "[]"])
    func `an empty set or tally is none, or JSON`(_ empty: String) throws {
        #expect(try failure("expect a done=\(empty)") == nil)
        #expect(try failure("open f state=a done=\(empty)\nexpect a done=[]") == nil)
        #expect(try failure("expect a points=none") == nil)
        #expect(try failure("expect a points={}") == nil)
    }

    @Test(arguments: [
        "[radio,chart]", "[radio, chart]", "['radio', chart]", #"["radio","chart"]"#,
        #"'["radio","chart"]'"#, "'[radio, chart]'",
    ])
    func `a set is written as in a flow file, or as JSON`(_ set: String) throws {
        #expect(try failure("open f state=a done=\(set)\nexpect a done=\(set)") == nil)
        let sends = "send add item=radio n=1\nsend add item=chart n=2"
        #expect(try failure("\(sends)\nexpect a done=\(set)") == nil)
        #expect(try failure("open f state=a done=\(set)\nexpect a done=[radio]") != nil)
    }

    @Test func `digits are a text in a set`() throws {
        #expect(try failure("send add item=451 n=1\nexpect a done=[451]") == nil)
        #expect(try failure("send add item=0451 n=1\nexpect a done=[0451]") == nil)
    }

    @Test func `a tally is JSON`() throws {
        #expect(try failure("send add item=ann n=2\n" + #"expect a points={"ann":2}"#) == nil)
    }
}
