/// The part of `Options.table` for the devices of the room: lines that exist only in the configuration, and the option
/// `outputs`.
extension Option {
    /// The line `on`, and `outputs`, which is an option and a line.
    static let outputs: [Option] = [
        Option(
            "on", value: OnDirective.form,
            "Send something when a session asks for an effect, enters a state, or refuses an event.",
            details: """
                Instead of `mqtt=`, write `osc=NAME to=ADDRESS:PORT address=TEXT [args=JSON]`, `serial=NAME line=TEXT`,
                `http=URL [secret-file=FILE] [allow-special=yes] [method=GET|POST|PUT] [header="NAME: VALUE"] [body=TEXT]`
                or `run=PATH`. To send an event to another session, write `send=@SESSION EVENT [args=JSON]`; to open a session,
                `open=SESSION [flow=FLOW]`. The texts can contain `$args.X`, `$data.X`, `$label.X`, `$session`, `$state` and
                `$effect`. With `node=NAME`, only that node uses the line; the same holds for lines of connections and inputs.
                """,
            reader: .line {
                options, line, file, flows throws(ConfigurationFile.ConfigurationError) in
                if LinkDirective.isAboutSession(line) {
                    options.onLines.append(.link(try LinkDirective.read(line, in: file, flows)))
                } else {
                    options.onLines.append(
                        .output(try OnDirective.read(line, in: file, others: options.outputLines)))
                }
            },
            reload: {
                ($0.onLines, $0.connectionNodes) = ($1.onLines, $1.connectionNodes)
            }),
        Option(
            "outputs", value: "on|off", "Send the outputs that `on` lines describe.",
            details: "The default is `on` with the real clock and `off` with the virtual one.",
            reader: .choice { $0.sendsOutputs = $1 == "on" }),
    ]

    /// The lines `mqtt`, `osc`, `serial` and `evdev`.
    static let connections: [Option] = ConnectionLine.Kind.allCases.map { kind in
        let texts: [ConnectionLine.Kind: (sentence: String, details: String)] = [
            .mqtt: (
                "Connect to an MQTT 3.1.1 broker.",
                "The password file must have the mode 0600 or stricter."
            ),
            .osc: ("Receive OSC messages over UDP at this numeric address.", ""),
            .serial: (
                "Read lines of text from a serial device, by default at 9600 baud.",
                "gamed opens the device again after it was unplugged and plugged in."
            ),
            .evdev: (
                "Read the keys of an input device, by its path or by a pattern for its name.",
                "With `grab=yes`, no other program gets the keys of the device."
            ),
        ]
        let (sentence, details) = texts[kind] ?? ("", "")
        return Option(
            kind.rawValue, value: ConnectionDirective.forms[kind], sentence, details: details,
            reader: .line { options, line, file, _ throws(ConfigurationFile.ConfigurationError) in
                options.connections.append(
                    try ConnectionDirective.read(kind, line, in: file, others: options.connections))
            }, reload: { $0.connections = $1.connections })
    }
}
