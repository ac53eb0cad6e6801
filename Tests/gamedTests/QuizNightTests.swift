import TestSupport
import Testing

/// Examples/quiz-night, as docs/quiz-night.md describes it.
@Suite struct QuizNightTests {
    @Test func `six simulated phones play the quiz to its end`() {
        let output = ShellCommand.run(
            "BUILD=$(dirname $(command -v gamed)) Scripts/quiz 7 2>&1")
        let lines = output.split(separator: "\n")
        #expect(lines.first == "seed 7", "\(output)")
        #expect(lines.filter { $0.hasPrefix("Question ") }.count == 4, "\(output)")
        #expect(lines.contains("The final score"), "\(output)")
        for player in ["Ann", "Bob", "Cat", "Dan", "Eve", "Fay"] {
            #expect(lines.suffix(6).contains { $0.hasSuffix(" \(player)") }, "\(output)")
        }
    }

    @Test func `the configuration, the scenario and the files of the quiz have no mistakes`() {
        let output = ShellCommand.run(
            """
            gamed --check --config Examples/quiz-night/gamed.conf && echo checked
            gamectl flow check Examples/quiz-night/quiz-night.yaml
            gamectl test Examples/quiz-night/quiz-night.scenario | grep -c '^ok'
            """)
        #expect(
            output == """
                checked
                Examples/quiz-night/quiz-night.yaml: flow quiz-night, no mistakes
                4

                """)
    }
}
