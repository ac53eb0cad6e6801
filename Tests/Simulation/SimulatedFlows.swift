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
        let files = (Self.texts + [Self.talk]).map { text in
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

    /// A catalog that can also build the versions of flow files that are recorded in a journal.
    var catalog: FlowCatalog {
        FlowCatalog(offered.map { .init($0) }, read: FlowFile.flow(of:))
    }
}
