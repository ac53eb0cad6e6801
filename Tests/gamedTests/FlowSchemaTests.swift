import TestSupport
import Testing

/// The JSON Schema of flow files, which a validator of another project applies.
@Suite struct FlowSchemaTests {
    /// Runs a command that may write files to `$d`, a temporary directory, and validates files. Returns a line for each file:
    /// `ok NAME`, or `bad NAME PATH`, where PATH leads to the first mistake in the file.
    private func validate(_ files: String, after command: String = "") -> [String] {
        ShellCommand.run(
            """
            d=$(mktemp -d); gamectl flow schema >$d/flow.schema.json
            \(command)
            .venv/bin/python Tests/gamedTests/Clients/flow_schema.py $d/flow.schema.json \(files)
            rm -r $d
            """
        ).split(separator: "\n").map(String.init)
    }

    @Test func `all example flows, and the output of gamectl flow new, are valid`() {
        let output = validate(
            "Examples/flows/*.yaml $d/new.yaml", after: "gamectl flow new mine >$d/new.yaml")
        #expect(
            output == [
                "ok game.yaml", "ok onboarding.yaml", "ok permissions.yaml", "ok quiz.yaml",
                "ok registration.yaml", "ok startup.yaml", "ok vault.yaml", "ok new.yaml",
            ])
    }

    /// Parts of flow files with a mistake, and the path in the file at which the validator reports it. Mistakes that a schema
    /// cannot find, such as an unknown state, are left out.
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

    @Test func `mistakes in the structure of a flow file are found with their paths`() throws {
        var writeFiles = ""
        for (number, (text, _)) in Self.mistakes.enumerated() {
            writeFiles += "cat >$d/\(number).yaml <<'END'\nflow: f\nstart: a\n\(text)\nEND\n"
        }
        let files = Self.mistakes.indices.map { "$d/\($0).yaml" }.joined(separator: " ")
        let output = validate(files, after: writeFiles)
        #expect(output.count == Self.mistakes.count, "\(output)")
        for ((number, (text, path)), line) in zip(Self.mistakes.enumerated(), output) {
            #expect(line.hasPrefix("bad \(number).yaml \(path)"), "\(text): \(line)")
        }
    }
}
