internal import FlowAnalysis
internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Timers

/// The methods of the protocol. The names are the same in JSON-RPC and in the text dialect.
///
/// To add a method, add its case and its row here, and its handler to the dispatcher. Dispatch, the
/// validation of parameters, the text dialect, roles, gamectl's verbs and the tables of the
/// documentation are derived from the rows.
public enum Method: UInt8, CaseIterable, Sendable {
    case hello, ping, auth, send, status, list, open, close, watch, unwatch, timer, goto, advance,
        describe, graph, history, backup, prune, token, bluetooth, label, say, move, flows,
        undo, outputs, sources, nodes, invite, screens, stats, leaderboard, alerts, reload, presses,
        clients, config

    /// Executes a call of a method, and writes the result to the writer if the result is available immediately. The number
    /// `row` in a `CallOutcome` is the number of the journal row that must be durable before the reply is sent.
    typealias Handler =
        @Sendable (Dispatcher, borrowing Params, any Caller, inout JSONWriter) throws(CallError) ->
        CallOutcome

    /// A row of the table of methods.
    struct Row: Sendable {
        /// The role that a caller needs to call the method; nil if no role is needed.
        let role: Role?
        /// Whether the handler checks the role, and the dispatcher does not, because the needed role depends on the session or
        /// on other parameters. Unless given, true for the methods with a parameter `session`.
        let handlerChecksRole: Bool
        /// The required parameters.
        let requiredParameters: ParameterSet
        /// The required and the optional parameters.
        let allParameters: ParameterSet
        /// The uses of the parameters, in the order of the documentation.
        let parameters: [ParameterUse]
        /// The parameters that the positional words of the text dialect stand for, in order.
        let words: [Parameter]
        /// In the text dialect, the pairs `key=value` after the positional words become the members of this parameter, an
        /// object.
        let collectingParameter: Parameter?
        /// One imperative sentence that says what the method does.
        let sentence: String
        /// Further information for clients.
        let details: String
        /// The description of the result, in Markdown, for docs/protocol.md.
        let result: String
        /// The members of the result's JSON schema. `@Name` stands for a member `$ref` that refers to the schema `Name` of
        /// openapi.json. `@@Name` stands for an object that has only this member.
        let resultSchema: String
        /// Further members of the JSON schema of the parameters. They say, for example, which parameters exclude each other.
        let rules: String
        /// Whether a request without parameters is refused.
        let needsParameters: Bool
        /// Nil for a method that a part of the daemon carries out (`PartMethod`).
        let handler: Handler?

        init(
            _ role: Role?, _ sentence: String, details: String = "",
            _ parameters: [ParameterUse] = [], rules: String = "", words: [Parameter] = [],
            collectingParameter: Parameter? = nil, result: String, schema: String,
            handlerChecksRole: Bool? = nil,
            needsParameters: Bool = false, handler: Handler? = nil
        ) {
            (self.role, self.sentence, self.details) = (role, sentence, details)
            (self.parameters, self.rules, self.words) = (parameters, rules, words)
            (self.collectingParameter, self.result, resultSchema) = (
                collectingParameter, result, schema
            )
            self.handler = handler
            requiredParameters = ParameterSet(parameters.filter(\.isRequired).map(\.parameter))
            allParameters = ParameterSet(parameters.map(\.parameter))
            self.needsParameters = needsParameters || parameters.contains(where: \.isRequired)
            self.handlerChecksRole = handlerChecksRole ?? allParameters.contains(.session)
        }
    }

