import TestSupport
import Testing

/// The JSON Schema of flow files, with a validator of another project.
@Suite struct FlowSchemaTests {
    private func validate(_ files: String, before: String = "") -> [String] {
        ShellCommand.run(
            """
            d=$(mktemp -d); gamectl flow schema >$d/flow.schema.json
            \(before)
            .venv/bin/python Tests/gamedTests/Clients/flow_schema.py $d/flow.schema.json \(files)
            rm -r $d
            """
        ).split(separator: "\n").map(String.init)
    }

    @Test func `every example and the file that flow new writes are valid`() {
        let output = validate(
            "Examples/flows/*.yaml $d/new.yaml", before: "gamectl flow new mine >$d/new.yaml")
        #expect(
            output == [
                "ok game.yaml", "ok onboarding.yaml", "ok permissions.yaml", "ok quiz.yaml",
                "ok registration.yaml", "ok startup.yaml", "ok vault.yaml", "ok new.yaml",
            ])
    }

    /// The mistakes and their places, except those that a schema cannot find, such as an unknown state.
    private static let mistakes = [
        ("states:\n  a: {final: true, timers: {t: {after: 1s}}}", "states/a"),
        ("states: {a: }\nevent: {go: }", ""),
        ("states:\n  a: {onn: {go: a}}", "states/a"),
        ("states:\n  a: {timers: {t: {after: 1s, every: 2s}}}", "states/a/timers/t"),
        ("states:\n  a: {timers: {t: {}}}", "states/a/timers/t"),
        ("states:\n  a: {timers: {t: {after: 1s, restart: never}}}", "states/a/timers/t/restart"),
        ("states:\n  a: {data: {n: number}}", "states/a/data/n"),
        ("states: {a: }\nevents: {go: {n: integer = 5}}", "events/go/n"),
        ("states:\n  a: {on: {go: {do: beep, else: a}}}", "states/a/on/go"),
        ("states:\n  a: {on: {go: {to: a, pause: t}}}", "states/a/on/go"),
        ("states:\n  a: {on: {go: {refuse: true, to: a}}}", "states/a/on/go"),
        ("states:\n  a: {on: {go: {left: {t: 5s}}}}", "states/a/on/go"),
        ("states:\n  a: {on: {go: []}}", "states/a/on/go"),
        ("states:\n  1a: ", "states"),
        ("states: {a: {hidden: true}}", "states/a/hidden"),
        ("states: {a: }\nalways: [{why: not}]", "always/0"),
        ("states: {a: }\nsettings: {time: }", "settings/time"),
        ("states: {a: }\nevents: {go: {title: Go on}}", "events/go/title"),
    ]

    @Test func `mistakes of form are found with their places`() throws {
        var files = ""
        for (number, (text, _)) in Self.mistakes.enumerated() {
            files += "cat >$d/\(number).yaml <<'END'\nflow: f\nstart: a\n\(text)\nEND\n"
        }
        let names = Self.mistakes.indices.map { "$d/\($0).yaml" }.joined(separator: " ")
        let output = validate(names, before: files)
        #expect(output.count == Self.mistakes.count, "\(output)")
        for ((number, (text, place)), line) in zip(Self.mistakes.enumerated(), output) {
            #expect(line.hasPrefix("bad \(number).yaml \(place)"), "\(text): \(line)")
        }
    }
}
