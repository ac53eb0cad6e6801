import Connections
import FlowFiles
import GameFlow
import Glibc
import JSONCoding
import RPC
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Inputs
@testable import Parts
@testable import Room

/// Sessions as devices of Home Assistant. `HomeAssistantProgramTests` lets Home Assistant evaluate the templates.
@Suite struct HomeAssistantTests {
    private let folder = Folder()

    private final class ImmediateSurveyor: FlowSurveyor {
        func survey(_ flow: AnyFlow, _ done: @escaping () -> Void) {
            _ = flow.survey
            done()
        }

        func search(_ flow: AnyFlow, _ done: @escaping () -> Void) { survey(flow, done) }
    }

    private static let lampFlow = """
        flow: lamp
        title: The lamp
        start: dark
        events:
          light: {args: {}, title: Switch on}
          dim: {level: integer 0..10}
          name: {text: text 1..8}
          choose: {colour: "one of red, blue"}
          two: {a: integer, b: integer}
          fade: {for: duration}
          wait: {for: duration 1s..2h}
          secret: {args: {}, hidden: players}
        states:
          dark: {title: It is dark, on: {light: lit, secret: stay}}
          lit:
            title: It is bright
            timers:
              burnt: {after: 10m, title: Burns for}
              closes: {until: '20:00', title: Closes}
              curfew: {until: '21:00', if: level > 9}
              burns: {up: true}
            data: {level: integer = 3, left: duration = 1m}
            on:
              burnt: dark
              closes: dark
              curfew: dark
              light: stay
              dim: stay
              name: stay
              choose: stay
              two: stay
              fade: stay
              wait: stay

        """

    private func lamp() throws -> AnyFlow {
        try FlowFile(text: Array(Self.lampFlow.utf8), file: "lamp.yaml").flow
    }

    private func members(_ json: String) -> [Member] {
        guard case .object(let members)? = Value(json: json.utf8) else { return [] }
        return members
    }

    // MARK: details

