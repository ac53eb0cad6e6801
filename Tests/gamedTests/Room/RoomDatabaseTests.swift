import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Inputs of nodes that share a database: messages of mosquitto, requests of curl, and presses of simulated Bluetooth devices.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct RoomDatabaseTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    @Test func `a message with an id is one event, although both nodes get it`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let lines = """
            mqtt hall mqtt://127.0.0.1:\(port)
            map mqtt=hall topic=room/+/a-topic-that-makes-the-id-longer-than-that-of-a-client event=start args={"rounds":"$json.n"} session=$topic2 id=$json.id

            """
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        try cluster.waitForBalancedShards(of: [a, b])
        #expect(a.waitFor("mqtt hall: connected") && b.waitFor("mqtt hall: connected"))
        let client = try Client(a.socket)
        let names = (1...8).map { "s\($0)" }
        for name in names {
            #expect(client.ask("open @\(name) flow=quiz").hasPrefix("OK"))
            let topic = "room/\(name)/a-topic-that-makes-the-id-longer-than-that-of-a-client"
            let message = #"{"n":3,"id":"boot-1-\#(name)"}"#
            #expect(
                ShellCommand.run("mosquitto_pub -p \(port) -q 1 -t \(topic) -m '\(message)'") == "")
        }
        // Both nodes have had an answer for each message.
        for node in [a, b] {
            let counts = ShellCommand.run(
                """
                counts() { gamectl --socket "$S" --json sources hall | grep -oE '"taken":[0-9]+|"repeated":[0-9]+' | cut -d: -f2 | paste -sd+; }
                until [ $(($(counts))) = 8 ]; do sleep 0.1; done; echo answered
                """, node)
            #expect(counts == "answered\n", "\(counts)")
        }
        for name in names {
            let history = client.ask("history @\(name)")
            #expect(history.ranges(of: #""name":"start""#).count == 1, "\(history)")
        }
    }

    @Test
    func
        `devices of one node send events to sessions of all nodes, and get these sessions' outputs`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        // In the flow `quiz`, `buzz` leads to the state `locked`.
        let lines = """
            mqtt hall mqtt://127.0.0.1:\(port) node=a
            map mqtt=hall topic=room/+/start event=start args={"rounds":"$payload"} session=$topic2 node=a
            map mqtt=hall topic=room/+/leave event=abandon session=$topic2 node=a
            map mqtt=hall topic=odd payload=ON event=abandon session=s1 node=a
            serial door \(cluster.folder.path)/tty node=a
            on enter=locked session=s* mqtt=hall topic=out payload=$session
            on enter=locked session=s* serial=door line="Q $session"
            map mqtt=hall topic=room/+/buzz event=buzz args={"player":"$payload"} session=$topic2 node=a

            """
        let tty = try SerialPort(link: "\(cluster.folder.path)/tty")
        let subscriber = try ChildProcess(
            ["/usr/bin/mosquitto_sub", "-p", "\(port)", "-t", "out", "-C", "8", "-W", "180"],
            connecting: [1])
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        try cluster.waitForBalancedShards(of: [a, b])
        #expect(a.waitFor("mqtt hall: connected"))
        #expect(!b.output.contains("mqtt hall"))
        let (client, inputWatcher) = (try Client(b.socket), try Client(b.socket))
        #expect(inputWatcher.ask("watch @* topics=inputs").hasPrefix("OK"))
        let sessionNames = (1...8).map { "s\($0)" }
        for name in sessionNames { #expect(client.ask("open @\(name) flow=quiz").hasPrefix("OK")) }
        let messages = sessionNames.map { name in
            """
            mosquitto_pub -p \(port) -q 1 -t room/\(name)/start -m two
            mosquitto_pub -p \(port) -q 1 -t room/\(name)/start -m 3
            mosquitto_pub -p \(port) -q 1 -t room/\(name)/buzz -m ann

            """
        }.joined()
        #expect(ShellCommand.run(messages + "mosquitto_pub -p \(port) -q 1 -t odd -m OFF") == "")
        // No line maps the message `OFF` of topic `odd`. Clients that watch inputs are notified of this message. This includes
        // clients of node b, which has no connection to the broker.
        var unmappedInput = inputWatcher.line() ?? ""
        for _ in 0..<10 where unmappedInput.contains("heartbeat") {
            unmappedInput = inputWatcher.line() ?? ""
        }
        #expect(
            unmappedInput.contains(#""source":"hall","kind":"mqtt","device":"odd","input":"OFF""#),
            "\(unmappedInput)")
        for name in sessionNames {
            let history = client.ask("history @\(name)", until: #""name":"buzz""#)
            #expect(
                history.ranges(of: #""event":{"name":"start","args":{"rounds":3}}"#).count == 1,
                "\(history)")
            #expect(history.ranges(of: #""name":"buzz""#).count == 1, "\(history)")
            #expect(
                history.contains(
                    #""source":{"kind":"mqtt","peer":{"device":"room/\#(name)/start"}}"#),
                "\(history)")
        }
        let sources = ShellCommand.run("gamectl --socket \"$S\" --json sources hall", a)
        // Of the three messages for each session, `two` is refused, because it is not an integer.
        #expect(sources.contains(#""taken":16,"refused":8"#), "\(sources)")
        // The node that has the connection sends the outputs of all sessions, each once.
        let publishedNames = Set(
            subscriber.outputUntilEnd().split(separator: "\n").map(String.init))
        #expect(publishedNames == Set(sessionNames))
        let serialLines = sessionNames.map { _ in tty.nextLine() }
        #expect(Set(serialLines) == Set(sessionNames.map { "Q \($0)\n" }), "\(serialLines)")
        // The owner of some sessions is killed. The messages for these sessions wait for the next owner. Each becomes one event.
        b.signal(SIGKILL)
        b.waitForEnd()
        let leaveMessages = sessionNames.map {
            "mosquitto_pub -p \(port) -q 1 -t room/\($0)/leave -m x\n"
        }
        #expect(ShellCommand.run(leaveMessages.joined()) == "")
        let remainingClient = try Client(a.socket)
        for name in sessionNames {
            let history = remainingClient.ask("history @\(name)", until: #""name":"abandon""#)
            #expect(history.ranges(of: #""name":"abandon""#).count == 1, "\(history)")
        }
    }

    @Test func `form fields of curl are converted to the types of the event's arguments`() throws {
        let node = try cluster.startNode(
            "a", "allow source:web play\nsession web flow=quiz\n", ["--http", "127.0.0.1:0"])
        func curl(_ words: String) -> String {
            ShellCommand.run("curl -s -w ' %{http_code}' \(words)", node)
        }
        let accepted = curl("-d rounds=2 \"$WEB/v1/send/web/start\"")
        #expect(
            accepted.contains(#""args":{"rounds":2}"#) && accepted.hasSuffix("} 200"), "\(accepted)"
        )
        #expect(curl("-d rounds=2 \"$WEB/v1/send/web/start\"").hasSuffix(" 409"))
        #expect(curl("-d '' \"$WEB/v1/send/web/buzz?player=a%20b\"").contains(#""player":"a b""#))
        #expect(curl("-d correct=yes \"$WEB/v1/send/web/judge\"").contains(#""correct":true"#))
        #expect(curl("-d '' \"$WEB/v1/send/web/nothing\"").hasSuffix(" 404"))
        #expect(curl("-d '' \"$WEB/v1/send/nobody/buzz\"").hasSuffix(" 404"))
    }

    @Test
    func
        `a Bluetooth device starts, pauses and resumes eight games, whose sessions belong to several shards`()
        throws
    {
        let radio = cluster.folder.write("radio", "device Red buzzer\n")
        let lines = (1...8).map {
            "map device=Red service=FFF0 characteristic=FFF1 value=01 event=startPlaying session=s\($0)\n"
        }.joined()
        let a = try cluster.startNode("a", lines, ["--bluetooth", "sim:\(radio)"])
        let (client, watcher) = (try Client(a.socket), try Client(a.socket))
        let sessionNames = (1...8).map { "s\($0)" }
        for name in sessionNames {
            #expect(client.ask("open @\(name) flow=game").hasPrefix("OK"))
            #expect(watcher.ask("watch @\(name)").hasPrefix("OK"))
        }
        func simulate(_ words: String) {
            let output = ShellCommand.run("gamectl --socket \"$S\" bluetooth \(words) Red", a)
            #expect(!output.contains("ERR"), "\(output)")
        }
        /// Waits until each session has entered the state. Only changes since the previous call count.
        func waitForAll(_ state: String) {
            var (missing, heartbeats) = (Set(sessionNames), 0)
            while !missing.isEmpty, heartbeats < 3, let line = watcher.line() {
                if line.contains(#""method":"heartbeat""#) { heartbeats += 1 }
                guard line.contains(#""to":{"state":"\#(state)""#) else { continue }
                missing = missing.filter { !line.contains(#""session":"\#($0)""#) }
            }
            #expect(missing.isEmpty, "not \(state): \(missing)")
        }
        // The device is connected some time after the controller is ready, and only presses of a connected device arrive.
        let isReady = (0..<1000).contains { _ in
            ShellCommand.run("gamectl --socket \"$S\" bluetooth", a).split(separator: "\n").contains
            {
                $0.contains(" Red ") && $0.contains(" ready ")
            }
        }
        #expect(isReady)
        simulate("press")
        waitForAll("choosingEpisode")
        for name in sessionNames {
            #expect(client.ask("send @\(name) chooseEpisode episode=1").hasPrefix("OK"))
            #expect(client.ask("send @\(name) chooseLevel level=1").hasPrefix("OK"))
        }
        waitForAll("playingLevel")
        // The loss and the return of the link send the events `deviceLost` and `deviceFound` of the flow to each session of the
        // device: `controllerLost` pauses a game, and `controllerFound` resumes it.
        simulate("drop")
        waitForAll("paused")
        simulate("return")
        waitForAll("playingLevel")
        let output = ShellCommand.run("gamectl --socket \"$S\" --json sources Red", a)
        #expect(output.contains(#""taken":24,"refused":0"#), "\(output)")
    }
}
