import Shell

extension Options {
    /// The text that `gamed --help` prints.
    static func help(flows: [String]) -> String {
        let limits = Limit.settable.map { ($0.setting ?? "", $0.sentence) }
        let lines = table.filter { !$0.isOption }.map { line in
            ("\(line.name) \(line.form.value ?? "")", "\(line.form.sentence) \(line.form.details)")
        }
        return """
            gamed: the referee of live games and app flows. It takes events at sockets and fires time-outs.

            Examples:
              gamed                                   run the game; clients find it at
                                                      \(SocketPath.standard)
              gamed --socket /tmp/g.sock              listen somewhere else
              gamed --config room.conf                serve a web page; `gamectl token add desk` makes its token:
                                                      http 127.0.0.1:8080
                                                      allow token:desk operate
              gamed --bluetooth sim:hall.radio        simulate buzzers; `gamectl bluetooth` shows them
              gamed --clock virtual                   move time only by `gamectl advance 90s`
              echo status | nc -N -U /tmp/g.sock      ask it; gamectl does the same

            Options:
            \(HelpText.options(table.filter(\.isOption).map(\.form)))

            Flows: \(flows.joined(separator: ", ")).

            Limits of --limit:
            \(HelpText.rows(limits))

            Lines of the configuration are these options without the dashes, and:
            \(HelpText.rows(lines))

            Signals: SIGTERM and SIGINT end the daemon cleanly; a second one ends it at once. SIGHUP reads rules,
            maps, limits, tokens and certificates again.
            Exit status: 0 ended cleanly, 1 could not run, 2 usage.
            """
    }
}
