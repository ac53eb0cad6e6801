import PostgresTestSupport
import TestSupport
import Testing

/// A Python process with a browser. The process runs the scripts of the folder `Browser`, one after the other. It ends when the
/// test program ends.
private final class BrowserProcess {
    private var process: ChildProcess?
    private var runCount = 0

    /// Runs a script and returns its output. Calls must not overlap.
    func run(_ name: String, _ arguments: [String]) throws -> String {
        let root = ChildProcess.repositoryRoot
        let command = [
            "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Browser/scripts.py",
        ]
        // Standard error is not connected to the socket. The scripts operate the browser with Playwright, whose driver inherits
        // standard error and makes it non-blocking. Standard input and output, which are the same socket, would then be
        // non-blocking too.
        let process = try process ?? ChildProcess(command, connecting: [0, 1], timeout: 500)
        self.process = process
        let earlierOutput = process.output
        process.writeLine(([name] + arguments).joined(separator: "\t"))
        runCount += 1
        guard process.waitFor("end of script\n", times: runCount) else {
            // The next script gets a new process.
            (self.process, runCount) = (nil, 0)
            return "\(name) did not end: \(process.output.dropFirst(earlierOutput.count))"
        }
        return String(
            process.output.dropFirst(earlierOutput.count).dropLast("end of script\n".count))
    }
}

/// Runs the scripts of the folder `Browser`, which operate the pages of a daemon in a real browser.
private struct BrowserScripts {
    let folder = Folder()
    let browser: BrowserProcess

    /// Starts a daemon, runs a script, and expects that the script succeeds. The script gets `scriptArguments`, and after them
    /// the daemon's web address, a token and the path of the daemon's socket. `base` replaces the daemon's web address.
    func expectSuccess(
        _ name: String, _ daemonArguments: [String] = ["--clock", "virtual"],
        scriptArguments: [String] = [], configurationLines: String = "", base: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.write(
            "gamed.conf",
            "allow token:desk operate\nallow token:hall play event=start*\n"
                + "allow token:guest play\nlimit requests=0\n"
                + "allow token:table play event=buzz args={\"player\":\"ann\"}\n"
                + "allow token:table play event=buzz args={\"player\":\"bob\"}\n"
                + configurationLines)
        let daemon = try DaemonProcess(
            ["--config", file, "--http", "127.0.0.1:0"] + daemonArguments)
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
            .filter { !$0.isNewline }
        let output = try browser.run(
            name, scriptArguments + [base ?? daemon.webAddress, token, daemon.socket])
        #expect(output == "ok \(name)\n", "\(output)", sourceLocation: sourceLocation)
    }
}

/// The pages of the daemon in a browser. This suite and `BrowserDeskTests` run at the same time. Each suite has its own
/// browser, and runs one script after the other.
@Suite(.serialized) struct BrowserPlayTests {
    nonisolated(unsafe) private static let browser = BrowserProcess()
    private let scripts = BrowserScripts(browser: browser)

    @Test(arguments: [
        "signs_in_and_plays", "time_out", "two_browsers", "late_press", "two_roles", "stranger",
        "remembers", "joins", "tokens", "clients", "bad_input", "weight", "many_tabs",
    ])
    func `a browser script succeeds`(_ name: String) throws {
        try scripts.expectSuccess(name)
    }

    /// Starts nginx without TLS, calls `body` with its port and the port of the daemon, and ends nginx.
    private func withNginx(_ body: (_ port: Int, _ upstream: Int) throws -> Void) throws {
        let (port, upstream) = (LoopbackPort.findUnused(), LoopbackPort.findUnused())
        let proxy = try ReverseProxy.nginx.start(
            at: port, upstream: upstream, in: scripts.folder, hasTLS: false)
        defer {
            proxy.signal(15)
            proxy.waitForEnd()
        }
        try body(port, upstream)
    }

