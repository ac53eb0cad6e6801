import Testing

@testable import gamectl

struct WatchLineTests {
    private func text(
        _ method: String, _ params: String, showsSession: Bool = false
    ) throws -> String? {
        let writer = WatchLine(
            printer: SampleReplies.printer, isVirtual: true, showsSession: showsSession)
        return try writer.text(SampleReplies.notice(method, params))
    }

    @Test func `a change is told with its time and its source`() throws {
        #expect(
            try text("change", SampleReplies.change())
                == "0:00:30.000  #17   playingLevel → finishedLevel  completeLevel score=100"
                + "  [presentScore]  pid 123")
    }

    @Test func `of several sessions the name is told`() throws {
        let line = try text("change", SampleReplies.change(), showsSession: true)
        #expect(line?.hasPrefix("0:00:30.000  main  #17 ") == true)
    }

    @Test func `a beat tells what was missed`() throws {
        let beat = """
            {"session":"main","kind":"keep","event":{"name":"tick","args":{}},\
            "source":{"kind":"timer"},"from":{"state":"a","data":{}},"to":{"state":"a","data":{}},\
            "missed":2,"timers":[],"atMs":1000,"time":""}
            """
        #expect(try text("beat", beat) == "0:00:01.000        a  tick  (2 missed)  timer")
    }

    @Test func `a refusal is told by its name, and why`() throws {
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

    @Test func `a gap says what is now`() throws {
        #expect(
            try text("gap", #"{"session":"main","state":"help","seq":9,"since":2}"#)
                == "gap: what came after #2 is not known any more; now in help (#9)")
        #expect(
            try text("gap", #"{"session":"*","since":2,"pos":9,"sessions":[{}],"more":true}"#)
                == "gap: what came after pos 2 is not known any more; now at least 1 sessions")
    }

    @Test func `a heartbeat, or something new, is nothing to people`() throws {
        #expect(try text("heartbeat", "{}") == nil)
        #expect(try text("somethingNew", "{}") == nil)
    }

    @Test(arguments: ["change", "beat", "refused", "gap"])
    func `a notification that lacks everything is the protocol's fault`(method: String) {
        let error = #expect(throws: Failure.self) { try text(method, "{}") }
        #expect(error?.status == .fault)
    }
}
