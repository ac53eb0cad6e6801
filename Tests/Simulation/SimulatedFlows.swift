import FlowFiles
import GameFlow
import Sessions
import ShippedFlows
import TestSupport

/// The flows of a simulated daemon: Swift flows, and flow files in two versions.
struct SimulatedFlows {
    /// The flows with which sessions are opened.
    let offered: [AnyFlow]

    /// A version of the flow files. A comment at its end distinguishes the second version from the first.
    enum FileVersion { case first, second }

    init(_ version: FileVersion) {
        let comment = version == .second ? Array("# another version\n".utf8) : []
        let files = (Self.texts + [Self.talk, Self.stage]).map { text in
            // Other tests check that the examples are valid.
            try! FlowFile(text: text + comment, file: "example").flow
        }
        offered = AnyFlow.shipped() + [AnyFlow(Lamp())] + files
    }

    /// The texts of the flow files.
    private static let texts: [[UInt8]] = ["game", "quiz", "vault"].map { name in
        Array(RepositoryFile.text("Examples/flows/\(name).yaml").utf8)
    }

    /// A flow with timers of all forms.
    private static let talk = Array(
        """
        flow: talk
        start: speaking
        events: {hold: , go: , less: {by: duration}, put: {to: duration}, next: , again: }
        effects: [bell]
        states:
          speaking:
            data: {late: duration -24h..24h = 0s}
            timers:
              lamp: {after: 3s, paused: true}
              work: {up: true, restart: remaining}
              end: {after: 20s, overtime: true, restart: remaining}
              lastSeconds: {when: {left: 5s, of: end}}
              tooLate: {when: {left: -5s, of: end}}
            on:
              lamp: {do: bell}
              end: stay
              lastSeconds: {do: bell}
              tooLate: stay
              hold: {pause: [work, end]}
              go: {resume: [lamp, work, end]}
              less: {shorten: {end: =by}}
              put: {set: {end: =to, work: =to}}
              next: {to: speaking, left: {end: =left(end)}, with: {late: =left(end)}}
              again: {restart: [work, end]}

        """.utf8)

    /// A flow with data of the flow, a checklist, a table, random values, rows that go back, a time of day, and an event that is
    /// taken as another one.
    private static let stage = Array(
        """
        flow: stage
        start: lobby
        tables: {cards: {columns: {name: text}, rows: [{name: a}, {name: b}, {name: c}, {name: d}]}}
        effects: [bell, say]
        data:
          points: {type: integer 0..9 = 0}
          done: {type: 'checklist of radio, chart'}
        events:
          tick: {args: {item: 'one of radio, chart'}, ticks: done}
          deal:
          roll:
          begin:
          hint:
          look:
          close:
          score: {by: integer 1..9}
          force: {by: integer 1..9}
          stop:
        states:
          lobby:
            data: {seq: order of cards}
            on:
              tick: [{if: item in done, with: {done: =done - item}}, {with: {done: =done + item}}]
              deal: {with: {seq: =shuffle(cards)}}
              begin: [{if: all(done), to: playing, with: {first: "='' if count(seq) == 0 else cards[seq[1]].name"}}, {refuse: not ready}]
          playing:
            data: {first: text = '', dice: integer 0..6 = 0}
            timers:
              end: {after: 90s, restart: remaining}
              beat: {every: 7s}
              midnight: {until: '00:00'}
            enter: [bell]
            leave: [bell]
            on:
              roll: {with: {dice: =random(1..6)}, do: [say: {text: '=text(dice)', for: 5s}]}
              score: {if: points + by in 0..9, with: {points: =points + by}, else: {refuse: {by: too many}}}
              force: {as: score}
              midnight: {do: bell}
              hint: hint
              beat: {with: {points: "=min(points + 1, 9)"}}
              end: {to: lobby, with: {done: none, points: 0}}
          hint:
            timers: {read: {after: 20s}}
            on:
              score: {with: {points: "=min(points + by, 9)"}}
              look: detail
              close: {back: true, with: {points: "=max(points - 1, 0)"}}
              read: {back: true}
          detail:
            on:
              close: {back: true, do: bell}
        everywhere:
          except: [lobby]
          on: {stop: {to: lobby}}

        """.utf8)

    /// A catalog that can also build the versions of flow files that are recorded in a journal.
    var catalog: FlowCatalog {
        FlowCatalog(offered.map { .init($0) }, read: FlowFile.flow(of:))
    }
}
