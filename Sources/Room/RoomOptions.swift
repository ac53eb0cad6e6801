import Cluster
package import Parts
import Shards

/// The settings of the devices of the room: lines that exist only in the configuration, and the option `outputs`.
package struct RoomOptions: OptionSection {
    /// The connections to the devices of the room.
    package var connections: [ConnectionLine] = []
    /// The `map` lines about the inputs of the connections.
    package var inputs: [InputMap] = []
    /// All `on` lines.
    package var onLines = OnLines()
    /// The names of nodes, by the name of a connection. A connection has an entry if its line contains `node=NAME`.
    package var connectionNodes: [String: String] = [:]
    /// When outputs are sent.
    enum OutputSending {
        case withRealClock, always, never
    }

    var outputSending = OutputSending.withRealClock

    package init() {}
    /// The `on` lines that send something to a device or a program.
    package var outputLines: [OutputLine] { onLines.outputs }
    /// The `on` lines that open another session or send an event to another session.
    package var links: [LinkLine] { onLines.links }

    package static let table: [Option] =
        connectionRows + [
            Option(
                "on", value: OnDirective.form,
                "Send something when a session asks for an effect, enters a state, or refuses an event, or when an alert begins.",
                details: """
                    Instead of `\(RoomKinds.outputs[0].word)=`, write \(otherForms). To send an event to another session, write `send=@SESSION EVENT [args=JSON]`; to open a session,
                    `open=SESSION [flow=FLOW]`. The texts can contain `$args.X`, `$data.X`, `$label.X`, `$session`, `$state` and
                    `$effect`, after `alert` `$alert.kind`, `$alert.name` and `$alert.text`; `$data.X.ms` is a duration in milliseconds. With `node=NAME`, only that node uses the line; the same holds for lines of connections and inputs.
                    """,
                reader: .line { options, line, file, flows throws(ConfigurationError) in
                    if LinkDirective.isAboutSession(line) {
                        options.room.onLines.append(
                            .link(try LinkDirective.read(line, in: file, flows)))
                    } else {
                        options.room.onLines.append(
                            .output(
                                try OnDirective.read(
                                    line, in: file, others: options.room.outputLines)))
                    }
                },
                reload: {
                    ($0.room.onLines, $0.room.connectionNodes) = (
                        $1.room.onLines, $1.room.connectionNodes
                    )
                }),
            Option(
                "outputs", value: "on|off", "Send the outputs that `on` lines describe.",
                details: "The default is `on` with the real clock and `off` with the virtual one.",
                reader: .choice { $0.room.outputSending = $1 == "on" ? .always : .never }),
        ]

    /// What a line can contain instead of the first kind of target.
    private static let otherForms = RoomKinds.alternatives(
        RoomKinds.outputs.dropFirst().map { $0.form })

    /// The lines of the connections.
    private static let connectionRows: [Option] = RoomKinds.connections.map { kind in
        Option(
            kind.word, value: "\(kind.form) \(ConnectionDirective.commonForm)", kind.sentence,
            details: kind.details,
            reader: .line { options, line, file, _ throws(ConfigurationError) in
                options.room.connections.append(
                    try ConnectionDirective.read(
                        kind, line, in: file, others: options.room.connections))
            }, reload: { $0.room.connections = $1.room.connections })
    }

    package func reacts(toEffect name: String) -> Bool { onLines.react(toEffect: name) }

    /// An `on` line must not name a node if any node can send its outputs, such as an HTTP request. The node that owns the session
    /// sends them.
    package func contradictions(in options: Options) -> [Contradiction] {
        guard options.store.database != nil else { return [] }
        var words: Set<String> = []
        return outputLines.compactMap { line in
            let word = type(of: line.target).word
            guard line.node != nil, !(line.target is any RelayableTarget),
                words.insert(word).inserted
            else { return nil }
            return Contradiction(
                "store", and: [],
                "--store with a URL: a line `on … \(word)=` must not have node=: "
                    + "the node that owns the session sends the request")
        }
    }
}

extension Options {
    /// The lines of the connections that this node opens. The option `advertise` is set if nodes share a database. Each of
    /// these nodes opens the connections of lines without `node=`.
    var ownConnections: [ConnectionLine] {
        guard node.advertise != nil else { return room.connections }
        return room.connections.map {
            room.connectionNodes[$0.name] == nil ? $0.ofNode(node.name) : $0
        }
    }

    package var room: RoomOptions {
        get { self[RoomOptions.self] }
        _modify { yield &self[RoomOptions.self] }
    }
}