    @Test func `a detail says when the timers that run end, and has titles of what it has`() throws
    {
        let flow = try lamp()
        let status = """
            {"session":"a","flow":"lamp","version":7,"state":"lit","data":{"level":3},"timers":[\
            {"fires":"burnt","kind":"countdown","remainingMs":600,"totalMs":900,"paused":false},\
            {"fires":"held","kind":"countdown","remainingMs":600,"totalMs":900,"paused":true},\
            {"fires":"up","kind":"stopwatch","spentMs":5,"paused":false},\
            {"fires":"late","kind":"countdown","remainingMs":-5,"totalMs":9,"paused":false,"overtime":true,"fired":true}]}
            """.replacing("\\\n", with: "")
        let detail = PublishedDetail(
            Array(status.utf8), at: .zero + .milliseconds(1000)
        ) { name, version in name == "lamp" && version == "7" ? flow : nil }
        let text = String(decoding: detail.bytes, as: UTF8.self)
        #expect(
            text.contains(#""remainingMs":600,"totalMs":900,"paused":false,"endsMs":1600}"#),
            "\(text)")
        #expect(text.ranges(of: "endsMs").count == 1, "\(text)")
        #expect(
            text.hasSuffix(
                #""titles":{"flow":"The lamp","state":"It is bright","data":{},"timers":{"burnt":"Burns for"}}}"#
            ), "\(text)")
        // Without the flow or the time, it is the status.
        let plain = PublishedDetail(Array(status.utf8), at: nil) { _, _ in nil }
        #expect(Value(json: plain.bytes) == Value(json: status.utf8))
    }

    // MARK: entities

    private func broker(_ words: String) throws -> MQTTBroker {
        let options = try folder.options(
            "mqtt hall mqtt://x publish=p/q discovery=homeassistant \(words)\n")
        return try #require(options.room.connections[0].broker)
    }

    /// The discovery messages of a session, by the ends of their topics.
    private func messages(_ words: String) throws -> [String: [Member]] {
        let flow = try lamp()
        let devices = HomeAssistantDevices(
            FlowCatalog([FlowCatalog.OfferedFlow(flow)]), ImmediateSurveyor())
        devices.address = "https://example.org"
        let status = #"{"session":"a.1","flow":"lamp","labels":{"team":"Owls"}}"#
        let session = try #require(SessionName("a.1"))
        let broker = try broker(words)
        let device = try #require(
            devices.device(
                session,
                PublishedDetail(Array(status.utf8), at: nil) { _, _ in flow }, broker,
                PublishedPrefix(text: "p/q")))
        var messages: [String: [Member]] = [:]
        for (topic, payload) in device.messages {
            #expect(topic.hasPrefix("homeassistant/") && topic.hasSuffix("/config"))
            messages[String(topic.dropFirst(14).dropLast(7))] = members(payload)
        }
        #expect(messages.count == device.messages.count)
        return messages
    }

    @Test func `a session is a device with its state, timers and data`() throws {
        let messages = try messages("")
        let id = "gamed_p__2Fq_a__2E1"
        #expect(
            messages.keys.sorted() == [
                "binary_sensor/\(id)_running", "sensor/\(id)", "sensor/\(id)_data_leftMs",
                "sensor/\(id)_data_level", "sensor/\(id)_timer_burnt",
                "sensor/\(id)_timer_closes", "sensor/\(id)_timer_curfew",
            ])
        let state = try #require(messages["sensor/\(id)"])
        #expect(state["options"] == .array(["It is dark", "It is bright"]))
        #expect(state["device_class"] == "enum" && state["state_topic"] == "p/q/a.1/state")
        #expect(state["unique_id"] == .string(id) && state["name"] == .null)
        guard case .object(let device)? = state["device"] else {
            Issue.record("no device")
            return
        }
        #expect(device["name"] == "a.1 – Owls" && device["model"] == "The lamp")
        #expect(device["configuration_url"] == "https://example.org")
        let timer = try #require(messages["sensor/\(id)_timer_burnt"])
        #expect(timer["device_class"] == "timestamp" && timer["name"] == "Burns for")
        // A timer that fires at a time of day ends as a countdown does.
        let closing = try #require(messages["sensor/\(id)_timer_closes"])
        #expect(closing["device_class"] == "timestamp" && closing["name"] == "Closes")
        let duration = try #require(messages["sensor/\(id)_data_leftMs"])
        #expect(duration["name"] == "left" && duration["unit_of_measurement"] == "s")
    }

    @Test
    func `controls are buttons, numbers, texts and choices of events with one argument at most`()
        throws
    {
        let messages = try messages("controls=yes")
        let id = "gamed_p__2Fq_a__2E1"
        let controls = messages.keys.filter { !$0.contains("sensor/") }.sorted()
        #expect(
            controls == [
                "button/\(id)_send_light", "number/\(id)_send_dim", "number/\(id)_send_fade",
                "number/\(id)_send_wait", "select/\(id)_send_choose", "switch/\(id)_paused",
                "text/\(id)_send_name",
            ])
        let number = try #require(messages["number/\(id)_send_dim"])
        #expect(number["min"] == 0 && number["max"] == 10)
        #expect(number["command_topic"] == "p/q/a.1/send/dim")
        #expect(number["unit_of_measurement"] == nil && number["device_class"] == nil)
        let choice = try #require(messages["select/\(id)_send_choose"])
        #expect(choice["options"] == .array(["red", "blue"]))
        #expect(messages["button/\(id)_send_light"]?["name"] == "Switch on")
        #expect(messages["switch/\(id)_paused"]?["command_topic"] == "p/q/a.1/paused/set")
        // Operators also see hidden events.
        #expect(try self.messages("controls=yes view=operate")["button/\(id)_send_secret"] != nil)
    }

    @Test func `the number of a duration is in milliseconds, and may be as long as a duration`()
        throws
    {
        let messages = try messages("controls=yes")
        let id = "gamed_p__2Fq_a__2E1"
        let fade = try #require(messages["number/\(id)_send_fade"])
        #expect(fade["unit_of_measurement"] == "ms" && fade["device_class"] == "duration")
        #expect(fade["min"] == -315_619_200_000 && fade["max"] == 315_619_200_000)
        let wait = try #require(messages["number/\(id)_send_wait"])
        #expect(wait["min"] == 1000 && wait["max"] == 7_200_000)
    }

    @Test func `a discovery message belongs to the session whose whole topic it names`() {
        func session(_ members: String) -> String? {
            HomeAssistant.session(
                PublishedPrefix(text: "home"),
                ofMessage: MQTTMessage(
                    topic: "homeassistant/sensor/gamed_home_a/config",
                    payload: Array(#"{"origin":{"name":"gamed"},\#(members)}"#.utf8),
                    isRetained: true))?.text
        }
        #expect(session(#""state_topic":"home/a/state""#) == "a")
        #expect(session(#""state_topic":"home/a/detail""#) == "a")
        #expect(session(#""command_topic":"home/a/send/go""#) == "a")
        // Of a daemon with the prefix `home/room1`.
        #expect(session(#""state_topic":"home/room1/vault/state""#) == nil)
        #expect(session(#""command_topic":"home/room1/vault/send/go""#) == nil)
    }

    @Test func `an entity whose message is too long for the broker is left out`() throws {
        let states = (0..<256).map { index in
            "  s\(index): {title: \"\(String(repeating: "t", count: 500))\(index)\", on: {next: s0}}"
        }
        let text =
            "flow: long\nstart: s0\nevents: {next: {}}\nstates:\n" + states.joined(separator: "\n")
            + "\n"
        let flow = try FlowFile(text: Array(text.utf8), file: "long.yaml").flow
        let devices = HomeAssistantDevices(
            FlowCatalog([FlowCatalog.OfferedFlow(flow)]), ImmediateSurveyor())
        let session = try #require(SessionName("a"))
        let device = try #require(
            devices.device(
                session,
                PublishedDetail(Array(#"{"session":"a","flow":"long"}"#.utf8), at: nil) { _, _ in
                    flow
                },
                try broker(""), PublishedPrefix(text: "p/q")))
        #expect(
            device.messages.map(\.topic) == [
                "homeassistant/binary_sensor/gamed_p__2Fq_a_running/config"
            ])
    }

    @Test func `names of a flow are quoted in templates`() {
        #expect(HomeAssistant.literal(#"it's \ "x""#) == #"'it\'s \\ "x"'"#)
    }

    @Test func `mistakes in the words for Home Assistant are found with their column`() {
        for (words, why) in [
            ("controls=yes", "17: controls: expected yes or no, with discovery=homeassistant"),
            ("publish=p keep=yes", "27: keep: expected yes or no, with discovery=homeassistant"),
            ("publish=p view=full", "27: view: expected observe or operate, with publish=PREFIX"),
            ("view=operate", "17: view: expected observe or operate, with publish=PREFIX"),
        ] {
            let path = folder.write("gamed.conf", "mqtt a mqtt://x \(words)\n")
            let output = ShellCommand.run("gamed --check --config \(path)")
            #expect(output.contains("gamed.conf:1:\(why)"), "\(words): \(output)")
        }
    }

    @Test func `controls that no rule permits are noted`() {
        let line = "mqtt a mqtt://x publish=p discovery=homeassistant controls=yes\n"
        func check(_ lines: String) -> String {
            ShellCommand.run("gamed --check --config \(folder.write("gamed.conf", lines))")
        }
        #expect(check(line).contains("gamed.conf:1:51: controls: no rule lets Home Assistant"))
        #expect(check(line + "allow source:mqtt play session=main\n") == "")
    }

    // MARK: with a broker

    @Test func `controls send events and pause the timers with the rights of the broker`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try ChildProcess.startMosquitto("-p", "\(port)")
        defer { mosquitto.signal(SIGTERM) }
        folder.write("lamp.yaml", Self.lampFlow)
        let lines = """
            mqtt hall mqtt://127.0.0.1:\(port) publish=g discovery=homeassistant controls=yes keep=yes
            session a flow=lamp
            session b flow=lamp
            allow source:mqtt play session=a
            allow source:mqtt operate session=a

            """
        let path = folder.write("gamed.conf", lines)
        let daemon = try DaemonProcess([
            "--config", path, "--flows", folder.path, "--no-main",
        ])
        let client = try Client(daemon.socket)
        func publish(_ topic: String, _ payload: String, _ options: String = "") {
            let command = "mosquitto_pub -p \(port) -q 1 -t '\(topic)' -m '\(payload)' \(options)"
            #expect(ShellCommand.run(command) == "")
        }
        /// The retained messages below a filter, as soon as the condition is true.
        func retained(_ filter: String, _ isExpected: (String) -> Bool) -> String {
            var output = ""
            _ = Wait.until {
                output = ShellCommand.run(
                    "mosquitto_sub -p \(port) -t '\(filter)' --retained-only -v -W 1 2>/dev/null")
                return isExpected(output)
            }
            return output
        }
        // When the devices are known, the topics of the commands are subscribed.
        let devices = retained("homeassistant/#") {
            $0.contains("_g_a_send_light/") && $0.contains("_g_b_send_light/")
        }
        #expect(devices.contains("homeassistant/switch/gamed_g_a_paused/config"), "\(devices)")
        // A retained message is no command.
        publish("g/a/send/light", "PRESS", "-r")
        publish("g/b/send/light", "PRESS")
        #expect(daemon.waitFor("light to @b was refused: forbidden"))
        publish("g/a/send/secret", "PRESS")
        publish("g/a/send/light", "PRESS")
        #expect(client.ask("status @a", until: #""state":"lit""#).contains(#""state":"lit""#))
        publish("g/a/send/dim", "11")
        #expect(daemon.waitFor("dim to @a was refused: invalid"))
        publish("g/a/paused/set", "ON")
        #expect(client.ask("status @a", until: #""paused":true"#).contains(#""paused":true"#))
        let paused = retained("g/a/detail") { $0.contains(#""paused":true"#) }
        #expect(!paused.contains("endsMs"), "\(paused)")
        publish("g/a/paused/set", "maybe")
        #expect(daemon.waitFor("paused to @a was refused: expected ON or OFF"))
        #expect(client.ask("status @a").contains(#""paused":true"#))
        publish("g/a/paused/set", "OFF")
        let running = retained("g/a/detail") { $0.contains("endsMs") }
        #expect(running.contains(#""paused":false,"endsMs":"#), "\(running)")
        publish("g/b/paused/set", "ON")
        #expect(daemon.waitFor("paused to @b was refused: forbidden"))
        // The device of a closed session stays, and has no state.
        #expect(client.ask("close @a").hasPrefix("OK"))
        let closed = retained("#") {
            // A discovery message has the topics, too, without a space after them.
            $0.contains("g/b/state ") && !$0.contains("g/a/state ")
                && !$0.contains("g/a/detail ")
        }
        #expect(closed.contains("homeassistant/sensor/gamed_g_a/config"), "\(closed)")
        // Without `keep`, its entities go when the line changes; those of the other session stay.
        folder.write("gamed.conf", lines.replacing(" keep=yes", with: ""))
        daemon.signal(SIGHUP)
        let left = retained("homeassistant/#") {
            $0.contains("gamed_g_b_running") && !$0.contains("gamed_g_a")
        }
        #expect(left.contains("gamed_g_b_running") && !left.contains("gamed_g_a"), "\(left)")
    }
}
