import Shell

/// An option of the command line. To add one, add its row to `table`; parsing, the help, the manual and the shell
/// completions are derived.
struct CommandOption: Sendable {
    /// The option's name, value and texts, as the parser and the help need them.
    let form: LongOption
    /// The only verbs that have the option; empty if all verbs have it.
    let verbs: [String]

    /// `value` is the value as the help shows it, such as `PATH`; nil if the option takes no value. `defaultValue` is the
    /// default in words. `--help` prints `sentence`; the manual contains also `details`.
    private init(
        _ name: String, value: String? = nil, defaultValue: String? = nil, of verbs: [String] = [],
        _ sentence: String, details: String = ""
    ) {
        let list = verbs.map { "`\($0)`" }.joined(separator: ", ")
        let sentence =
            verbs.isEmpty
            ? sentence
            : "With \(list): \(sentence.prefix(1).lowercased())\(sentence.dropFirst())"
        form = LongOption(
            name, value: value, defaultValue: defaultValue, sentence, details: details)
        self.verbs = verbs
    }

    /// Every option, in the order of the help.
    static let table = [
        CommandOption(
            "socket", value: "PATH",
            defaultValue:
                "$GAMED_SOCKET, else the first that exists of $XDG_RUNTIME_DIR/gamed.sock and \(SocketPath.service)",
            "Connect to the daemon at this UNIX socket.",
            details: """
                If nothing listens there, no other socket is tried. $GAMED_SOCKET, if set, is used even if it does not
                exist. If more than one socket exists and none was named, a verb that changes something prints on
                standard error which socket it used.
                """),
        CommandOption(
            "session", value: "NAME", defaultValue: "main",
            "Use this session.",
            details: "`@NAME` after the verb takes precedence."),
        CommandOption(
            "json", "Print results and notifications as JSON lines; refusals go to standard error."),
        CommandOption(
            "timeout", value: "D",
            defaultValue: "5s, for `backup`, `journal prune`, `leaderboard` and `stats` 1h",
            "Give up if a reply takes longer."),
        CommandOption("state", value: "NAME", of: ["wait"], "Wait for this state."),
        CommandOption(
            "within", value: "D", defaultValue: "for ever", of: ["wait"],
            "Give up after this much real time."),
        CommandOption(
            "format", value: AnalysisOptions.formats.joined(separator: "|"),
            defaultValue: "mermaid",
            of: ["graph"],
            "Write the diagram in this language, or as a picture."),
        CommandOption("to", value: "STATE", of: ["paths"], "Show the paths to this state only."),
        CommandOption("scenario", of: ["paths"], "Write a scenario file."),
        CommandOption(
            "moves", value: "N|all", defaultValue: SearchEffort.defaults, of: SearchEffort.verbs,
            "End the search after this many moves.",
            details: """
                A move is an event that is sent, posted or deferred, or a timer that fires; the moves that lead back to a
                situation count, too. The same number of moves finds the same on every machine. `all` searches until
                nothing is left, which may take for ever.
                """),
        CommandOption(
            "complete", of: SearchEffort.verbs,
            "Exit with 6 also if something was not searched."),
        CommandOption(
            "coverage", of: ["test"], "Show what the scenarios exercised and what they did not."),
        CommandOption("flow", value: "FLOW|FILE", of: ["replay"], "Try this flow."),
        CommandOption(
            "yes", of: ["journal", "outputs"],
            "Confirm that `prune` or `forget` may remove rows permanently, or `outputs clear` messages."
        ),
        CommandOption(
            "state-dir", value: "DIR", of: ["journal"],
            "Erase from the journal of this directory, or from this backup."),
        CommandOption(
            "store", value: "URL", of: ["journal"], "Erase from the database at this URL."),
        CommandOption("dry-run", of: ["journal"], "Only show what `forget` would erase."),
        CommandOption("check", of: ["journal"], "Only show what `convert` would do."),
        CommandOption(
            "watch", of: ["sources"], "Show inputs that match no `map` line, until interrupted."),
        CommandOption(
            "url", of: ["token"],
            "Make a token that may be in the URL of `/v1/send`, and is valid only there."),
        CommandOption("as", value: "NAME", of: ["invite"], "Invite this person."),
        CommandOption(
            "role", value: "observe|play", of: ["invite"],
            "Give this role; play unless given, or observe for a wall or an overlay."),
        CommandOption(
            "event", value: "GLOB", of: ["invite"], "Allow only the events that match."),
        CommandOption("once", of: ["invite"], "Let only the first guest join."),
        CommandOption(
            "opens", value: "players|wall|overlay", defaultValue: "players", of: ["invite"],
            "Open this page."),
        CommandOption(
            "for", value: "D", defaultValue: "12h", of: ["invite"],
            "End the link, and the access of those who joined, after this time."),
        CommandOption(
            "config", value: "FILE", of: ["config", "doctor"],
            "Show what a daemon would use with this configuration, or examine this configuration."),
        CommandOption("help", "Print the verbs, options and examples."),
        CommandOption("version", "Print the version."),
    ]
}
