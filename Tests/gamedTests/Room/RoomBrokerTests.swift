import Glibc
import TestSupport
import Testing

/// The daemon publishes the states of sessions to mosquitto, and connects to mosquitto over TLS.
@Suite struct RoomBrokerTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"] + options)
    }

    private func startBroker(_ port: Int, _ lines: String = "") throws -> ChildProcess {
        let path = folder.write(
            "mosquitto.conf",
            "user root\nlistener \(port) 127.0.0.1\nallow_anonymous true\n\(lines)")
        return try ChildProcess.startMosquitto("-c", path)
    }

    /// Reads the retained messages until they satisfy a condition, at most 60 times. Returns the messages of the last reading.
    private func retainedMessages(_ port: Int, when isComplete: (String) -> Bool) -> String {
        var messages = ""
        for _ in 0..<60 where messages.isEmpty || !isComplete(messages) {
            messages = ShellCommand.run(
                "mosquitto_sub -p \(port) -t 'games/#' -t 'homeassistant/#' --retained-only -v -W 1"
            )
        }
        return messages
    }

    @Test
    func `states are retained, closing a session clears its messages, a kill sets status offline`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port) publish=games/vault discovery=homeassistant
            session extra flow=quiz

            """, ["--state-dir", "\(folder.path)/state"])
        #expect(daemon.waitFor("mqtt hall: connected"))
        _ = ShellCommand.run(
            """
            gamectl --socket "$S" send start rounds=2 >/dev/null
            gamectl --socket "$S" label _secret=1 team=Owls >/dev/null
            """, daemon)
        let output = retainedMessages(port) {
            $0.contains("Owls") && $0.contains("extra/state lobby")
        }
        #expect(output.contains("games/vault/status online\n"), "\(output)")
        #expect(output.contains("games/vault/main/state question\n"), "\(output)")
        #expect(output.contains("games/vault/extra/state lobby\n"), "\(output)")
        #expect(output.contains(#"games/vault/main/detail {"session":"main""#), "\(output)")
        #expect(output.contains("Owls") && !output.contains("_secret"), "\(output)")
        #expect(
            output.contains(
                #"homeassistant/sensor/gamed_games_vault_main/config {"name":"main","unique_id":"gamed_games_vault_main","state_topic":"games/vault/main/state""#
            ), "\(output)")
        _ = ShellCommand.run("gamectl --socket \"$S\" close @extra", daemon)
        let afterClosing = retainedMessages(port) {
            $0.contains("main/state") && !$0.contains("extra")
        }
        #expect(!afterClosing.contains("extra"), "\(afterClosing)")
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        let status = ShellCommand.run(
            "mosquitto_sub -p \(port) -t games/vault/status -C 1 -W 120")
        #expect(status == "offline\n")
    }

    @Test
    func `Home Assistant gets status and discovery again when it starts; a clean end sets offline`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            "mqtt hall mqtt://127.0.0.1:\(port) publish=gamed discovery=homeassistant\n")
        #expect(daemon.waitFor("mqtt hall: connected"))
        // The subscriber receives the two retained messages, and then the two that are sent again.
        let topics = ShellCommand.run(
            """
            : >'\(folder.path)/out'
            mosquitto_sub -p \(port) -t gamed/status -t 'homeassistant/sensor/+/config' -C 4 -W 120 -F %t >'\(folder.path)/out' & sub=$!
            until [ "$(wc -l <'\(folder.path)/out')" = 2 ]; do sleep 0.02; done
            mosquitto_pub -p \(port) -t homeassistant/status -m online; wait $sub; cat '\(folder.path)/out'
            """)
        let discoveryTopic = "homeassistant/sensor/gamed_gamed_main/config"
        #expect(
            topics.split(separator: "\n").map(String.init).sorted()
                == ["gamed/status", "gamed/status", discoveryTopic, discoveryTopic])
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(
            ShellCommand.run("mosquitto_sub -p \(port) -t gamed/status -C 1 -W 120") == "offline\n")
    }

    @Test func `TLS to a broker requires the authority that signed its certificate`() throws {
        let port = LoopbackPort.findUnused()
        let certificateList = ShellCommand.run(
            """
            cd \(folder.path)
            for ca in ca other; do openssl req -x509 -newkey rsa:2048 -nodes -keyout $ca.key -out $ca.pem -days 2 -subj /CN=$ca 2>&1 || echo failed; done >/dev/null
            openssl req -newkey rsa:2048 -nodes -keyout key.pem -out req.pem -subj /CN=broker >/dev/null 2>&1
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1' > ext
            openssl x509 -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile ext 2>/dev/null
            chmod 644 *.pem; ls cert.pem
            """)
        #expect(certificateList.hasSuffix("cert.pem\n"), "\(certificateList)")
        let mosquitto = try startBroker(
            port, "certfile \(folder.path)/cert.pem\nkeyfile \(folder.path)/key.pem\n")
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            """
            mqtt good mqtts://localhost:\(port) ca=\(folder.path)/ca.pem
            mqtt bad mqtts://127.0.0.1:\(port) ca=\(folder.path)/other.pem
            map mqtt=good topic=room/start event=start args={"rounds":"$payload"}
            on enter=question mqtt=good topic=out payload=$state

            """)
        #expect(daemon.waitFor("mqtt good: connected"))
        #expect(daemon.waitFor("mqtt bad: TLS: the certificate is not accepted"))
        let output = ShellCommand.run(
            """
            cd '\(folder.path)'; options='-p \(port) --cafile ca.pem -h localhost'
            mosquitto_pub $options -t ready -r -m ready
            # The retained message arrives when the subscription is complete.
            mosquitto_sub $options -t ready -t out -C 2 -W 120 >out & sub=$!
            until grep -qs ready out; do sleep 0.02; done
            mosquitto_pub $options -t room/start -m 2; wait $sub; cat out
            """)
        #expect(output == "ready\nquestion\n", "\(output)")
        #expect(!daemon.output.contains("mqtt bad: connected"))
    }

    @Test func `mistakes in the line of a broker are found`() throws {
        for (line, why) in [
            ("mqtt a mqtt://x ca=/etc/hosts", "ca: only with mqtts://"),
            ("mqtt a mqtts://x ca=/etc/hosts", "no certificates of authorities"),
            ("mqtt a mqtt://x publish=a/#", "publish: expected the beginning of a topic"),
            ("mqtt a mqtt://x discovery=homeassistant", "with publish=PREFIX"),
            ("mqtt a http://x", "expected mqtt[s]://HOST[:PORT]"),
        ] {
            let path = folder.write("gamed.conf", "\(line)\n")
            let output = ShellCommand.run("gamed --check --config \(path)")
            #expect(output.contains("gamed.conf:1:") && output.contains(why), "\(line): \(output)")
        }
    }
}
