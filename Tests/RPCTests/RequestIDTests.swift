import GameFlow
import JSONCoding
import Sessions
import Testing
import Timers

@testable import RPC

/// The parameter `id` of all methods that change a session: a repeated id gets the first reply again, and changes
/// nothing.
@Suite struct RequestIDTests {
    @Test(arguments: [
        "send id=k displayHelp", "goto id=k help", "open id=k session=room flow=quiz",
        "timer @level id=k timeUp pause", "timer @level id=k timeUp extend by=5s",
    ])
    func `a repeated id gets the first reply, even after some time`(_ request: String)
        throws
    {
        let connection = try TestConnection()
        _ = connection.reply(to: "open @level playingLevel episode=1 level=1")
        let first = connection.reply(to: request)
        #expect(first.hasPrefix("OK"))
        connection.time.advance(by: .milliseconds(300))
        let posBefore = connection.sessions.pos
        #expect(connection.reply(to: request) == first)
        #expect(connection.sessions.pos == posBefore)
        connection.end()
    }

    @Test
    func
        `a repeated id of a close gets the first reply and does not close a later session of that name`()
        throws
    {
        let connection = try TestConnection()
        let first = connection.reply(to: "close @main id=k")
        #expect(first.hasPrefix("OK"))
        #expect(connection.reply(to: "close @main id=k") == first)
        #expect(connection.reply(to: "close @main id=other").hasPrefix("ERR unknownSession"))
        #expect(connection.reply(to: "open session=main flow=game").hasPrefix("OK"))
        #expect(connection.reply(to: "close @main id=k") == first)
        #expect(connection.sessions.count == 1)
        connection.end()
    }

    @Test func `a repeated id of a pause does not pause a timer that was resumed since`() throws {
        let connection = try TestConnection(opensMain: false)
        _ = connection.reply(to: "open @main playingLevel episode=1 level=1")
        _ = connection.reply(to: "timer timeUp pause")
        let first = connection.reply(to: "timer id=k timeUp pause")
        #expect(first.contains("\"paused\":true"))
        _ = connection.reply(to: "timer timeUp resume")
        #expect(connection.reply(to: "timer id=k timeUp pause") == first)
        #expect(connection.reply(to: "status").contains("\"paused\":true") == false)
        connection.end()
    }

    @Test func `an id of a closed session is refused in a new session of its name`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "send id=k displayHelp")
        _ = connection.reply(to: "close @main")
        _ = connection.reply(to: "open session=main flow=game")
        #expect(
            connection.reply(to: "send id=k displayHelp")
                == "ERR stale {\"id\":\"k\",\"forgottenMs\":0}\n")
        #expect(connection.json("status")["state"] == .string("introduction"))
        connection.end()
    }

    @Test func `only a peer that may close a session gets the reply to its closing`() throws {
        let connection = try TestConnection()
        _ = connection.reply(to: "close @main id=k")
        connection.rights = Rights([Grant(.play)])
        #expect(connection.reply(to: "close @main id=k").hasPrefix("ERR forbidden"))
        connection.rights = .everything
        connection.end()
    }

    @Test(arguments: ["goto id=\"\" help", "timer id=\"\" x pause", "close @main id=\"\""])
    func `an empty id is an error`(_ request: String) throws {
        let connection = try TestConnection()
        #expect(
            connection.reply(to: request)
                == "ERR invalidParams {\"why\":\"id: expected 1 to 64 characters\"}\n"
        )
        connection.end()
    }

    @Test(arguments: ["send id=k displayHelp", "goto id=k help", "timer id=k x pause"])
    func `a request with the id of another method's request gets a reply and changes nothing`(
        _ request: String
    ) throws {
        let connection = try TestConnection(opensMain: false)
        #expect(connection.reply(to: "open id=k session=main flow=game").hasPrefix("OK"))
        #expect(connection.reply(to: request).hasPrefix("OK"))
        #expect(connection.sessions.pos == 1)
        #expect(connection.json("status")["state"] == .string("introduction"))
        connection.end()
    }
}