    /// nginx removes the path, as the ingress of Home Assistant does.
    @Test(
        .enabled(if: ReverseProxy.areInstalled),
        arguments: ["signs_in_and_plays", "joins", "stranger"])
    func `the pages work below a path of a proxy`(_ name: String) throws {
        try withNginx { port, upstream in
            let base = "http://127.0.0.1:\(port)/rooms"
            try scripts.expectSuccess(
                name,
                [
                    "--clock", "virtual", "--http", "127.0.0.1:\(upstream)", "--http-proxy",
                    "127.0.0.1", "--public", base,
                ], base: base)
        }
    }

    @Test(.enabled(if: ReverseProxy.areInstalled))
    func `behind a proxy that changes Host, a page says what is wrong`() throws {
        try withNginx { port, upstream in
            try scripts.expectSuccess(
                "refused_origin", ["--http", "127.0.0.1:\(upstream)"],
                scriptArguments: ["http://127.0.0.1:\(port)/bare"])
        }
    }

    @Test func `the example page of another origin plays with a token`() throws {
        let port = LoopbackPort.findUnused()
        try scripts.expectSuccess(
            "own_page", ["--clock", "virtual", "--flow", "quiz"], scriptArguments: ["\(port)"],
            configurationLines: """
                http-origin http://127.0.0.1:\(port)
                allow source:web observe
                allow token:page play session=main event=buzz args={"player":"red"}

                """)
    }

    @Test(arguments: ["statistics", "leaderboard", "live_show"])
    func `browsers show the contents of the journal`(_ name: String) throws {
        let options = [
            "--clock", "virtual", "--no-main", "--state-dir", "\(scripts.folder.path)/state",
        ]
        try scripts.expectSuccess(
            name, options, configurationLines: "allow token:watcher observe session=*\n")
    }
}

/// The operator's desk and the players' page, which is also called the kiosk, in a browser.
@Suite(.serialized) struct BrowserDeskTests {
    nonisolated(unsafe) private static let browser = BrowserProcess()
    private let scripts = BrowserScripts(browser: browser)

    @Test(arguments: [
        "cut", "reopened", "limited", "keyboard", "fits", "game_master", "all_rooms", "hall",
        "stuck",
    ])
    func `a browser operates the desk`(_ name: String) throws {
        try scripts.expectSuccess(name)
    }

    /// Each page in each colour scheme takes half a minute, so only `make test-long` runs this test.
    @Test(.enabled(if: TestLength.isLong))
    func `each page has enough contrast in each colour scheme`() throws {
        try scripts.expectSuccess("contrast")
    }

    @Test(.enabled(if: TestLength.isLong))
    func
        `each state of two examples fits each screen, in two languages and both colour schemes`()
        throws
    {
        _ = ShellCommand.run(
            "cp Examples/cases/lighthouse.yaml Examples/quiz-night/quiz-night.yaml Examples/quiz-night/questions.csv '\(scripts.folder.path)'"
        )
        try scripts.expectSuccess(
            "each_state",
            [
                "--clock", "virtual", "--flows", scripts.folder.path, "--media",
                "Examples/quiz-night/media",
            ])
    }

    @Test func `a page shows immediately that the rules no longer grant its role`() throws {
        let configurationPath = "\(scripts.folder.path)/gamed.conf"
        try scripts.expectSuccess("lost_role", scriptArguments: [configurationPath])
    }

    @Test
    func
        `pages show the titles of a flow file, and do not show its hidden data to players`()
        throws
    {
        scripts.folder.write("safe.yaml", Self.safeFlow)
        try scripts.expectSuccess("titles", ["--flows", scripts.folder.path])
    }

    @Test func `the dialog that opens a session lists mistakes and warnings in flow files`() throws
    {
        let codes = (0..<32).map { "code\($0): 04\($0 < 10 ? "0" : "")\($0)" }
        scripts.folder.write(
            "codes.yaml",
            "flow: codes\nstart: a\nsettings: {\(codes.joined(separator: ", "))}\nstates:\n  a: {}\n"
        )
        scripts.folder.write("bad.yaml", "flow: bad\nstart: nowhere\nstates:\n  a: {on: {x: b}}\n")
        try scripts.expectSuccess("findings", ["--flows", scripts.folder.path])
    }

