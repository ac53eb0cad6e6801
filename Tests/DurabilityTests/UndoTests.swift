import FlowFiles
import GameFlow
import JournalTestSupport
import Sessions
import TestSupport
import Testing
import Timers

/// Undo of requests that are recorded in a journal.
@Suite struct UndoTests {
    /// `knock` keeps the state and posts `ring`, which leads to the next state.
    private static let text = """
        flow: door
        start: shut
        events: {ring: {}, knock: {}}
        states:
          shut: {on: {ring: open, knock: {post: ring}}}
          open: {on: {ring: shut, knock: {post: ring}}}
        """

    @Test(arguments: [nil, "id"])
    func `an undo takes back one request, also one that keeps its state and posts an event`(
        _ id: String?
    ) throws {
        let flow = try FlowFile(text: Array(Self.text.utf8), file: "door.yaml").flow
        let sessions = Sessions([flow], on: VirtualClock())
        var rowCount = 0
        sessions.recorder = { _, _ in
            rowCount += 1
            return JournalPosition(position: rowCount, checksum: 0)
        }
        _ = try sessions.open(.main, flow, RequestContext(from: Players.player))
        let main = try sessions.session(.main)
        try sessions.send("ring", to: main, RequestContext(from: Players.player))
        try sessions.send("knock", to: main, RequestContext(from: Players.player, id: id))
        #expect(main.machine.place.state == "shut")
        try sessions.undo(main, RequestContext(from: Players.player))
        #expect(main.machine.place.state == "open")
        try sessions.undo(main, RequestContext(from: Players.player))
        #expect(main.machine.place.state == "shut")
        main.machine.end()
    }
}
