import Connections
import Glibc
import TestSupport
import Testing

/// Timers that fire because of a request, and the answer to the request.
@Suite struct FollowingTimerTests {
    private let folder = Folder()

    private func start(_ flow: String, _ lines: String = "") throws -> DaemonProcess {
        folder.write("f.yaml", flow)
        folder.write("gamed.conf", "flows \(folder.path)\nno-main\n\(lines)\n")
        return try DaemonProcess(
            ["--config", "\(folder.path)/gamed.conf", "--clock", "virtual"])
    }

    @Test func `states whose countdown is zero follow each other before the next request`() throws {
        let daemon = try start(
            """
            flow: f
            start: s1
            events: {go: {}}
            states:
              s1: {timers: {t1: {after: 0s}}, on: {t1: s2, go: early}}
              s2: {timers: {t2: {after: 0s}}, on: {t2: s3, go: early}}
              s3: {timers: {t3: {after: 0s}}, on: {t3: s4, go: early}}
              s4: {on: {go: stay}}
              early: {final: true}
            """)
        let client = try Client(daemon.socket)
        client.write("open @a flow=f\nsend @a go\nstatus @a\n")
        #expect(client.line()?.hasPrefix("OK") == true)
        #expect(client.line()?.contains(#""to":{"state":"s4""#) == true)
        #expect(client.line()?.contains(#""seq":4"#) == true)
    }

    @Test func `advance lists the timers that fire while a link is carried out`() throws {
        let daemon = try start(
            """
            flow: f
            start: one
            events: {ping: {}}
            states:
              one: {timers: {t: {after: 5s}}, on: {t: two, ping: stay}}
              two: {}
            """, "on enter=two session=a send=@b ping")
        let client = try Client(daemon.socket)
        for name in ["a", "b"] { #expect(client.ask("open @\(name) flow=f").hasPrefix("OK")) }
        let answer = client.ask("advance 5s")
        #expect(
            answer.contains(
                #/"fired":\[{"session":"a","fires":"t","atMs":5000},{"session":"b","fires":"t","atMs":5000}\]/#
            ), "\(answer)")
    }

    @Test func `the answer to an undo is the undo, although a timer fires after it`() throws {
        let daemon = try start(
            """
            flow: f
            start: idle
            events: {boom: {}}
            states:
              idle: {on: {boom: busy}}
              busy: {timers: {over: {after: 3s}}, on: {over: idle}}
            """)
        let client = try Client(daemon.socket)
        for request in ["open @m flow=f", "send @m boom", "goto @m idle", "advance 5s"] {
            #expect(client.ask(request).hasPrefix("OK"))
        }
        let answer = client.ask("undo @m id=u1 clocks=run")
        #expect(answer.contains(#""kind":"undo""#), "\(answer)")
        #expect(client.ask("undo @m id=u1 clocks=run") == answer)
        #expect(client.ask("status @m").contains(#""state":"idle""#))
    }

    @Test
    func `the answer to a request does not show what timers do after it, also after a restart`()
        throws
    {
        let flow = """
            flow: f
            start: one
            states:
              one: {timers: {t: {after: 0s}}, on: {t: two}}
              two: {timers: {u: {after: 5s}}, on: {u: three}}
              three: {}
            """
        let lines = "state-dir \(folder.path)/state"
        let requests = ["open @a flow=f id=o1", "timer @a u set to=0s id=t1"]
        var daemon = try start(flow, lines)
        var client = try Client(daemon.socket)
        let answers = requests.map { client.ask($0) }
        #expect(answers[0].contains(#""state":"one""#) && answers[1].contains(#""state":"two""#))
        #expect(client.ask("status @a").contains(#""state":"three""#))
        #expect(requests.map { client.ask($0) } == answers)
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        daemon = try start(flow, lines)
        client = try Client(daemon.socket)
        #expect(requests.map { client.ask($0) } == answers)
    }

    @Test func `subtracting nothing from a countdown leaves its place in the order`() throws {
        let daemon = try start(
            """
            flow: f
            start: a
            data: {order: text = ''}
            states:
              a:
                timers: {t0: {after: 5s}, t1: {after: 5s}}
                on: {t0: {with: {order: "=order + '0'"}}, t1: {with: {order: "=order + '1'"}}}
            """)
        let client = try Client(daemon.socket)
        for request in ["open @a flow=f", "timer @a t0 shorten by=0s", "advance 5s"] {
            #expect(client.ask(request).hasPrefix("OK"))
        }
        #expect(client.ask("status @a").contains(#""order":"01""#))
    }

    @Test func `a session whose flow was removed is not opened again with another flow`() throws {
        let daemon = try start("flow: room\nstart: a\nstates:\n  a: {}\n")
        let client = try Client(daemon.socket)
        let opening = client.ask("open @r flow=room id=o1")
        #expect(opening.hasPrefix("OK"))
        unlink("\(folder.path)/f.yaml")
        #expect(client.ask("reload").hasPrefix("OK"))
        #expect(client.ask("open @r again=true").hasPrefix("ERR unknownFlow"))
        #expect(client.ask("status @r").contains(#""flow":"room""#))
        // A repeated request gets its answer before the flow is looked for.
        #expect(client.ask("open @r flow=room id=o1") == opening)
    }
}
