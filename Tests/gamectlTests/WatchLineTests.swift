import Testing

@testable import GamectlTool

struct WatchLineTests {
    private func text(
        _ method: String, _ params: String, showsSession: Bool = false
    ) throws -> String? {
        let watchLine = WatchLine(
            printer: SampleReplies.printer, isVirtual: true, showsSession: showsSession)
        return try watchLine.text(SampleReplies.notification(method, params))
    }

    @Test func `a change line has the time and the source`() throws {
        #expect(
            try text("change", SampleReplies.change())
                == "0:00:30.000  #17   playingLevel → finishedLevel  completeLevel score=100"
                + "  [presentScore]  pid 123")
    }

    @Test func `lines of several sessions have the session's name`() throws {
        let line = try text("change", SampleReplies.change(), showsSession: true)
        #expect(line?.hasPrefix("0:00:30.000  main  #17 ") == true)
    }

    @Test func `a beat line has the number of missed beats`() throws {
        let beat = """
            {"session":"main","kind":"keep","event":{"name":"tick","args":{}},\
            "source":{"kind":"timer"},"from":{"state":"a","data":{}},"to":{"state":"a","data":{}},\
            "missed":2,"timers":[],"atMs":1000,"time":""}
            """
        #expect(try text("beat", beat) == "0:00:01.000        a  tick  (2 missed)  timer")
    }

    @Test func `a refusal line has the error's name and reason`() throws {
        let refused = """
            {"session":"main","event":{"name":"pause","args":{}},"source":{"kind":"bluetooth",\
            "peer":{"device":"11:22"}},"error":{"code":1,"message":"noTransition","data":\
            {"event":"pause","state":"help","accepts":["dismissHelp"]}},"atMs":0,"time":""}
            """
        #expect(
            try text("refused", refused)
                == "0:00:00.000        refused noTransition  pause  "
                + "(help does not take pause; it accepts dismissHelp)  bluetooth 11:22")
    }

    @Test func `a gap line has the present state`() throws {
        #expect(
            try text("gap", #"{"session":"main","state":"help","seq":9,"since":2}"#)
                == "gap: changes after #2 are no longer remembered; now in help (#9)")
        #expect(
            try text("gap", #"{"session":"*","since":2,"pos":9,"sessions":[{}],"more":true}"#)
                == "gap: changes after pos 2 are no longer remembered; now at least 1 session")
    }

    @Test func `heartbeats and unknown notifications are not printed`() throws {
        #expect(try text("heartbeat", "{}") == nil)
        #expect(try text("somethingNew", "{}") == nil)
    }

    @Test(arguments: ["change", "beat", "refused", "gap"])
    func `a notification without members is a protocol error`(method: String) {
        let error = #expect(throws: CommandError.self) { try text(method, "{}") }
        #expect(error?.status == .protocolError)
    }
}
