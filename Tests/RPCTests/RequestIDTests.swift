import GameFlow
import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

/// The id of a request, which every method that changes a session takes: the same id again gets the first answer
/// again, and changes nothing.
@Suite struct RequestIDTests {
    @Test(arguments: [
        "send id=k displayHelp", "goto id=k help", "open id=k session=room flow=quiz",
        "timer @level id=k timeUp pause", "timer @level id=k timeUp extend by=5s",
    ])
    func `a repeated id gets the first reply, even after some time`(_ request: String)
        throws
    {
        let line = try TestConnection()
        _ = line.say("open @level playingLevel episode=1 level=1")
        let first = line.say(request)
        #expect(first.hasPrefix("OK"))
        line.time.advance(by: .milliseconds(300))
        let before = line.sessions.pos
        #expect(line.say(request) == first)
        #expect(line.sessions.pos == before)
        line.end()
    }

    @Test
    func
        `a repeated id of a close gets the first reply and does not close a later session of that name`()
        throws
    {
        let line = try TestConnection()
        let first = line.say("close @main id=k")
        #expect(first.hasPrefix("OK"))
        #expect(line.say("close @main id=k") == first)
        #expect(line.say("close @main id=other").hasPrefix("ERR unknownSession"))
        #expect(line.say("open session=main flow=game").hasPrefix("OK"))
        #expect(line.say("close @main id=k") == first)
        #expect(line.sessions.count == 1)
        line.end()
    }

    @Test func `pausing twice by one id does not pause again after the timer was resumed`() throws {
        let line = try TestConnection(opensMain: false)
        _ = line.say("open @main playingLevel episode=1 level=1")
        _ = line.say("timer timeUp pause")
        let first = line.say("timer id=k timeUp pause")
        #expect(first.contains("\"paused\":true"))
        _ = line.say("timer timeUp resume")
        #expect(line.say("timer id=k timeUp pause") == first)
        #expect(line.say("status").contains("\"paused\":true") == false)
        line.end()
    }

    @Test func `the ids of a closed session are removed`() throws {
        let line = try TestConnection()
        _ = line.say("send id=k displayHelp")
        _ = line.say("close @main")
        _ = line.say("open session=main flow=game")
        #expect(line.say("send id=k displayHelp").contains("\"seq\":2"))
        #expect(line.json("status")["state"] == .string("help"))
        line.end()
    }

    @Test func `only a peer that may close a session gets the reply to its closing`() throws {
        let line = try TestConnection()
        _ = line.say("close @main id=k")
        line.rights = Rights([Grant(.play)])
        #expect(line.say("close @main id=k").hasPrefix("ERR forbidden"))
        line.rights = .everything
        line.end()
    }

    @Test(arguments: ["goto id=\"\" help", "timer id=\"\" x pause", "close @main id=\"\""])
    func `an empty id is an error`(_ request: String) throws {
        let line = try TestConnection()
        #expect(
            line.say(request) == "ERR invalidParams {\"why\":\"id: expected 1 to 64 characters\"}\n"
        )
        line.end()
    }

    @Test(arguments: ["send id=k displayHelp", "goto id=k help", "timer id=k x pause"])
    func `an id that was used with another method is an error and changes nothing`(
        _ request: String
    ) throws {
        let line = try TestConnection(opensMain: false)
        #expect(line.say("open id=k session=main flow=game").hasPrefix("OK"))
        #expect(line.say(request).hasPrefix("OK"))
        #expect(line.sessions.pos == 1)
        #expect(line.json("status")["state"] == .string("introduction"))
        line.end()
    }
}
