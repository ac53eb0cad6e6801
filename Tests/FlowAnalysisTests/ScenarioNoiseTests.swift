import FlowAnalysis
import GameFlow
import ShippedFlows
import TestSupport
import Testing

/// The reader refuses or accepts random scenario files, and neither the reader nor a run traps.
@Suite struct ScenarioNoiseTests {
    private static let words = [
        "scenario", "flow", "open", "send", "refuse", "after", "expect", "pause", "resume",
        "extend",
        "restart", "goto", "game", "quiz", "startup", "state=playingLevel", "episode=1", "level=2",
        "startPlaying", "chooseEpisode", "timeUp", "tick", "with", "noTransition", "everything",
        "but",
        "timer", "no", "effects", "deferred", "accepts", "10y", "9999d", "30s", "0s", "{", "{}",
        "{\"a\":[",
        "\"", "'", "\\", "=", "a=b=c", "rounds=2", "buzz", "player=x", "start", "paused",
        "remainingMs=9007199254740991", "-1", "finished", "question", "{\"round\":1,\"rounds\":99}",
        ",", "é",
        "correct=true", "judge", "proceed", "abandon", "introduction", "deepLink", "link=a://b",
    ]

    @Test(arguments: seeds(300)) func `random words neither trap nor hang`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        var text = random.below(2) == 0 ? "flow \(random.pick(["game", "quiz", "startup"]))\n" : ""
        for _ in 0..<random.below(40) {
            let count = 1 + random.below(5)
            text += (0..<count).map { _ in random.pick(Self.words) }.joined(separator: " ") + "\n"
        }
        let reader = ScenarioReader(Array(text.utf8), file: "noise", flows: AnyFlow.shipped())
        for scenario in reader.scenarios { _ = ScenarioRun(scenario) }
        for error in reader.errors {
            #expect(error.line >= 1 && error.column >= 1, "seed \(seed): \(error.sentence)")
        }
    }
}
