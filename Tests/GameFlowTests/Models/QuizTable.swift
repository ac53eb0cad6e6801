import GameFlow
import TestSupport

/// The table of the flow `Quiz`, and functions that make the data of its states.
extension NaiveModel.Table {
    static var quiz: NaiveModel.Table {
        NaiveModel.Table(
            states: ["lobby", "question", "locked", "reveal", "finished"],
            events: ["start", "buzz", "judge", "proceed", "abandon"],
            signals: ["timeUp", "tick", "answerTimedOut", "next"],
            finals: ["finished"],
            timers: [
                "question": [.countdown("timeUp", 20_000), .pendulum("tick", 1000)],
                "locked": [.countdown("answerTimedOut", 8000)],
                "reveal": [.countdown("next", 5000)],
            ],
            rows: [
                Row(["lobby"], ["start"], effect: "ask") { _, arguments in
                    guard case .int(let rounds) = arguments["rounds"], 1...20 ~= rounds else {
                        return nil
                    }
                    return question(round: 1, of: rounds, .object([]))
                },
                Row(["question"], ["buzz"], effect: "lock") { model, arguments in
                    let player = text(arguments, "player")
                    guard 1...32 ~= player.count, !playersOut(model).contains(.string(player))
                    else {
                        return nil
                    }
                    return Next(
                        state: "locked",
                        data: model.data + [
                            Member("player", player), Member("remainingMs", model.left("timeUp")),
                        ])
                },
                Row(["question"], ["timeUp"], effect: "reveal") { model, _ in
                    reveal(model, scores: model.data["scores"]!, player: nil, isCorrect: false)
                },
                .keep(["question"], ["tick"]),
                Row(["locked"], ["judge"]) { model, arguments in
                    let isCorrect = arguments["correct"] == .bool(true)
                    var next =
                        isCorrect
                        ? reveal(
                            model, scores: scoresAfterRightAnswer(model),
                            player: text(model.data, "player"), isCorrect: true)
                        : questionAgain(model)
                    next.effect = isCorrect ? "reveal" : "ask"
                    return next
                },
                Row(["locked"], ["answerTimedOut"], effect: "ask") { model, _ in
                    questionAgain(model)
                },
                Row(["reveal"], ["proceed", "next"]) { model, _ in
                    let (round, rounds) = (int(model, "round"), int(model, "rounds"))
                    let scores = model.data["scores"]!
                    var next =
                        round < rounds
                        ? question(round: round + 1, of: rounds, scores)
                        : Next(state: "finished", data: [Member("scores", scores)])
                    next.effect = round < rounds ? "ask" : "finish"
                    return next
                },
                Row(["question", "locked", "reveal"], ["abandon"], "lobby"),
            ],
            data: [
                "question": roundData(round: 1, of: 3) + [Member("out", .array([.string("bob")]))],
                "locked": roundData(round: 1, of: 3) + [
                    Member("out", .array([])), Member("player", "ann"), Member("remainingMs", 7000),
                ],
                "reveal": roundData(round: 1, of: 3) + [
                    Member("player", "ann"), Member("correct", true),
                ],
                "finished": [Member("scores", .object([]))],
            ],
            arguments: { event, random in
                switch event {
                case "start": [Member("rounds", random.pick([0, 1, 2, 3, 21]))]
                case "buzz": [Member("player", random.pick(["ann", "bob", "cy", ""]))]
                case "judge": [Member("correct", random.below(2) == 0)]
                default: []
                }
            },
            goodArguments: [
                "start": [Member("rounds", 2)], "buzz": [Member("player", "ann")],
                "judge": [Member("correct", true)],
            ])
    }

    /// The data that the states question, locked and reveal have in common.
    private static func roundData(round: Int, of rounds: Int, _ scores: Value = .object([]))
        -> [Member]
    {
        [Member("round", round), Member("rounds", rounds), Member("scores", scores)]
    }

    private static func question(
        round: Int, of rounds: Int, _ scores: Value, out: [Value] = [], left: Int? = nil
    ) -> Next {
        Next(
            state: "question",
            data: roundData(round: round, of: rounds, scores) + [Member("out", .array(out))],
            left: left)
    }

    /// The question after a wrong answer or none: the player is out, and the question's remaining time continues.
    private static func questionAgain(_ model: NaiveModel) -> Next {
        question(
            round: int(model, "round"), of: int(model, "rounds"), model.data["scores"]!,
            out: playersOut(model) + [model.data["player"]!], left: int(model, "remainingMs"))
    }

    private static func reveal(
        _ model: NaiveModel, scores: Value, player: String?, isCorrect: Bool
    ) -> Next {
        Next(
            state: "reveal",
            data: roundData(round: int(model, "round"), of: int(model, "rounds"), scores)
                + (player.map { [Member("player", $0)] } ?? []) + [Member("correct", isCorrect)])
    }

    private static func scoresAfterRightAnswer(_ model: NaiveModel) -> Value {
        guard case .object(var scores) = model.data["scores"] else { return .null }
        let player = text(model.data, "player")
        if let index = scores.firstIndex(where: { $0.name == player }),
            case .int(let points) = scores[index].value
        {
            scores[index] = Member(player, points + 1)
        } else {
            scores.append(Member(player, 1))
        }
        return .object(scores)
    }

    private static func playersOut(_ model: NaiveModel) -> [Value] {
        if case .array(let out) = model.data["out"] { out } else { [] }
    }

    private static func int(_ model: NaiveModel, _ name: String) -> Int {
        if case .int(let number) = model.data[name] { number } else { 0 }
    }
}