    /// Makes the row of the method. `.needs` stands for a required parameter, `.takes` for an optional one.
    private func makeRow() -> Row {
        switch self {
        case .hello:
            Row(
                .observe, "Show the daemon's version, limits, flows and methods.",
                [.takes(.redirects)],
                result: "about the daemon", schema: "@About"
            ) { dispatcher, params, caller, writer in
                dispatcher.hello(params, caller, &writer)
                return .succeeded
            }
        case .ping:
            Row(
                .observe, "Check that the daemon responds.", result: "`{\"pong\":true}`",
                schema: "@Pong"
            ) { dispatcher, _, caller, writer in
                dispatcher.ping(caller, &writer)
                return .succeeded
            }
        case .auth:
            Row(
                nil, "Present a token; the connection then has its rights.",
                details:
                    "Over HTTP, the token applies only to the requests that follow this request in the same batch. Use a bearer token or sign in instead.",
                [.needs(.token)], words: [.token],
                result:
                    "`{\"role\"}`: this connection's role, or null if no rule names the token",
                schema: "@Admission"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.auth(params, caller, &writer)
                return .succeeded
            }
        case .send:
            Row(
                .play, "Send an event to a session.",
                [
                    .takes(.session), .needs(.event), .takes(.args), .takes(.id), .takes(.ageMs),
                    .takes(.entry),
                ], words: [.event], collectingParameter: .args,
                result:
                    "the [change](#a-change); begins with `\"deferred\":true` if the event is deferred to a later state",
                schema: "@Sent"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.send(params, caller, &writer)
            }
        case .status:
            Row(
                .observe, "Show a session: its state, data, timers and accepted events.",
                [.takes(.session)], result: "the [session](#a-session)", schema: "@Session"
            ) { dispatcher, params, caller, writer throws(CallError) in
                .succeeded(row: try dispatcher.status(params, caller, &writer))
            }
        case .list:
            Row(
                .observe, "List the sessions that the caller may observe, by name.",
                [
                    .takes(.flow, "Only sessions of this flow."),
                    .takes(
                        .limit,
                        schema: Self.pageLimitSchema(
                            default: Limits().listDefault, maximum: Limits().listPage)),
                    .takes(.after),
                ],
                result:
                    "`{\"sessions\":[{\"session\",\"flow\",\"state\",\"seq\",\"labels\"?,\"language\"?,\"stuck\"?}],\"more\"}`, by name, starting after `after`; 1000 unless `limit` is given",
                schema: "@SessionList"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.list(params, caller, &writer)
            }
        case .open:
            Row(
                .operate, "Open a session.",
                details:
                    "The session can start in any state that is not final. A request with `data` must also have `state`.",
                [
                    .needs(.session, schema: "@SessionName"),
                    .takes(.flow, "A flow's name; the daemon's first unless given."),
                    .takes(.state, "Any state that is not final; the flow's first unless given."),
                    .takes(.data), .takes(.id), .takes(.settings), .takes(.labels), .takes(.again),
                ],
                rules:
                    #""anyOf": [{ "required": ["state"] }, { "properties": { "data": false } }]"#,
                words: [.state], collectingParameter: .data, result: "the session, opened",
                schema: "@Session"
            ) { dispatcher, params, caller, writer throws(CallError) in
                .succeeded(row: try dispatcher.open(params, caller, &writer))
            }
        case .close:
            Row(
                .operate, "Close a session, and end its timers and watches.",
                details: "Its ids are forgotten, except the id of this request.",
                [.needs(.session, schema: "@SessionName"), .takes(.id)],
                result: "the session as it was", schema: #""anyOf": [@@Session, @@Quarantined]"#
            ) { dispatcher, params, caller, writer throws(CallError) in
                .succeeded(row: try dispatcher.close(params, caller, &writer))
            }
        case .watch:
            Row(
                .observe, "Watch a session, or all of them with `*`.",
                details:
                    "Over HTTP it returns the present state only; use `/v1/events` for notifications.",
                [
                    .takes(.session, schema: #"@Target, "default": "main""#), .takes(.since),
                    .takes(.topics),
                ],
                result:
                    "`{\"sessions\":[…],\"more\"}`, for `*` also `pos` and `cursor`; after that, [notifications](#notifications)",
                schema: "@Watched"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.watch(params, caller, &writer)
            }
        case .unwatch:
            Row(
                .observe, "End a watch.", details: "Over HTTP it has no effect.",
                [.takes(.session, schema: #"@Target, "default": "main""#)], result: "`{}`",
                schema: "@Nothing"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.unwatch(params, caller, &writer)
                return .succeeded
            }
        case .timer:
            Row(
                .operate, "Operate a timer of a session's present state.",
                [
                    .takes(
                        .session,
                        "A session, or `*` for all sessions that the caller may operate, with `pause` or `resume` and `*` as `fires`."
                    ),
                    .needs(.fires),
                    .needs(.action, schema: "@TimerAction"),
                    .takes(
                        .by, "The duration; only with `extend` and `shorten`."
                    ),
                    .takes(
                        .to, "The new remaining time; only with `set`.", schema: "@Duration"),
                    .takes(.id), .takes(.entry),
                ],
                rules: TimerOperation.Action.durationRule, words: [.fires, .action],
                result:
                    "the session; for all sessions `{\"sessions\":N,\"failed\":[{\"session\",\"error\"}],\"more\"?,\"missing\"?,\"shards\"?}`: the number of sessions that have carried it out, and at most 100 that have not",
                schema: #""oneOf": [@@Session, @@OperatedSessions]"#
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.timer(params, caller, &writer)
            }
        case .goto:
            Row(
                .operate, "Enter any state, with new timers and no effects.",
                [
                    .takes(.session), .needs(.state), .takes(.data), .takes(.reason), .takes(.id),
                    .takes(.entry),
                ], words: [.state], collectingParameter: .data, result: "the change",
                schema: "@Change"
            ) { dispatcher, params, caller, writer throws(CallError) in
                var context = try dispatcher.context(params, caller)
                context.reason = params.text(.reason)
                let (state, data) = (params.required(.state), params.object(.data))
                return try dispatcher.change(params, .goto, caller, &writer) {
                    (sessions, session) throws(RequestError) in
                    try sessions.goto(state, data, session, context)
                }
            }
        case .advance:
            Row(
                .operate, "Move the virtual clock, and fire the timers that become due.",
                details: "It stops after \(Limits().firings) timers.",
                [.takes(.by), .takes(.toNext)],
                rules:
                    #""oneOf": [{ "required": ["by"], "properties": { "toNext": { "const": false } } }, { "required": ["toNext"], "properties": { "toNext": { "const": true }, "by": false } }]"#,
                words: [.by],
                result:
                    "`{\"fired\":[{\"session\",\"fires\",\"atMs\"}],\"nowMs\",\"more\"}`; needs either `by` or `toNext`",
                schema: "@Advanced", needsParameters: true
            ) { dispatcher, params, caller, writer throws(CallError) in
                .succeeded(row: try dispatcher.advance(params, caller, &writer))
            }
        case .describe:
            Row(
                .observe, "Show a flow's states, events, signals and transitions.",
                [
                    .takes(.flow, "A flow's name; the daemon's first unless given."),
                    .takes(.session, Self.sessionSentence, schema: "@SessionName"), .takes(.source),
                    .takes(.language),
                ], rules: Self.notBothFlowAndSession, words: [.flow],
                result: "the flow: states, events, signals, transitions", schema: "@Flow"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.describe(params, caller, &writer)
            }
        case .graph:
            Row(
                .observe, "Draw a flow's diagram.",
                [
                    .takes(.flow, "A flow's name; the daemon's first unless given."),
                    .takes(
                        .format,
                        schema: Self.choiceSchema(Dispatcher.graphFormats)
                            + #", "default": "mermaid""#),
                    .takes(.session, Self.sessionSentence, schema: "@SessionName"),
                ], rules: Self.notBothFlowAndSession, words: [.flow],
                result: "the flow's diagram, as text", schema: "@Diagram"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.graph(params, caller, &writer)
            }
        case .history:
            Row(
                .observe, "Show the events of a session, their senders and results, newest first.",
                [
                    .takes(.session),
                    .takes(
                        .limit,
                        "The largest number of results; a page of large records ends earlier.",
                        schema: Self.pageLimitSchema(
                            default: Limits().historyDefault, maximum: Limits().historyPage)
                    ), .takes(.before), .takes(.refusal),
                ], result: "`{\"records\":[…],\"more\":bool,\"next\"?}`, newest first",
                schema: "@History"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.history(params, caller, &writer)
            }
        case .presses:
            Row(
                .observe, "Show who pressed first, and by how much the others were later.",
                details:
                    "The presses of an event since the session last entered a state that takes it, accepted and refused. Without `event`, of the buzzer that the present state takes, or that was taken last as far as memory knows, otherwise of the flow's first buzzer. They come from memory or, if they are not there, from at most 20 pages of the stored history (`historyPage`, `historyBytes`). Refused presses from before a restart are missing without `--audit refusals`, and presses of a time in which the storage did not work always are; `complete` is false in both cases.",
                [
                    .takes(.session), .takes(.event, "The event that was pressed."),
                    .takes(
                        .limit, "The largest number of presses, the first ones.",
                        schema: Self.pageLimitSchema(
                            default: Limits().historyDefault, maximum: Limits().historyPage)),
                ],
                result:
                    "`{\"presses\":[{\"by\",\"args\",\"result\",\"receivedMs\",\"afterMs\",\"peer\"?,\"as\"?}],\"complete\",\"more\"?}`, the first one first; `complete` is false if presses were forgotten, `more` is how many further presses there are if `limit` has left some out; `by` is the argument `player` or the kind of source, `result` is `ok` or the name of the error, and `afterMs` is the time since the first press",
                schema: "@Presses"
            ) { dispatcher, params, caller, writer throws(CallError) in
                try dispatcher.presses(params, caller, &writer)
            }
        case .backup:
            Row(
                .operate,
                "Copy the journal to a file while the daemon runs, and verify the copy.",
                details:
                    "Over the UNIX socket a client can pass an open file; any client can name an absolute path on the daemon's machine, with `onServer`. Requires a state directory.",
                [.takes(.to), .takes(.onServer)], rules: #""required": ["to", "onServer"]"#,
                words: [.to],
                result:
                    "`{\"to\"?,\"bytes\",\"rows\",\"sessions\",\"position\",\"damaged\",\"verified\":true}`, about the copy of the [stored data](#stored-data)",
                schema: "@Backup", needsParameters: true
            )
        case .prune:
            Row(
                .operate,
                "Remove the rows older than `--keep` that nothing needs, now rather than at the next hour.",
                details:
                    "The answer comes when all old rows were examined. The removal happens even if gamed has suspended it because the clock is far ahead. Requires stored data.",
                result:
                    "`{\"wasHeld\",\"keep\",\"removed\",\"needed\":{\"open\",\"quarantined\",\"daemon\"}}`: whether the removal was suspended, how many rows were removed, and [what old rows are still needed by](#stored-data)",
                schema: "@Prune"
            )
        case .token:
            Row(
                .operate, "Add, remove or list tokens; a new token is shown once.",
                [
                    .needs(
                        .action, schema: Self.choiceSchema(TokenAction.allCases.map(\.rawValue))),
                    .takes(.name), .takes(.url),
                ],
                rules:
                    #""allOf": [{ "if": { "properties": { "action": { "const": "list" } } }, "then": { "properties": { "name": false } }, "else": { "required": ["name"] } }, { "if": { "properties": { "action": { "const": "add" } } }, "else": { "properties": { "url": { "const": false } } } }]"#,
                words: [.action, .name],
                result:
                    "`{\"name\",\"token\",\"page\"?}`: `page` is the address of the desk, where `#token=…` signs in; `{\"name\",\"ended\"}`: how many connections ended; `{\"tokens\":[names],\"details\":[{\"name\",\"use\",\"as\"?,\"role\"?,\"sessions\",\"until\"?}]}`, by name",
                schema: #""oneOf": [@@TokenList, @@TokenMade, @@TokenRemoved]"#
            )
        case .bluetooth:
            Row(
                .observe,
                "Show the Bluetooth controller and its devices, or control a simulated device.",
                details: "An action needs the role `operate`.",
                [
                    .takes(
                        .action,
                        schema: Self.choiceSchema(
                            SimulatedDeviceAction.Action.allCases.map(\.rawValue))
                    ),
                    .takes(.device), .takes(.button),
                ],
                rules:
                    #""oneOf": [{ "maxProperties": 0 }, { "required": ["action", "device"], "properties": { "action": { "const": "press" } } }, { "required": ["action", "device"], "properties": { "action": { "#
                    + Self.choiceSchema(
                        SimulatedDeviceAction.Action.allCases.filter { $0 != .press }.map(
                            \.rawValue))
                    + #" }, "button": false } }]"#,
                words: [.action, .device, .button],
                result: "`{\"controller\",\"state\",\"devices\":[…]}`: [Bluetooth](bluetooth.md)",
                schema: "@Bluetooth", handlerChecksRole: true
            )
        case .label:
            Row(
                .operate, "Set labels of a session, such as the team's name.",
                details:
                    "A label that begins with `_` is shown only to callers that may operate the session.",
                [.takes(.session), .needs(.labels), .takes(.id)], collectingParameter: .labels,
                result: "the change", schema: "@Change"
            ) { dispatcher, params, caller, writer throws(CallError) in
                let context = try dispatcher.context(params, caller)
                let labels = params.object(.labels)
                return try dispatcher.change(params, .label, caller, &writer) {
                    (sessions, session) throws(RequestError) in
                    try sessions.label(labels, session, context)
                }
            }
        case .say:
            Row(
                .operate, "Show a message on a session's screens.",
                [.takes(.session), .needs(.text), .takes(.length), .takes(.id)], words: [.text],
                result: "the change", schema: "@Change"
            ) { dispatcher, params, caller, writer throws(CallError) in
                let context = try dispatcher.context(params, caller)
                let (text, length) = (params.required(.text), try params.duration(.length))
                return try dispatcher.change(params, .say, caller, &writer) {
                    (sessions, session) throws(RequestError) in
                    try sessions.say(text, for: length, session, context)
                }
            }
        case .move:
            Row(
                .operate, "Move a session to the newest version of its flow.",
                details:
                    "Its state, data and timers must fit there; otherwise nothing changes, and the error names what does not fit.",
                [.takes(.session), .takes(.id), .takes(.entry)], result: "the change",
                schema: "@Change"
            ) { dispatcher, params, caller, writer throws(CallError) in
                let context = try dispatcher.context(params, caller)
                return try dispatcher.change(params, .move, caller, &writer) {
                    (sessions, session) throws(RequestError) in
                    try sessions.move(session, context)
                }
            }
        case .undo:
            Row(
                .operate, "Take a session back by one step, with what each timer had left.",
                details:
                    "A step is a request, or a timer that fired, with all changes that it caused. No effects are requested. The opening, a move and a restart of the daemon cannot be undone.",
                [
                    .takes(.session), .takes(.seq),
                    .takes(
                        .clocks,
                        schema: Self.choiceSchema(UndoClocks.allCases.map(\.rawValue))
                            + #", "default": "still""#),
                    .takes(.id), .takes(.entry),
                ], result: "the change", schema: "@Change"
            ) { dispatcher, params, caller, writer throws(CallError) in
                let context = try dispatcher.context(params, caller)
                let (seq, clocks) = (try params.count(.seq), try dispatcher.clocks(params))
                return try dispatcher.change(params, .undo, caller, &writer) {
                    (sessions, session) throws(RequestError) in
                    try sessions.undo(after: seq, clocks: clocks, session, context)
                }
            }
        case .flows:
            Row(
                .operate, "List the flows, their versions and the sessions that play them.",
                result:
                    "`{\"flows\":[{\"flow\",\"version\",\"title\"?,\"file\"?,\"sessions\",\"older\":[{\"version\",\"sessions\"}]}],\"mistakes\":[…],\"warnings\":[…]}`",
                schema: "@FlowList"
            )
        case .outputs:
            Row(
                .operate,
                "Show the outputs to the devices of the room, switch them off and on, or try one; clear what was published.",
                details:
                    "`test` sends the output of one `on` line. `name` is the number of the line among the `on` lines, or an effect. For an effect, the first `on` line of this effect is used. `retained` lists the retained messages that `publish=` has left below the prefix `name`, and `clear` removes them.",
                [
                    .takes(
                        .action, schema: Self.choiceSchema(OutputAction.allCases.map(\.rawValue))),
                    .takes(
                        .name,
                        "A connection for `on` and `off`; the number of a line, or an effect, for `test`; a prefix for `retained` and `clear`.",
                        schema: "@Text"),
                ],
                rules:
                    #""if": { "properties": { "action": { "enum": ["test", "retained", "clear"] } }, "required": ["action"] }, "then": { "required": ["name"] }, "dependentRequired": { "name": ["action"] }"#,
                words: [.action, .name],
                result:
                    "`{\"on\",\"recovering\",\"outputs\":[{\"line\",\"text\",\"target\",\"connection\",\"state\",\"waiting\",\"delivered\",\"givenUp\",\"withheld\",\"lastError\"?,\"failures\":[{\"id\",\"why\",\"atMs\"}]}]}`; of `test` `{\"line\",\"target\",\"sent\",\"delivered\",\"failure\"?}`; of `retained` and `clear` `{\"topics\":[],\"cleared\"}`: [The room](room.md)",
                schema: #""oneOf": [@@OutputList, @@OutputTest, @@RetainedTopics]"#
            )
        case .sources:
            Row(
                .operate,
                "Show all devices: the connections of the room and the mapped Bluetooth devices.",
                details:
                    "The result has each device's state, its counts, its last event, and its last inputs that match no `map` line.",
                [.takes(.name, "The name of the connection or device.", schema: "@Text")],
                words: [.name],
                result:
                    "`{\"sources\":[{\"source\",\"kind\",\"device\"?,\"state\",\"forMs\"?,\"heardMs\"?,\"problem\"?,\"received\",\"sent\",\"taken\",\"refused\",\"dropped\",\"repeated\"?,\"malformed\",\"unmatched\",\"lastEvent\"?,\"lastRefusal\"?,\"lastUnmatched\":[…],\"file\"?,\"others\"?}]}`: [The room](room.md)",
                schema: "@SourceList"
            )
        case .nodes:
            Row(
                .operate,
                "Show the nodes that share the store, their shards, and which shards moved last.",
                details:
                    "With `switch`, first let all nodes write the newest format of rows. A node that cannot read it prevents this while it runs, and for 10 minutes after.",
                [.takes(.action, schema: Self.choiceSchema(["switch"]))], words: [.action],
                result:
                    "`{\"nodes\":[{\"node\",\"id\",\"address\",\"self\",\"shards\",\"leaseMs\",\"rules\",\"build\",\"format\"}],\"shards\",\"missing\",\"skewMs\",\"differ\",\"moves\":[{\"shard\",\"from\",\"to\",\"agoMs\"}],\"format\",\"older\":[],\"weak\":[]}`: [Many machines](many-machines.md)",
                schema: "@NodeList"
            )
        case .invite:
            Row(
                .operate, "Invite to a session: make a link, a QR code and a code to type.",
                details:
                    "A guest who joins gets a token with the rights of the invitation: this session, role and arguments. With `as`, the guest's events have this `player`. The code is valid for 15 minutes.",
                [
                    .needs(.session, schema: "@SessionName"), .takes(.guest),
                    .takes(
                        .role,
                        "The role; `play` unless given, or `observe` for a wall or an overlay.",
                        schema: Self.choiceSchema(["observe", "play"])),
                    .takes(
                        .event, "Only events that match this pattern; all unless given."),
                    .takes(.args, "The fixed arguments of events; other values are refused."),
                    .takes(.once),
                    .takes(
                        .opens,
                        schema: Self.choiceSchema(["players", "wall", "overlay"])
                            + #", "default": "players""#),
                    .takes(
                        .length,
                        "How long the link and the guests' tokens are valid; 12h unless given."
                    ),
                ], words: [.session], collectingParameter: .args,
                result:
                    "`{\"session\",\"role\",\"once\",\"as\"?,\"event\"?,\"args\"?,\"name\",\"link\",\"until\",\"code\",\"codeUntil\",\"qr\"}`; `name` is the token's, `qr` an SVG: [Inviting](network.md#inviting)",
                schema: "@Invitation"
            )
        case .screens:
            Row(
                .operate,
                "Show who follows a session in a browser, and which guests are disconnected.",
                [.takes(.session)],
                result:
                    "`{\"screens\":[{\"name\"?,\"as\"?,\"role\"?,\"address\"?,\"guest\"?,\"connections\",\"forMs\"?}],\"invitations\"}`, by name; `forMs` is the time since the oldest present connection began, or since a disconnected guest's last connection ended",
                schema: "@ScreenList"
            )
        case .stats:
            Row(
                .operate,
                "Show the games that the journal contains: outcomes, the time in each state, overrides, hints and refusals.",
                details:
                    "Requires a state directory. `since` is a duration before now, a date, or milliseconds of the daemon's clock.",
                [
                    .takes(.flow, "Only games of this flow."),
                    .takes(.since, Self.sinceSentence, schema: Self.instantSchema),
                    .takes(.without),
                ], words: [.flow],
                result:
                    "`{\"sinceMs\"?,\"zone\"?,\"refusalsRecorded\",\"flows\":[{\"flow\",\"title\"?,\"versions\",\"games\",\"running\",\"unfinished\",\"outcomes\":[{\"state\",\"title\"?,\"games\"}],\"states\":[{\"state\",\"title\"?,\"visits\",\"medianMs\",\"p90Ms\"}],\"overrides\":{\"goto\",\"timer\",\"undo\"},\"hints\",\"refusals\"}]}`: [Statistics](statistics.md)",
                schema: "@Statistics"
            )
        case .leaderboard:
            Row(
                .observe, "Show the best games of a flow, by their times or by a datum.",
                details:
                    "Requires a state directory. A game ends with an entry into a final state, or into `state`. The rows are of sessions that the caller may observe, and contain only data that players may see.",
                [
                    .needs(.flow, "The flow."),
                    .takes(
                        .by,
                        "`time`, the shortest first, or a datum of the last state, the largest first; each entry of a tally is a row.",
                        schema: #""type": "string", "minLength": 1, "default": "time""#),
                    .takes(.state, "The state that ends a game; the final states unless given."),
                    .takes(
                        .during,
                        "The states whose visits are timed, separated by commas; unless given, all states but the one in which the session was opened."
                    ),
                    .takes(.since, Self.sinceSentence, schema: Self.instantSchema),
                    .takes(.without),
                    .takes(
                        .limit,
                        schema: Self.pageLimitSchema(
                            default: LeaderboardSelection.defaultLimit,
                            maximum: LeaderboardSelection.maximumLimit)),
                ], words: [.flow],
                result:
                    "`{\"flow\",\"by\",\"title\"?,\"rows\":[{\"rank\",\"name\"?,\"title\"?,\"value\",\"state\",\"session\",\"atMs\",\"time\"}]}`, the best first: [Leaderboards](statistics.md#leaderboards)",
                schema: "@Leaderboard"
            )
        case .alerts:
            Row(
                .operate, "Show what does not work, or acknowledge it.",
                details:
                    "Shows the alerts of sessions that the caller may operate, and the others to callers that may operate every session. An alert ends with its cause; one of an output ends when it is acknowledged.",
                [
                    .takes(
                        .action, schema: Self.choiceSchema(AlertAction.allCases.map(\.rawValue))),
                    .takes(.id, "The alert that is acknowledged.", schema: "@Text"),
                ],
                rules:
                    #""if": { "anyOf": [{ "required": ["id"] }, { "required": ["action"] }] }, "then": { "required": ["action", "id"] }"#,
                words: [.action, .id],
                result:
                    "`{\"alerts\":[{\"id\",\"kind\",\"name\",\"text\",\"sinceMs\",\"session\"?,\"acked\",\"node\"?}],\"note\"?}`, the oldest first; `note` says that the alert to acknowledge is not there: [Alerts](room.md#alerts)",
                schema: "@AlertList", handlerChecksRole: true
            )
        case .clients:
            Row(
                .operate, "Show the connected clients, or close a connection.",
                details:
                    "`requests` and `refusals` are those of the last minute. `kick` closes a connection; the client may connect again, unless its token is removed.",
                [
                    .takes(
                        .action, schema: Self.choiceSchema(ClientAction.allCases.map(\.rawValue))),
                    .takes(.id, "The client whose connection is closed.", schema: "@Text"),
                ],
                rules:
                    #""if": { "anyOf": [{ "required": ["id"] }, { "required": ["action"] }] }, "then": { "required": ["action", "id"] }"#,
                words: [.action, .id],
                result:
                    "`{\"clients\":[{\"id\",\"kind\",\"principal\",\"peer\",\"sinceMs\",\"role\",\"watches\",\"requests\",\"refusals\",\"unreadBytes\",\"held\",\"moreWatches\"?}],\"more\",\"note\"?}`, at most 1000, the oldest connections first, each with at most 16 of its watches",
                schema: "@ClientList"
            )
        case .config:
            Row(
                .operate,
                "Show the settings with their values, where the values come from, and which wait for a restart.",
                details:
                    "`from` is `FILE:LINE`, `option`, `environment NAME` or `default`. A setting that may be given several times has an element for each value. Passwords and queries of URLs are left out, and of the receivers of outputs everything but the host.",
                result:
                    "`{\"configuration\"?,\"settings\":[{\"name\",\"value\",\"from\",\"pending\"?}]}`; `pending` marks a value that takes effect at the next start",
                schema: "@Settings"
            )
        case .reload:
            Row(
                .operate, "Read the configuration again, as at SIGHUP, and return what changed.",
                details:
                    "If the configuration has mistakes, nothing is changed, and the error `invalid` has all of them with their positions. A certificate, a token file or a flow file with a mistake is not used; the error then names it, and everything else is changed.",
                result:
                    "`{\"changed\",\"unchanged\",\"restart\"}`: the names of the settings in the configuration: those that changed, those that did not, and those whose change needs a restart",
                schema: "@Reload"
            )
        }
    }

    private static let sinceSentence = "Only games that were opened then or later."
    /// The schema of `since` in `stats` and `leaderboard`: an instant, as milliseconds, a duration before now or a date.
    private static let instantSchema =
        #""anyOf": [{ "type": "integer", "minimum": 0, "maximum": \#(Instant.last.milliseconds) }, @@Duration, @@Date]"#
    private static let sessionSentence = "The session whose version is shown."
    /// The rule that a request must not have both parameters.
    private static let notBothFlowAndSession =
        #""not": { "required": ["flow", "session"] }"#

    /// The schema of the parameter `limit`, the number of results of a page.
    private static func pageLimitSchema(default defaultLimit: Int, maximum: Int) -> String {
        #""type": "integer", "minimum": 1, "maximum": \#(maximum), "default": \#(defaultLimit)"#
    }

    /// The schema of a value that is one of a few words.
    private static func choiceSchema(_ words: [String]) -> String {
        let words = words.map { "\"\($0)\"" }.joined(separator: ", ")
        return "\"type\": \"string\", \"enum\": [\(words)]"
    }

    /// The table of methods, in the order of the cases.
    private static let rows = allCases.map { $0.makeRow() }
    private static let names = allCases.map { String(describing: $0) }
    private static let parameterSets = rows.map {
        (required: $0.requiredParameters, all: $0.allParameters)
    }

    // MARK: properties from the table

    public var name: String { Self.names[Int(rawValue)] }

    /// The method with this name; nil if no method has it.
    public init?(name: String) {
        guard let index = Self.names.firstIndex(of: name) else { return nil }
        self = Self.allCases[index]
    }

    /// The role that a caller needs to call the method; nil if no role is needed.
    public var role: Role? { Self.rows[Int(rawValue)].role }
    /// Whether the method needs more than the role `observe`. True for each method that can change a session or the daemon,
    /// with one exception: anybody who may observe can call `bluetooth` without an action. Also true for some methods that
    /// change nothing, such as `stats`.
    public var canChange: Bool { role.map { $0 > .observe } ?? false }
    /// Whether a parameter selects the session, or all sessions, to which the method applies.
    var isAboutSession: Bool { allParameters.contains(.session) }
    /// Whether a `TextRequest` that names no session gets the default session, which is `main` in the text dialect.
    var hasMainSession: Bool { isAboutSession && self != .describe && self != .graph }
    var handlerChecksRole: Bool { Self.rows[Int(rawValue)].handlerChecksRole }
    var requiredParameters: ParameterSet { parameterSets.required }
    var allParameters: ParameterSet { parameterSets.all }
    /// The parameters that a request must have, and those that it may have.
    var parameterSets: (required: ParameterSet, all: ParameterSet) {
        Self.parameterSets[Int(rawValue)]
    }
    var collectingParameter: Parameter? { Self.rows[Int(rawValue)].collectingParameter }
    var handler: Handler? { Self.rows[Int(rawValue)].handler }
    public var words: [Parameter] { Self.rows[Int(rawValue)].words }
    public var parameters: [ParameterUse] { Self.rows[Int(rawValue)].parameters }
    public var sentence: String { Self.rows[Int(rawValue)].sentence }
    public var details: String { Self.rows[Int(rawValue)].details }
    public var result: String { Self.rows[Int(rawValue)].result }
    public var resultSchema: String { Self.rows[Int(rawValue)].resultSchema }
    /// Whether the result is a change.
    package var resultIsChange: Bool { ["@Change", "@Sent"].contains(resultSchema) }
    public var needsParameters: Bool { Self.rows[Int(rawValue)].needsParameters }
    public var rules: String { Self.rows[Int(rawValue)].rules }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// The raw values of all cases, for a message: `pause, resume, extend or restart`.
    public static var listed: String {
        let words = allCases.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }
}

extension TimerOperation.Action {
    /// The JSON schema rules for the duration: `extend` and `shorten` require `by`, and `set` requires `to`. Neither parameter
    /// is accepted with any other action.
    static var durationRule: String {
        """
        "allOf": [{ "if": { "properties": { "action": { "enum": ["extend", "shorten"] } } }, \
        "then": { "required": ["by"] }, "else": { "properties": { "by": false } } }, \
        { "if": { "properties": { "action": { "const": "set" } } }, \
        "then": { "required": ["to"] }, "else": { "properties": { "to": false } } }]
        """
    }
}
