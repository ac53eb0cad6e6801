import GameFlow
import Sessions
import Testing

@testable import GamectlTool

struct ErrorReplyTests {
    private func sentence(_ code: Int, _ name: String, _ data: String = "{}") throws -> String {
        try SampleReplies.errorReply(code, name, data).sentence
    }

    @Test func `noTransition lists the events that are accepted`() throws {
        let data = """
            {"event":"pause","state":"introduction","accepts":["displayHelp","startPlaying"]}
            """
        #expect(
            try sentence(1, "noTransition", data)
                == "noTransition: introduction does not take pause; "
                + "it accepts displayHelp, startPlaying")
    }

    @Test func `the error of a stale request says the present entry or the limit of age`() throws {
        #expect(
            try sentence(8, "stale", #"{"entry":3,"present":5}"#)
                == "stale: the session has entered a state since entry 3; the present entry is 5")
        #expect(
            try sentence(8, "stale", #"{"ageMs":4000,"limitMs":3000}"#)
                == "stale: the event is 4000 ms old; the limit is 3000 ms")
    }

    @Test func `the reason why an undo is refused is a sentence without the parameter's name`()
        throws
    {
        let data = #"{"session":"main","seq":null,"why":"nothing to undo"}"#
        #expect(try sentence(2, "invalid", data) == "nothing to undo")
        let ofEvent = #"{"event":"buzz","argument":"seq","why":"missing"}"#
        #expect(try sentence(2, "invalid", ofEvent) == "invalid: buzz seq: missing")
    }

    @Test func `noTransition names the source of the earlier event`() throws {
        let data = """
            {"event":"buzz","state":"buzzed","accepts":[],"last":{"event":"buzz","args":{},\
            "source":{"kind":"unix","peer":{"pid":7,"uid":0,"gid":0}},"seq":4,"atMs":0}}
            """
        #expect(
            try sentence(1, "noTransition", data)
                == "noTransition: buzzed does not take buzz; it accepts nothing; "
                + "pid 7 was first with buzz (#4)")
    }

    @Test func `an event that the state takes in other cases is refused without a contradiction`()
        throws
    {
        let data = """
            {"event":"force","state":"playing","accepts":["hint","force"],"last":{\
            "source":{"kind":"unix","peer":{"pid":7,"uid":0,"gid":0}},"seq":2,"atMs":0}}
            """
        #expect(
            try sentence(1, "noTransition", data)
                == "noTransition: playing does not take force now, or not with these arguments; "
                + "it accepts hint, force")
    }

    @Test func `an unknown name gets a suggestion`() throws {
        let data = #"{"event":"displayHlp","didYouMean":["displayHelp"]}"#
        #expect(
            try sentence(6, "unknownEvent", data)
                == "unknownEvent: there is no event displayHlp; did you mean displayHelp?")
        #expect(
            try sentence(5, "unknownSession", #"{"session":"x","didYouMean":[]}"#)
                == "unknownSession: there is no session x")
    }

    @Test func `an error found by gamectl has the daemon's form`() {
        let refused = ErrorReply(.unknownState("hlep", didYouMean: ["help"]))
        #expect(
            String(decoding: refused.raw, as: UTF8.self)
                == #"{"code":15,"message":"unknownState","data":{"state":"hlep","didYouMean":["help"]}}"#
        )
        #expect(
            refused.sentence == "unknownState: there is no state hlep; did you mean help?")
        #expect(
            String(
                decoding: ErrorReply(.unknownSession("x", didYouMean: [])).raw, as: UTF8.self)
                == #"{"code":5,"message":"unknownSession","data":{"session":"x","didYouMean":[]}}"#)
    }

    @Test func `an invalid argument is named with the reason`() throws {
        let data = #"{"event":"chooseLevel","argument":"level","why":"missing"}"#
        #expect(try sentence(2, "invalid", data) == "invalid: chooseLevel level: missing")
        let state = #"{"state":"paused","argument":"level","why":"missing"}"#
        #expect(try sentence(2, "invalid", state) == "invalid: paused level: missing")
    }

    @Test func `a storage error says why, and whether the request was carried out`() throws {
        let why =
            "main could not be restored after the restart: x; `gamectl close @main` discards it"
        #expect(
            try sentence(12, "storage", #"{"why":"\#(why)","outcome":"undone"}"#)
                == "\(why). Nothing was changed.")
        #expect(
            try sentence(12, "storage", #"{"why":"no space","outcome":"unknown"}"#)
                == "no space. The request may have been carried out: send it again with the same id to "
                + "find out.")
    }

    @Test func `a forbidden request names the rule that would allow it`() throws {
        let user = CurrentUser.name
        #expect(
            try sentence(4, "forbidden", #"{"method":"token","source":"unix","needs":"operate"}"#)
                == "token needs operate: run as root, or add `allow uid:\(user) operate` to the configuration"
        )
        #expect(
            try sentence(4, "forbidden", #"{"event":"buzz","source":"unix","needs":"play in r1"}"#)
                == "buzz needs play in r1: add `allow uid:\(user) play session=r1` to the configuration"
        )
        #expect(
            try sentence(
                4, "forbidden",
                #"{"method":"list","source":"unix","needs":"operate in every session"}"#
            ).hasSuffix("run as root, or add `allow uid:\(user) operate` to the configuration"))
        #expect(
            try sentence(4, "forbidden", #"{"event":"tick","source":"unix","needs":"timer"}"#)
                == "forbidden: tick may not come from unix, only from timer")
        #expect(
            try sentence(
                4, "forbidden",
                #"{"method":"auth","source":"unix","needs":"a valid token"}"#)
                == "forbidden: auth needs a valid token")
    }

    @Test func `a JSON-RPC error has the name that it has in the text dialect`() throws {
        #expect(
            try sentence(-32602, "Invalid params", #"{"why":"by: missing"}"#)
                == "invalidParams: by: missing")
        #expect(try sentence(-32603, "Internal error") == "internalError")
    }

    @Test(arguments: [
        "noTransition", "invalid", "hookRefused", "forbidden", "unknownSession", "unknownEvent",
        "finished", "stale", "deferQueueFull", "exists", "limit", "storage", "unknownFlow",
        "notVirtual", "unknownState", "aNewOne",
    ])
    func `an error without data has a sentence`(name: String) throws {
        #expect(try sentence(1, name).hasPrefix(name))
        #expect(try sentence(1, name, #"{"accepts":7,"last":[],"didYouMean":[1]}"#).hasPrefix(name))
    }

    @Test func `control characters in an error are escaped`() throws {
        let data = #"{"session":"a\u001b[2J\nb","didYouMean":[]}"#
        #expect(
            try sentence(5, "unknownSession", data)
                == #"unknownSession: there is no session a\u001b[2J\u000ab"#)
    }

    @Test func `the members of an error keep the daemon's order`() throws {
        let raw = try SampleReplies.errorReply(15, "unknownState", #"{"state":"x"}"#).raw
        #expect(
            String(decoding: raw, as: UTF8.self)
                == #"{"code":15,"message":"unknownState","data":{"state":"x"}}"#)
    }
}