    @Test
    func `the dialog that enters a state has check boxes, and keeps its buttons on the screen`()
        throws
    {
        let texts = (1...9).map { "clue\($0): text = x" }
        scripts.folder.write(
            "cellar.yaml",
            """
            flow: cellar
            start: above
            events: {descend: {}, enter: {args: {guest: text}}}
            data: {guests: set = none}
            tables:
              doors: {columns: {code: text}, rows: [{code: '1'}, {code: '2'}, {code: '3'}]}
            states:
              above: {on: {descend: {to: below, with: {flooded: false, barred: null}}}}
              below:
                on: {descend: stay, enter: {with: {guests: =guests + guest}}}
                data:
                  damp: boolean = true
                  dry: boolean = false
                  flooded: boolean
                  barred: optional boolean
                  lamp: one of off, dim, bright = dim
                  depth: integer 1..9 = 3
                  sign: text = keep out
                  seq: order of doors
                  \(texts.joined(separator: "\n      "))

            """)
        try scripts.expectSuccess("goto_dialog", ["--flows", scripts.folder.path])
    }

    @Test func `forms for events with many arguments do not make the desk wider than a phone`()
        throws
    {
        scripts.folder.write(
            "moves.yaml",
            """
            flow: moves
            start: game
            events:
              pass: {args: {whoPassed: text 1..32, teamSize: integer 1..9}}
              place: {args: {player: text 1..32, column: integer 1..9, row: integer 1..9, colour: "one of red, lightBlue", isLast: boolean}}
              name: {args: {who: text 1..32}}
            states:
              game:
                data: {last: text = nobody}
                on: {pass: {with: {last: =whoPassed}}, place: stay, name: stay}

            """)
        try scripts.expectSuccess("many_arguments", ["--flows", scripts.folder.path])
    }

    @Test
    func `a phone with a buzzer is one button, which shows what became of a press`() throws {
        scripts.folder.write(
            "buzzers.yaml",
            """
            flow: buzzers
            start: lobby
            data: {locked: set = none}
            events:
              ask: {args: {}, hidden: players}
              wrong: {args: {}, hidden: players}
              speed: {args: {}, hidden: players}
              buzz: {args: {player: text 1..12}, buzz: true, title: Buzz}
              slam: {args: {player: text 1..12}, buzz: true, title: Slam}
            everywhere:
              on: {speed: fast}
            states:
              lobby: {on: {ask: question}}
              fast: {on: {slam: answering}}
              question:
                on:
                  ask: {to: question, with: {locked: none}}
                  buzz:
                    - {if: player in locked, refuse: {player: you are locked out}}
                    - {to: answering}
              answering:
                data: {player: text}
                timers: {timeUp: {after: 10s}}
                on:
                  "wrong, timeUp": {to: question, with: {locked: =locked + player}}
                  ask: {to: question, with: {locked: none}}

            """)
        try scripts.expectSuccess("buzzers", ["--flows", scripts.folder.path])
    }

    @Test
    func
        `screens ask before an event, draw dangerous events apart, press buttons by keys, and draw checklists`()
        throws
    {
        scripts.folder.write(
            "cellar.yaml",
            """
            flow: cellar
            start: below
            data: {done: "checklist of radio, chart, code"}
            events:
              tick: {args: {item: "one of radio, chart, code"}, ticks: done, title: Checks}
              begin: {args: {}, key: r, title: Begin}
              stop: {args: {}, confirm: true, danger: true, title: Emergency}
              ring: {args: {}, from: [mqtt], title: Doorbell}
              solve: {args: {}, hidden: players, title: Solved}
            states:
              below:
                on:
                  ring: stay
                  solve: ready
                  tick:
                    - {if: item in done, with: {done: =done - item}}
                    - {with: {done: =done + item}}
                  begin: ready
              ready: {title: Ready, on: {begin: below}}
              stopped: {title: Stopped, on: {begin: below}}
            everywhere:
              on: {stop: stopped}

            """)
        try scripts.expectSuccess("offers", ["--flows", scripts.folder.path])
    }

