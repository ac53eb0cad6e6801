import Support
import Testing

@Suite struct DidYouMeanTests {
    @Test(arguments: [
        ("displayhelp", ["displayHelp"]), ("pasue", ["pause"]), ("chooseLevle", ["chooseLevel"]),
        ("xyz", []), ("", []), ("help", ["displayHelp", "dismissHelp"]),
    ])
    func `a slip or two is recognised`(_ word: String, _ meant: [String]) {
        let candidates = ["displayHelp", "dismissHelp", "pause", "chooseLevel", "chooseEpisode"]
        #expect(DidYouMean.suggest(word, candidates) == meant)
    }

    @Test func `at most three are suggested, the nearest first`() {
        #expect(DidYouMean.suggest("room-1", ["room-22", "room-2", "room-3", "room-4"]).count == 3)
        #expect(
            DidYouMean.suggest("room-22", ["room-2", "room-22x", "room-22"]).first == "room-22")
    }
}
