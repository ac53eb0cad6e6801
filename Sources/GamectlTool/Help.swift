import Shell

/// The text that `--help` prints.
enum Help {
    static var text: String {
        """
        gamectl: talks to gamed, the referee of live games and app flows.

        Examples:
          gamectl status                              show session main and the events that it accepts
          gamectl send startPlaying                   send an event
          gamectl send chooseEpisode episode=2        send an event with an argument
          gamectl send id=k1 @room-1 pause            send an event to another session, at most once for the id k1
          gamectl open @room-2 playingLevel episode=1 level=2
          gamectl watch                               follow session main and its countdowns
          gamectl wait --state finishedLevel --within 2m && echo over
          gamectl timer timeUp extend by=30s
          gamectl advance 30s                         move the clock of a daemon with --clock virtual
          gamectl --json list flow=game               print the result as JSON, for programs
          gamectl test Examples/scenarios/*.scenario  run scenarios in virtual time
          gamectl graph quiz --format svg >quiz.svg   draw a flow

        Usage: gamectl [OPTIONS] VERB [@SESSION] [KEY=VALUE …] WORD … [KEY=VALUE … | {JSON}]
        A KEY=VALUE before the event's name is a parameter of the verb (`send id=k1 pause`); after it, an
        argument of the event (`send chooseLevel level=3`). After a state's name it is a datum of the state. Values
        are read by the flow's types: `code=4711` is a text if `code` is a text.

        \(Verb.Group.allCases.map(verbs).joined(separator: "\n\n"))

        Options:
        \(HelpText.options(CommandOption.table.map(\.form)))

        Exit status: 0 done, 1 refused, 2 usage, 3 cannot connect, 4 timed out, 5 protocol error,
        6 a check failed.
        """
    }

    /// The help of one verb: its forms with all sentences about them, and its options.
    static func text(of verb: String) -> String {
        let forms = Verb.table.filter { $0.name == verb }.flatMap(\.forms)
        let texts = forms.map { form in
            let details = form.details.isEmpty ? "" : "\n" + form.details
            return "gamectl \(form.text)\n\(form.sentence)\(details)"
        }
        let options = CommandOption.table.filter { $0.verbs.contains(verb) }.map(\.form)
        let optionText = options.isEmpty ? "" : "\n\nOptions:\n\(HelpText.options(options))"
        return texts.joined(separator: "\n\n") + optionText
    }

    /// The column at which the sentences about the verbs begin.
    private static let sentenceColumn = 31

    /// The title of a group, and its verbs with their sentences.
    private static func verbs(_ group: Verb.Group) -> String {
        let forms = Verb.table.filter { $0.group == group }.flatMap(\.forms)
        return "\(group.title):\n"
            + HelpText.rows(forms.map { ($0.text, $0.sentence) }, column: sentenceColumn)
    }
}