    @Test
    func
        `the desk shows who pressed first and what an undo takes back, and undoes to a row of the log`()
        throws
    {
        scripts.folder.write("showdesk.yaml", Self.showDeskFlow)
        try scripts.expectSuccess(
            "show_desk", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    private static let showDeskFlow = """
        flow: showdesk
        title: A show
        start: question
        data: {used: integer = 0}
        events:
          buzz: {args: {player: text 1..12}, buzz: true, title: Buzz}
          wrong: {args: {}, title: Wrong, hidden: players}
          hint:
            args: {puzzle: "one of radio, chart", say: text 1..200}
            suggest: [Listen to the radio, Count the waves]
            hint: true
            title: Give a hint
            hidden: players
        effects: [say]
        states:
          question: {title: Question, on: {buzz: answering}}
          answering:
            title: Answering
            data: {player: text}
            on:
              wrong: question
              hint: {with: {used: =used + 1}, do: [say: {text: =say}]}

        """

    @Test func `an operator under pressure needs few clicks at the desk`() throws {
        scripts.folder.write("pressure.yaml", Self.pressureFlow)
        try scripts.expectSuccess(
            "clicks", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    private static let pressureFlow = """
        flow: pressure
        title: Under pressure
        start: waiting
        data: {done: "checklist of radio, chart, code"}
        effects: [say]
        events:
          begin: {args: {}, title: Start the game}
          hint: {args: {say: text 1..200}, suggest: [Count the waves], hint: true, title: Give a hint}
          solve: {args: {puzzle: "one of radio, chart, code"}, key: p, title: Solve a puzzle}
          open: {args: {door: "one of a, b, c, d, e, f, g"}, title: Open a door}
          evacuate: {args: {}, confirm: true, danger: true, title: Emergency}
        states:
          waiting: {title: Waiting, on: {begin: {to: playing, with: {done: none}}}}
          playing:
            title: In the room
            timers:
              timeUp: {after: 60m, title: Time left}
              bonus: {after: 20m, title: Bonus}
            on:
              begin: stay
              hint: {do: [say: {text: =say}]}
              solve: {with: {done: =done + puzzle}}
              "open, bonus": stay
              timeUp: escaped
          escaped: {title: Escaped, on: {begin: waiting}}
          vault: {title: Vault, data: {tries: integer = 0}, on: {begin: waiting}}
          emergency: {title: Emergency, on: {begin: waiting}}
        everywhere:
          on: {evacuate: emergency}

        """

    @Test func `the players' page shows texts that depend on data`() throws {
        scripts.folder.write(
            "round.yaml",
            """
            flow: round
            title: A round
            start: ask
            data: {score: {type: "integer = 0", title: Points}}
            events: {right: , done: }
            states:
              ask:
                title: internal name
                data: {n: {type: "integer = 1", hidden: players}}
                show:
                  title: ='Question ' + text(n)
                  text: ='How many legs have ' + text(n * 10) + ' spiders?'
                on:
                  right: {with: {n: =n + 1, score: =score + 10}}
                  done: over
              over:
                show: {title: =text(score) + ' points'}

            """)
        try scripts.expectSuccess("computed_screen", ["--flows", scripts.folder.path])
    }

    @Test func `pages draw stopwatches and overtime, and have texts in the reader's language`()
        throws
    {
        scripts.folder.write(
            "clocks.yaml",
            """
            flow: clocks
            languages: [en, de]
            start: playing
            events:
              go: {args: {}, title: {en: Next, de: Weiter}}
              slow: {args: {}}
            states:
              playing:
                title: {en: In the room, de: Im Raum}
                timers:
                  end: {after: 3s, overtime: true, title: {en: Time, de: Zeit}}
                  warn: {when: {left: 1s, of: end}}
                  used: {up: true, title: {en: Spent, de: Gebraucht}}
                  later: {after: 60m, paused: true, title: Bonus}
                  early: {when: {left: 10m, of: later}}
                clock: {timer: end, big: true}
                on: {go: playing, slow: rest, "warn, end, later, early": stay}
              rest:
                timers: {rested: {after: 29054ms, title: Rest}}
                on: {rested: playing}

            """)
        try scripts.expectSuccess(
            "clocks", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    @Test
    func
        `the players' page speaks the language of the screen, the session or the browser, in this order`()
        throws
    {
        scripts.folder.write("plain.yaml", Self.buzzerFlow(named: "plain", languages: ""))
        scripts.folder.write(
            "spoken.yaml", Self.buzzerFlow(named: "spoken", languages: "languages: [en, de, fr]"))
        scripts.folder.write(
            "shown.yaml",
            """
            flow: shown
            languages: [en, fr]
            start: open
            data: {round: integer = 1}
            events: {stop: {args: {}, title: {en: Stop, fr: Halte}}}
            states:
              open:
                show: {title: {en: Welcome, fr: Bienvenue}, text: "='Round ' + text(round)"}
                on: {stop: halted}
              halted:
                show: {title: {en: Please stay calm, fr: Restez calmes}}
                on: {stop: open}

            """)
        scripts.folder.write("phare.yaml", Self.frenchFlow)
        try scripts.expectSuccess(
            "languages", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    /// Its texts are in French, so English words on a page are the page's own.
    private static let frenchFlow = """
        flow: phare
        title: Le Phare
        languages: [fr]
        start: accueil
        data: {noms: {type: set, default: none, title: Noms}, vu: {type: boolean = false, title: Vu}}
        events:
          buzz: {args: {player: text 1..12}, buzz: true, title: Buzzer}
          arrive: {args: {nom: text}, title: Arriver, hidden: players}
          juge: {args: {correct: boolean}, title: Juger}
          dit: {args: {mot: {type: text 1..9, title: mot}}, title: Dire}
          compte: {args: {pas: {type: integer 1..9, title: Pas}}, title: Compter}
          suite: {args: {}, title: Suite}
          fin: {args: {}, title: Fin, hidden: players}
        states:
          accueil:
            title: Accueil
            players: [noms, vu, idle, bat]
            timers: {idle: {after: 10m}, bat: {every: 10m, title: Rythme}}
            on:
              "idle, bat, juge": stay
              arrive: {with: {noms: =noms + nom}}
              suite: formes
              fin: sortie
          formes:
            title: Formes
            players: []
            on: {dit: stay, compte: {refuse: {pas: trop peu}}, suite: jeu}
          jeu: {title: Jeu, players: [], on: {suite: accueil, buzz: stay}}
          sortie: {title: Sortie, final: true}

        """

    private static func buzzerFlow(named name: String, languages: String) -> String {
        """
        flow: \(name)
        start: lobby
        \(languages)
        events:
          buzz: {args: {player: text 1..12}, buzz: true}
          judge: {args: {good: boolean}}
          steps: {args: {count: integer 1..9}}
        states:
          lobby:
            title: Lobby
            show: {sound: bell.wav}
            timers: {timeUp: {after: 10m, title: Clock}}
            on: {judge: lobby, steps: {refuse: {count: too few}}, buzz: stay, timeUp: stay}

        """
    }

    private static let safeFlow = """
        flow: safe
        title: The Safe
        start: shut
        settings: {code: {type: text, default: '0451', title: The code, note: Four digits}}
        events:
          turn: {args: {digits: {type: text 4..4, title: Four digits}}, title: Turn the wheel}
          force: {args: {}, hidden: players}
          push: {button: integer 3..9}
        states:
          shut:
            title: Locked safe
            note: Nobody has the code yet
            show: {text: Find the code}
            data: {secret: {type: "text = hush", hidden: players}}
            timers:
              timeUp: {after: 10m, title: Time to open it}
              trap: {after: 20m, hidden: players}
            on: {turn: [{if: digits == '9999', refuse: {digits: nothing moves}}, {if: digits == '8888', refuse: {digits: really?}}, {if: digits == settings.code, to: open}], force: open, push: stay, timeUp: shut, trap: shut}
          open: {title: Open at last, timers: {home: {after: 5m}}, on: {home: shut}}

        """

    @Test
    func
        `the players' page shows the pictures of a flow, plays its sounds, and applies the operator's theme`()
        throws
    {
        scripts.folder.write(
            "gallery.yaml",
            """
            flow: gallery
            start: empty
            effects: [play]
            events: {hang: {}, take: {}, dim: {}, music: {}, anthem: {}, quiet: {}}
            states:
              empty:
                on:
                  hang: full
                  dim: dark
                  music: {do: [play: {sound: bell.wav, loop: true}]}
                  anthem: {do: [play: {sound: bell.wav, loop: true, until: game}]}
              dark: {on: {take: empty, quiet: {do: [play: {stop: true}]}}}
              full: {show: {picture: art/blue.svg, sound: bell.wav}, on: {take: empty}}

            """)
        let media = Folder()
        _ = ShellCommand.run("mkdir '\(media.path)/art'")
        media.write(
            "art/blue.svg",
            "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40' onload='top.document.title=\"executed\"'>"
                + "<script>top.document.title='executed'</script><image href='/page/elsewhere.svg'/>"
                + "<rect width='40' height='40' fill='blue'/></svg>"
        )
        media.write("bell.wav", "not read")
        media.write("theme.css", ":root { --accent: #654321 }")
        _ = ShellCommand.run("mkdir '\(media.path)/themes'")
        media.write("themes/gallery.css", ":root { --accent: #123456 }")
        media.write("themes/other.css", ":root { --accent: #000001 }")
        let arguments = ["--flows", scripts.folder.path, "--media", media.path]
        try scripts.expectSuccess("media", arguments)
    }

    @Test func `a video plays once in a visit on each screen, and the first end counts`() throws {
        scripts.folder.write(
            "show.yaml",
            """
            flow: show
            start: doors
            events: {startShow: {}, startRound: {}, again: {}, missing: {}, buzz: {args: {}, buzz: true}}
            states:
              doors: {title: Doors open, on: {startShow: intro}}
              intro:
                title: The film
                show: {text: Welcome, video: intro.webm, ended: startRound}
                timers: {limit: {after: 10m}}
                on: {startRound: round, limit: round}
              round: {title: First round, on: {again: doors, missing: lost, buzz: stay}}
              lost: {title: No film, show: {video: lost.mp4}, on: {again: doors}}

            """)
        let media = Folder()
        try scripts.expectSuccess(
            "videos", ["--flows", scripts.folder.path, "--media", media.path],
            scriptArguments: [media.path])
    }

    @Test func `the desk marks a session with a missing text or a refused timer`() throws {
        scripts.folder.write(
            "faulty.yaml",
            """
            flow: faulty
            start: a
            effects: [say]
            events: {empty: {}, fill: {}, speak: {}, home: {}}
            states:
              a:
                data: {players: integer = 1}
                show: {title: "=text(60 / players) + ' minutes each'"}
                on:
                  empty: {with: {players: 0}}
                  fill: {to: b}
                  speak: {do: [say: {text: "=text(60 / (players - 1))"}]}
              b:
                timers: {ring: {after: 10s}}
                on: {ring: {refuse: the bell is away}, home: {to: a, with: {players: 1}}}

            """)
        try scripts.expectSuccess(
            "marks", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    @Test func `people join with the code on the wall while the state shows it`() throws {
        scripts.folder.write(
            "party.yaml",
            """
            flow: party
            title: Friday party
            start: lobby
            events: {begin: {}, home: {}, buzz: {args: {player: text}, buzz: true}}
            states:
              lobby: {title: Take your phone, show: {join: true}, on: {begin: round}}
              round: {title: Round one, on: {home: lobby, buzz: stay}}

            """)
        try scripts.expectSuccess(
            "joins_from_wall", ["--flows", scripts.folder.path],
            configurationLines: "allow token:hall observe\n")
    }

    @Test
    func
        `a wall shows one thing at a time in large letters, and phones and walls show the final ranking`()
        throws
    {
        let example = "Examples/quiz-night"
        _ = ShellCommand.run("cp \(example)/*.yaml \(example)/*.csv '\(scripts.folder.path)'")
        scripts.folder.write("guests.yaml", Self.guestsFlow)
        let arguments = [
            "--clock", "virtual", "--flows", scripts.folder.path, "--media", "\(example)/media",
        ]
        try scripts.expectSuccess("wall", arguments)
    }

    private static let guestsFlow = """
        flow: guests
        title: Guests
        start: lobby
        data:
          here: {type: set, default: none, title: Here}
          votes: {type: tally, default: none, title: Votes}
          names: {type: text 0..1000, default: 'Welcome', title: Names}
        events: {come: {args: {name: text}}, vote: {args: {name: text}}, write: {args: {name: text}}, go: {}}
        states:
          lobby:
            title: Who is here
            players: [here, votes]
            on:
              come: {with: {here: =here + name}}
              vote: {with: {votes: "=add(votes, name, 1)"}}
              write: {with: {names: "=names + ', ' + name"}}
              go: came
          came: {title: Who came, show: {title: Who came, text: =names}, players: [], on: {go: datum}}
          datum: {title: Who came, players: [names], on: {go: empty}}
          empty: {title: Nobody, show: {title: Nobody, text: Nobody is here}, players: [], on: {go: lobby}}

        """

    @Test
    func `an overlay is transparent, and an own page in it can neither read cookies nor send`()
        throws
    {
        let media = Folder()
        media.write("own.html", Self.ownPage)
        _ = ShellCommand.run(
            "cp Examples/quiz-night/media/* Examples/cases/overlay/scores.html '\(media.path)'")
        let arguments = ["--flows", "Examples/quiz-night", "--media", media.path]
        try scripts.expectSuccess("overlay", ["--clock", "virtual"] + arguments)
    }

    private static let ownPage = """
        <!doctype html>
        <p id="state"></p><p id="first"></p><p id="origin"></p><p id="send"></p><pre id="all"></pre>
        <script>
        const show = (id, text) => (document.getElementById(id).textContent = text);
        show("origin", String(origin));
        addEventListener("message", ({ data: { method, params } }) => {
            if (document.getElementById("first").textContent === "") show("first", method);
            const session = method === "snapshot" ? params.sessions[0] : params.to;
            if (session) show("state", session.state);
            document.getElementById("all").textContent += JSON.stringify(params);
        });
        fetch("/v1/rpc", { method: "POST" }).then(() => show("send", "sent"), () => show("send", "refused"));
        </script>

        """

    @Test func `nothing internal is on a page for an audience`() throws {
        scripts.folder.write("zzshow.yaml", Self.audienceFlow)
        try scripts.expectSuccess(
            "audience", ["--clock", "virtual", "--flows", scripts.folder.path])
    }

    private static let audienceFlow = """
        flow: zzshow
        title: The show
        start: zzLobby
        settings: {zzSecret: '4711'}
        effects: [zzBell, say]
        data:
          zzPoints: {type: tally, default: none, title: Points}
          zzRound: {type: integer = 1, hidden: players}
          zzSolved: {type: "checklist of radioSet, chart_room, St. Mary", title: Solved}
          zzTeam: {type: "one of redTeam, blueTeam = redTeam", title: Team}
          zzVotes: {type: tally, default: none, title: Votes}
          zzGuests: {type: tally, default: none, title: Guests}
        events:
          zzCheck: {args: {zzCode: {type: text 4..4, title: Code}}, title: Try the code}
          zzAsk: {args: {}, hidden: players}
          zzCome: {args: {zzName: text}, hidden: players}
          zzEnd: {args: {}, hidden: players}
          zzSolve: {args: {item: "one of radioSet, chart_room, St. Mary"}, ticks: zzSolved, hidden: players}
          zzPick: {args: {zzTeam: {type: "one of redTeam, blueTeam", title: Team}}, title: Choose a team}
          zzSwap: {args: {zzTeam: {type: "one of redTeam, blueTeam", title: Team}, zzWhy: {type: text, title: Why}}, title: Swap}
          zzBuzz: {args: {player: text 1..12}, title: Press, buzz: true}
        states:
          zzLobby:
            title: zz for operators
            show: {title: Welcome, text: Find the code}
            timers: {zzIdle: {after: 10m}}
            on:
              zzIdle: stay
              zzCheck:
                - {if: zzCode == settings.zzSecret, to: zzReady, do: [zzBell, say: {text: Well done}]}
                - {refuse: {zzCode: That is not the code}}
          zzReady:
            title: zz
            show: {title: Ready?}
            on:
              zzAsk: zzQuestion
              zzSolve: {with: {zzSolved: =zzSolved + item}}
              "zzPick, zzSwap": {with: {zzTeam: =event.zzTeam, zzVotes: "=add(add(zzVotes, event.zzTeam, 1), 'noTeam', 1)"}}
              zzCome: {with: {zzGuests: "=add(zzGuests, zzName, 1)"}}
          zzQuestion:
            title: zz
            show: {title: Who knows?, text: "='Question ' + text(zzRound)"}
            timers: {zzTime: {after: 30s, title: Time to press}, zzTrick: {after: 20s}}
            on:
              "zzTime, zzTrick": stay
              zzBuzz: {to: zzAnswer, with: {zzPoints: "=add(zzPoints, player, 1)"}}
          zzAnswer:
            title: zz
            data: {player: text}
            show: {title: "=player + ' answers'"}
            on: {zzEnd: zzOver}
          zzOver: {title: zz, show: {title: Thank you}, final: true}

        """

    /// The rings move on the real clock, so the daemon gets no `--clock virtual`.
    @Test func `the rings of timers move between notifications, and cost no requests`() throws {
        try scripts.expectSuccess("rings", [])
    }

    @Test func `the desk shows simulated devices that connect, are pressed, are lost and return`()
        throws
    {
        let scenario = scripts.folder.write(
            "radio.scenario",
            """
            device "Red buzzer" buzzer
            device Key itag rssi=-85 battery=9
            device Stranger itag

            """)
        let configurationLines = """
            map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
            map device=Key service=FFE0 characteristic=FFE1 value=01 event=returnHome

            """
        let arguments = ["--clock", "virtual", "--bluetooth", "sim:\(scenario)"]
        try scripts.expectSuccess("devices", arguments, configurationLines: configurationLines)
    }

    @Test func `the desk lists devices and outputs, and shows HTML in their names as text`() throws
    {
        let scenario = scripts.folder.write("radio.scenario", "device \"Red buzzer\" buzzer\n")
        let configurationLines = """
            map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
            serial door "/nowhere/<b>door</b>"
            evdev hand "/nowhere/<img src=x onerror=alert(1)>"
            mqtt hall mqtt://127.0.0.1:1
            on enter=* session=main mqtt=hall topic=<i>safe</i>/&amp; once=yes

            """
        let arguments = ["--clock", "virtual", "--bluetooth", "sim:\(scenario)"]
        try scripts.expectSuccess(
            "connections", arguments, configurationLines: configurationLines)
    }

    @Test func `a missing controller is reported, and without Bluetooth the page has no devices`()
        throws
    {
        let controller = "hci:unix:\(scripts.folder.path)/nobody"
        try scripts.expectSuccess("devices", ["--bluetooth", controller])
        try scripts.expectSuccess("devices")
    }

    /// `make screenshots` runs the same script for the documentation.
    @Test(.enabled(if: TestLength.isLong))
    func `screenshots of desk and kiosk are made in light and dark`()
        throws
    {
        try scripts.expectSuccess("screenshots", scriptArguments: [scripts.folder.path])
        let imageCount = ShellCommand.run("cd '\(scripts.folder.path)' && ls *.png | wc -l")
        #expect(imageCount == "12\n")
    }
}

/// The desk of one of two nodes.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct BrowserNodesTests {
    private let scripts = BrowserScripts(browser: BrowserProcess())

    @Test func `the desk shows the nodes if there are several`() throws {
        let server = PostgresServer.shared
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let secret = scripts.folder.write(
            "secret", "0123456789abcdef0123456789abcdef\n", mode: 0o600)
        func nodeArguments(_ name: String) -> [String] {
            let address = "127.0.0.1:\(LoopbackPort.findUnused())"
            return [
                "--store", url, "--node", name, "--listen", address, "--advertise", address,
                "--node-secret-file", secret,
            ]
        }
        // The desk must show this name as text, not as HTML.
        let otherNode = try DaemonProcess(nodeArguments("<b>b</b>"))
        try scripts.expectSuccess("nodes", nodeArguments("a"))
        withExtendedLifetime(otherNode) {}
    }
}
