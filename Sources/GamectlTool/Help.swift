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

    /// The maximum number of lines of the help of a verb: a screen.
    static let lineLimit = 40

    /// The help of a verb, such as `journal`, or of one of its forms, such as `journal check`: the forms with all sentences about
    /// them, and the options. If the verb has too many forms for a screen, it has only the first sentence about each, and no options.
    static func text(of topic: String) -> String {
        let verb = topic.prefix { $0 != " " }
        let forms = Verb.table.filter { $0.name == verb }.flatMap(\.forms)
            .filter { $0.begins(with: topic) }
        let options = CommandOption.table.filter { $0.verbs.contains(String(verb)) }.map(\.form)
        let optionText = options.isEmpty ? "" : "\n\nOptions:\n\(HelpText.options(options))"
        let sentences = forms.map { "gamectl \($0.text)\n\($0.sentence)" }
        let whole =
            zip(sentences, forms).map { $1.details.isEmpty ? $0 : "\($0)\n\($1.details)" }
            .joined(separator: "\n\n") + optionText
        guard whole.count(where: \.isNewline) >= lineLimit, let first = forms.first else {
            return whole
        }
        let example = first.text.split(separator: " ").prefix(2).joined(separator: " ")
        return
            "`gamectl help \(example)` says more about this form, and so for each other form.\n\n"
            + sentences.joined(separator: "\n")
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
