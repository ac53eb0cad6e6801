import GameFlow
import Glibc
import Inputs
import RPC
import ShippedFlows
import Support
import TestSupport
import Testing

@testable import GamedServer
@testable import Parts
@testable import Room

/// Reading of the configuration's lines for connections, inputs and outputs.
@Suite struct RoomDirectiveTests {
    private let folder = Folder()

    private func read(_ text: String) throws(Options.OptionsError) -> Options? {
        let file = folder.write("gamed.conf", text)
        let command = try Options.read(["--config", file], flows: AnyFlow.shipped())
        guard case .run(let options) = command else { return nil }
        return options
    }

    /// The last error in a configuration that ends with `line`. The text begins with the column of the error. Nil if there is
    /// no error.
    private func error(_ line: String, after precedingLines: String = "") -> String? {
        do throws(Options.OptionsError) { _ = try read("\(precedingLines)\(line)\n") } catch {
            return error.lines.last.map { sentence in
                sentence.split(separator: ":", maxSplits: 2).last.map(String.init) ?? sentence
            }
        }
        return nil
    }

    @Test func `lines connect brokers, sockets, serial lines and input devices`() throws {
        let secret = folder.write("pw", "open sesame\n", mode: 0o600)
        let options = try #require(
            try read(
                """
                mqtt hall mqtt://broker.local user=gamed password-file=\(secret)
                mqtt other mqtt://[::1]:1884 client=referee
                osc stage listen=0.0.0.0:9000
                serial door /dev/serial/by-id/x baud=115200 end=cr
                serial card /dev/serial/by-id/y frame=02..03
                evdev hand auto="*Buzzer*" grab=yes

                """))
        let broker = try #require(options.room.connections[0].broker)
        #expect((broker.host, broker.port, broker.isSecure) == ("broker.local", 1883, false))
        #expect(broker.login.password == Array("open sesame".utf8))
        // Without `client=`, each line has its own client id. The id is new at each start.
        #expect(broker.login.client.hasSuffix("-hall") && broker.login.client.count > 12)
        let otherBroker = try #require(options.room.connections[1].broker)
        #expect((otherBroker.host, otherBroker.port) == ("::1", 1884))
        #expect(otherBroker.login == MQTTLogin(client: "referee"))
        let endpoints = options.room.connections.dropFirst(2).map(\.endpoint)
        #expect(endpoints[0].isEqual(to: OSCEndpoint(host: "0.0.0.0", port: 9000)))
        #expect(
            endpoints[1].isEqual(
                to: SerialEndpoint(path: "/dev/serial/by-id/x", baud: 115_200, bounds: .end(.cr))))
        #expect(
            endpoints[2].isEqual(
                to: SerialEndpoint(
                    path: "/dev/serial/by-id/y", baud: 9600, bounds: .frame(LineFrame(2, 3)!))))
        #expect(
            endpoints[3].isEqual(
                to: EvdevEndpoint(device: .named("*Buzzer*"), isGrabbed: true)))
    }

    @Test func `no two kinds of devices have the same word`() {
        for words in [RoomKinds.connections.map { $0.word }, RoomKinds.outputs.map { $0.word }] {
            #expect(Set(words).count == words.count)
        }
    }

    @Test func `on stuck takes no value, and cannot be combined with another trigger`() throws {
        let stuckLine = "on stuck session=vault-* run=/bin/alarm"
        let options = try #require(try read("\(stuckLine)\n"))
        #expect(options.room.outputLines.map(\.trigger) == [.stuck])
        #expect(options.room.outputLines.map(\.session.pattern) == ["vault-*"])
        #expect(error("on stuck=yes run=/bin/alarm")?.contains("stuck: unknown") == true)
        for line in ["on stuck refused run=/x", "on stuck enter=* run=/x", "on run=/x"] {
            #expect(
                error(line)?.contains(
                    "expected effect=NAME or enter=STATE or leave=STATE or refused or stuck")
                    == true, "\(line)")
        }
    }

    @Test(arguments: [
        "mqtt hall mqtt://u:SECRET@127.0.0.1:1", "mqtt hall u:SECRET@127.0.0.1:1",
        "mqtt hall http://h/?key=SECRET", "mqtt mqtt://u:SECRET@h hall",
        "on enter=* http://h/SECRET/?key=SECRET", "on enter=* http=ftp://u:SECRET@h/",
        "public http://u:SECRET@h", "http-origin http://u:SECRET@h",
        "store postgresql://u:SECRET@h:99999999/db", "archive postgresql://u:SECRET@h/db",
        "http://u:SECRET@h/", "listen u:SECRET@h:x", "mqtt hall mqtt://h mqtt://u:SECRET@h",
    ])
    func `a mistake repeats no password and no key of a URL`(_ line: String) {
        let error = error(line)
        #expect(error != nil && error?.contains("SECRET") == false, "\(error ?? "none")")
    }

    @Test func `mistakes in connections are found with their column`() {
        let openFile = folder.write("pw", "x", mode: 0o640)
        for (line, why) in [
            ("mqtt hall", "6: expected mqtt NAME mqtt[s]://HOST"),
            ("mqtt hall http://x", "11: http://x: expected mqtt[s]://"),
            ("mqtt hall mqtt://x usr=a", "20: usr: unknown"),
            (
                "mqtt hall mqtt://x user=a password-file=\(openFile)",
                "27: password-file: \(openFile) can be read by others"
            ),
            ("mqtt hall mqtt://x password-file=\(openFile)", "20: password-file: needs user"),
            ("osc stage listen=localhost:1", "11: listen: expected a numeric address"),
            ("serial door ttyS0", "13: ttyS0: expected the path"),
            ("serial door /dev/x baud=9601", "20: baud: expected one of"),
            ("serial door /dev/x end=nl", "20: end: expected lf, cr, crlf or any"),
            ("serial door /dev/x frame=02..02", "20: frame: expected two different bytes"),
            ("serial door /dev/x end=lf frame=02..03", "27: frame: cannot be combined with end"),
            ("evdev hand /dev/x grab=maybe", "19: grab: expected yes or no"),
            ("evdev hand /dev/x end=KEY_TABB", "19: end: no key KEY_TABB; did you mean KEY_TAB"),
            ("evdev hand /dev/x layout=klingon", "19: layout: no layout is called klingon"),
        ] {
            let found = error(line)
            #expect(found?.hasPrefix(why) == true, "\(line): \(found ?? "no error")")
        }
        let duplicate = error("osc hall listen=0.0.0.0:1", after: "serial hall /dev/x\n")
        #expect(duplicate?.contains("given twice") == true)
    }

    @Test func `a line turns an input into an event with arguments`() throws {
        let options = try #require(
            try read(
                """
                mqtt hall mqtt://x
                osc stage listen=0.0.0.0:9000
                serial door /dev/x
                evdev hand /dev/y
                map mqtt=hall topic=+/prop/+/event json={"event":"solved"} event=buzz args={"player":"$topic3: $json.by.name"} session=$topic1
                map osc=stage address=/vault/begin min=0.5 event=start args={"rounds":"$2"} session=quiz
                map serial=door line="SOLVED *" event=buzz args={"player":"$1"} debounce=200ms
                map evdev=hand key=KEY_1 event=buzz args={"player":"$$red"}

                """))
        #expect(options.room.inputs.count == 4)
        let mqttMap = options.room.inputs[0]
        let topic = "vault/prop/lamp/event"
        func mqttInput(_ payload: String, isRetained: Bool = false) -> MQTTMessage {
            MQTTMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained)
        }
        let solved = #"{"event":"solved","by":{"name":"ann"}}"#
        let mqttMatch = try #require(mqttMap.pattern.values(ofInput: mqttInput(solved)))
        #expect(mqttMap.session.value(mqttMatch) == "vault")
        #expect(mqttMap.arguments[0].member(mqttMatch)?.value == "lamp: ann")
        #expect(mqttMap.pattern.values(ofInput: mqttInput(#"{"event":"open"}"#)) == nil)
        #expect(mqttMap.pattern.values(ofInput: mqttInput(solved, isRetained: true)) == nil)
        #expect(mqttMap.pattern.values(ofInput: mqttInput("")) == nil)

        let oscMap = options.room.inputs[1]
        func oscInput(_ value: Float) -> OSCInput {
            OSCInput(
                message: OSCMessage("/vault/begin", [.float(value), .float(3)]), peer: "10.0.0.9")
        }
        #expect(oscMap.pattern.values(ofInput: oscInput(0)) == nil)
        // An input of another kind of connection does not match.
        #expect(oscMap.pattern.values(ofInput: mqttInput(solved)) == nil)
        let oscMatch = try #require(oscMap.pattern.values(ofInput: oscInput(1)))
        #expect(oscMap.arguments[0].member(oscMatch)?.value == 3)

        #expect(options.room.inputs[2].debounce == .milliseconds(200))
        #expect(options.room.inputs[3].arguments[0].member { _ in nil }?.value == "$red")
        #expect(
            options.room.inputs[3].pattern.values(
                ofInput: KeyInput(content: .key(2), peer: "/dev/y")) != nil
        )
    }

    @Test func `mistakes in map lines are found with their column`() {
        let connectionLines =
            "mqtt hall mqtt://x\nosc stage listen=0.0.0.0:9\nserial door /dev/x\nevdev e /dev/y\n"
        for (line, why) in [
            (
                "map mqtt=hal topic=a event=buzz",
                "5: mqtt: no line `mqtt hal …` defines it; did you mean hall?"
            ),
            ("map mqtt=hall topic=a# event=buzz", "15: topic: expected a topic"),
            ("map mqtt=hall event=buzz", "1: topic= is missing"),
            ("map mqtt=hall topic=a event=buz", "23: event: no flow has an event buz"),
            (
                #"map mqtt=hall topic=a event=buzz args={"player":"$2"}"#,
                "34: args: $2: an input that this line matches has no value"
            ),
            (
                #"map mqtt=hall topic=a event=buzz args={"player":"$topic2"}"#,
                "34: args: $topic2: an input that this line matches has no value"
            ),
            (
                #"map mqtt=hall topic=a event=buzz args={"player":"$pay"}"#,
                "34: args: $pay: unknown"
            ),
            (
                #"map mqtt=hall topic=a event=buzz args={"who":"x"}"#,
                "34: args: buzz takes player: string"
            ),
            (
                #"map mqtt=hall topic=a event=start args={"rounds":"$payload*1OO"}"#,
                "35: args: $payload*1OO: expected a number after the asterisk"
            ),
            (
                #"map mqtt=hall topic=a event=start args={"rounds":"$1*100"}"#,
                "35: args: $1: an input that this line matches has no value"
            ),
            ("map mqtt=hall topic=a event=abandon id=1", "37: id: expected a part of the input"),
            ("map mqtt=hall topic=a event=abandon id=$1", "37: id: $1: an input that this line"),
            ("map osc=stage address=a event=abandon", "15: address: expected an OSC address"),
            ("map osc=stage address=/a min=x event=abandon", "26: min: expected a number"),
            (
                "map evdev=e key=KEY_ENTR event=abandon",
                "13: key: no key KEY_ENTR; did you mean KEY_ENTER"
            ),
            ("map evdev=e event=abandon", "1: expected key=KEY or text=PATTERN"),
            ("map evdev=e key=KEY_1 text=* event=abandon", "13: key: cannot be combined with text"),
            (
                #"map evdev=e text=* event=buzz args={"player":"$2"}"#,
                "31: args: $2: an input that this line matches has no value"
            ),
            ("map serial=door line=x event=abandon session=a/b", "38: session: expected 1 to 64"),
            ("map serial=door topic=x event=abandon", "17: topic=x: expected"),
            (
                "map serial=door line=x event=abandon baud=9600",
                "38: baud: a property of the connection; write it on the line `serial door …`"
            ),
        ] {
            let found = error(line, after: connectionLines)
            #expect(found?.hasPrefix(why) == true, "\(line): \(found ?? "no error")")
        }
    }

    /// The argument that a line gives the event `start`, whose `rounds` are an integer, or `buzz`, whose `player` is a text.
    private func argument(_ text: String, of event: String, _ value: OSCArgument) throws -> Value? {
        let name = event == "start" ? "rounds" : "player"
        let options = try #require(
            try read(
                """
                osc stage listen=0.0.0.0:9000
                map osc=stage address=/a event=\(event) args={"\(name)":"\(text)"}

                """))
        let map = options.room.inputs[0]
        let input = OSCInput(message: OSCMessage("/a", [value]), peer: "x")
        return map.arguments[0].member(try #require(map.pattern.values(ofInput: input)))?.value
    }

    @Test func `a number of an input can be multiplied, and is rounded for an integer`() throws {
        #expect(try argument("$1*100", of: "start", .float(0.334)) == 33)
        #expect(try argument("$1*100", of: "start", .float(0.336)) == 34)
        #expect(try argument("$1*-0.5", of: "start", .int(7)) == -4)
        #expect(try argument("$1*10", of: "start", .truth(true)) == 10)
        #expect(try argument("$1*2", of: "start", .text(" 2.5 ")) == 5)
        #expect(try argument("$1*0.5", of: "buzz", .int(7)) == "3.5")
        #expect(try argument("$1*2", of: "buzz", .int(7)) == "14")
        // The event then refuses what is no number, or is too large.
        #expect(try argument("$1*100", of: "start", .text("loud")) == "loud")
        #expect(try argument("$1*1e300", of: "start", .int(7)) == 7)
        // A star elsewhere is text.
        #expect(try argument("a $1*2", of: "buzz", .int(7)) == "a 7*2")
    }

    @Test func `a fraction in JSON can be multiplied`() throws {
        let options = try #require(
            try read(
                """
                mqtt hall mqtt://x
                map mqtt=hall topic=t event=start args={"rounds":"$json.level*100"}

                """))
        let map = options.room.inputs[0]
        let message = MQTTMessage(topic: "t", payload: Array(#"{"level":0.33}"#.utf8))
        let values = try #require(map.pattern.values(ofInput: message))
        #expect(map.arguments[0].member(values)?.value == 33)
    }

    @Test func `a line about what a reader types has what its stars match`() throws {
        let options = try #require(
            try read(
                """
                evdev cards auto="*Reader*" end=KEY_TAB layout=de
                map evdev=cards text=C:* event=buzz args={"player":"$1"}

                """))
        let endpoint = EvdevEndpoint(
            device: .named("*Reader*"), isGrabbed: false, layout: try KeyLayout("de"), endKeys: [15]
        )
        #expect(options.room.connections[0].endpoint.isEqual(to: endpoint))
        let map = options.room.inputs[0]
        #expect(map.pattern.text == "text=C:*")
        let match = try #require(
            map.pattern.values(ofInput: KeyInput(content: .text("C:Ä1"), peer: "x")))
        #expect(map.arguments[0].member(match)?.value == "Ä1")
        #expect(map.pattern.values(ofInput: KeyInput(content: .text("D:1"), peer: "x")) == nil)
        #expect(map.pattern.values(ofInput: KeyInput(content: .key(2), peer: "x")) == nil)
    }

    private static let oven = """
        flow: oven
        start: idle
        events:
          bake: {left: duration, trays: integer}
          rest: {}
        states:
          idle: {on: {bake: stay, rest: stay}}

        """

    /// The first error in a `map` line about the oven, whose event `bake` takes a duration; nil if the line is valid.
    private func ovenError(_ line: String) -> String? {
        folder.write("oven.yaml", Self.oven)
        let text = "mqtt hall mqtt://x\nflows \(folder.path)\n\(line)\n"
        return error("", after: text)
    }

    @Test func `a duration has its short name in a line, with a text`() {
        let press = "map mqtt=hall topic=a event=bake"
        for arguments in [
            #"{"left":"90s","trays":1}"#, #"{"left":"-5s","trays":1}"#,
            #"{"left":"$payload","trays":1}"#, #"{"leftMs":90000,"trays":1}"#,
            #"{"leftMs":"$payload*1000","trays":1}"#,
        ] {
            #expect(ovenError("\(press) args=\(arguments)") == nil, "\(arguments)")
        }
        for (arguments, why) in [
            (#"{"left":"soon","trays":1}"#, "left: expected a duration such as 90s, or leftMs"),
            (#"{"left":5,"trays":1}"#, "left: expected a duration such as 90s, or leftMs"),
            (#"{"left":"5s","leftMs":5,"trays":1}"#, "bake takes left: duration, trays: integer"),
            (#"{"right":"5s","trays":1}"#, "bake takes left: duration, trays: integer"),
            (#"{"trays":1}"#, "bake takes left: duration, trays: integer"),
            (#"{"left":"$payload*9","trays":1}"#, "left: write leftMs for a number of millisec"),
        ] {
            let found = ovenError("\(press) args=\(arguments)")
            #expect(found?.contains("args: \(why)") == true, "\(arguments): \(found ?? "valid")")
        }
        let device = "map device=Red service=FFE0 characteristic=FFE1 value=01 event=bake"
        #expect(ovenError(#"\#(device) args={"left":"90s","trays":1}"#) == nil)
        #expect(
            ovenError(#"\#(device) args={"left":"soon","trays":1}"#)?.contains(
                "left: expected a duration such as 90s") == true)
    }

    /// The arguments of the OSC message that an `on` line with these `args=` sends, in a state with the datum `level`. Nil, with the
    /// reason in `error`, if the line sends nothing.
    private func oscArguments(
        _ json: String, level: Value = 7, error why: inout String
    ) throws -> [OSCArgument]? {
        let options = try #require(
            try read(
                """
                osc stage listen=0.0.0.0:9000
                on effect=x osc=stage to=10.0.0.5:53000 address=/a args='\(json)'

                """))
        let output = try #require(options.room.outputLines.first)
        let target = try #require(output.target as? OSCOutput)
        do throws(ContentError) {
            return try target.content { placeholder in
                if case .data("level") = placeholder { level } else { nil }
            }.message.arguments
        } catch {
            why = error.why
            return nil
        }
    }

    private func oscArguments(_ json: String, level: Value = 7) throws -> [OSCArgument]? {
        var why = ""
        return try oscArguments(json, level: level, error: &why)
    }

    @Test func `an output that cannot be sent names the placeholder that is the cause`() throws {
        for (json, reason) in [
            (#"[{"f":"$data.level"}]"#, "args: the value of $data.level cannot be used here"),
            (#"["$session/$data.level/$label.x"]"#, "args: $session has no value"),
        ] {
            var why = ""
            #expect(try oscArguments(json, level: "loud", error: &why) == nil)
            #expect(why == reason)
        }
    }

    @Test func `OSC arguments have the types that the line gives them`() throws {
        #expect(
            try oscArguments(#"["a",1,1.0,1e0,0.5,-2,5000000000,true,null]"#) == [
                .text("a"), .int(1), .float(1), .float(1), .float(0.5), .int(-2),
                .long(5_000_000_000), .truth(true), .null,
            ])
        #expect(
            try oscArguments(
                #"[{"f":1},{"f":"$data.level"},{"f":"$data.level","scale":0.5},{"i":"$data.level","scale":0.5},{"i":2.5},{"s":"$data.level"},{"b":"AQID"},"$data.level"]"#
            ) == [
                .float(1), .float(7), .float(3.5), .int(4), .int(3), .text("7"),
                .blob([1, 2, 3]), .int(7),
            ])
        #expect(try oscArguments(#"[{"f":"$data.level"}]"#, level: "0.25") == [.float(0.25)])
        #expect(try oscArguments(#"[{"f":"$data.level"}]"#, level: "loud") == nil)
        #expect(try oscArguments(#"[{"i":"$data.level","scale":1e300}]"#) == nil)
    }

    @Test func `mistakes in OSC arguments are found`() {
        for (json, why) in [
            ("1", "expected a list"), ("[[1]]", "expected texts, numbers"),
            ("[1e999]", "too large"),
            (#"[{"x":1}]"#, #"expected {"f":NUMBER"#), (#"[{"f":1,"i":1}]"#, "expected {"),
            (#"[{"f":true}]"#, "expected {"), (#"[{"s":1}]"#, "expected {"),
            (#"[{"s":"a","scale":2}]"#, "expected {"),
            (#"[{"f":1,"scale":"2"}]"#, "scale: expected"),
            (#"[{"f":"loud"}]"#, "loud: expected a number"), (#"[{"b":"%"}]"#, "expected Base64"),
            (#"[{"f":"$nothing"}]"#, "$nothing: unknown"),
        ] {
            let line = "on effect=x osc=stage to=10.0.0.5:1 address=/a args='\(json)'"
            let found = error(line, after: "osc stage listen=0.0.0.0:9\n")
            #expect(found?.contains("args: ") == true, "\(line): \(found ?? "no error")")
            #expect(found?.contains(why) == true, "\(line): \(found ?? "no error")")
        }
    }

    @Test func `values of devices are read as devices write them`() {
        for text in ["7", " 7", "7 ", "\t7\r\n", "7.0", "70e-1", "07"] {
            #expect(ArgumentConversion.convert(.string(text), to: "integer") == 7, "\(text)")
        }
        #expect(ArgumentConversion.convert(" on\n", to: "boolean") == true)
        // A text arrives as it is.
        #expect(ArgumentConversion.convert(" a ", to: "string") == " a ")
        for text in ["", " ", "7.5", "7 7", "0x7", "1e99", "90s"] {
            #expect(ArgumentConversion.convert(.string(text), to: "integer") == nil, "\(text)")
        }
    }

    @Test func `values are converted to the type of the argument`() {
        #expect(ArgumentConversion.convert("12", to: "integer") == 12)
        #expect(ArgumentConversion.convert("1.5", to: "integer") == nil)
        #expect(ArgumentConversion.convert("9007199254740992", to: "integer") == nil)
        #expect(ArgumentConversion.convert("-9223372036854775808", to: "integer") == nil)
        #expect(ArgumentConversion.convert("ON", to: "boolean") == true)
        #expect(ArgumentConversion.convert("maybe", to: "boolean") == nil)
        #expect(ArgumentConversion.convert(12, to: "string") == "12")
        #expect(ArgumentConversion.convert("a\0", to: "string") == nil)
        #expect(ArgumentConversion.convert("[1,2]", to: "array") == .array([1, 2]))
    }
}
