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
                #"homeassistant/sensor/gamed_games__2Fvault_main/config {"name":null,"unique_id":"gamed_games__2Fvault_main","object_id":"games__2Fvault_main","device_class":"enum""#
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
            mosquitto_sub -p \(port) -t gamed/status -t homeassistant/sensor/gamed_gamed_main/config -C 4 -W 120 -F %t >'\(folder.path)/out' & sub=$!
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

    @Test func `a session that was closed while Home Assistant was away is removed at its start`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port) publish=gamed discovery=homeassistant
            session extra flow=quiz
            session again flow=quiz

            """)
        #expect(daemon.waitFor("mqtt hall: connected"))
        let messages = ShellCommand.run(
            """
            until mosquitto_sub -p \(port) -t gamed/status -C 1 -W 120 | grep -q online; do :; done
            gamectl --socket "$S" close @extra >/dev/null; gamectl --socket "$S" close @again >/dev/null
            until ! mosquitto_sub -p \(port) -t gamed/again/state --retained-only -v -W 1 | grep -q .; do :; done
            gamectl --socket "$S" open @again flow=quiz >/dev/null
            mosquitto_sub -p \(port) -t 'homeassistant/#' -R -t gamed/status -t ready -v -W 120 >'\(folder.path)/out' & sub=$!
            until grep -qs ready '\(folder.path)/out'; do mosquitto_pub -p \(port) -t ready -m ready; sleep 0.05; done
            mosquitto_pub -p \(port) -t homeassistant/status -m online
            until grep -qs 'gamed/status online' '\(folder.path)/out'; do sleep 0.02; done; kill $sub; cat '\(folder.path)/out'
            """, daemon)
        let lines = messages.split(separator: "\n").map(String.init)
        let topic = "homeassistant/sensor/gamed_gamed_extra/config"
        // Home Assistant removes only what it has discovered.
        let discovery = lines.firstIndex { $0.hasPrefix("\(topic) {") }
        let clear = lines.lastIndex { $0.hasPrefix("\(topic) (null)") || $0 == "\(topic) " }
        #expect(discovery != nil && clear != nil && (discovery ?? 0) < (clear ?? 0), "\(messages)")
        #expect(
            !lines.contains {
                $0.hasPrefix("homeassistant/sensor/gamed_gamed_again/config") && !$0.contains("{")
            }, "\(messages)")
        let retained = ShellCommand.run(
            "mosquitto_sub -p \(port) -t 'homeassistant/#' --retained-only -F %t -W 1")
        #expect(!retained.contains("extra") && retained.contains("again"), "\(retained)")
    }

    @Test func `a last will that arrives late does not leave the status offline`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon("mqtt hall mqtt://127.0.0.1:\(port) publish=games/vault\n")
        #expect(retainedMessages(port) { $0.contains("status online") }.contains("status online"))
        let statuses = ShellCommand.run(
            """
            cd '\(folder.path)'; mosquitto_sub -p \(port) -t games/vault/status -C 3 -W 120 >out & sub=$!
            until grep -qs online out; do sleep 0.02; done
            mosquitto_pub -p \(port) -r -t games/vault/status -m offline; wait $sub; cat out
            """)
        #expect(statuses == "online\noffline\nonline\n")
        withExtendedLifetime(daemon) {}
    }

    @Test
    func `the states come before online, and a state is published only when it changes`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let output = "\(folder.path)/out"
        #expect(
            ShellCommand.run(
                """
                mosquitto_sub -p \(port) -t 'games/#' -v >'\(output)' 2>&1 &
                until mosquitto_pub -p \(port) -t games/ready -m 1 && grep -qs ready '\(output)'; do sleep 0.02; done
                """) == "")
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port) publish=games/vault
            session extra flow=quiz

            """)
        let messages = ShellCommand.run(
            """
            out='\(output)'; until grep -q 'status online' $out; do sleep 0.02; done
            gamectl --socket "$S" label team=Owls >/dev/null; gamectl --socket "$S" label team=Cats >/dev/null
            until grep -q 'main/detail.*Cats' $out; do sleep 0.02; done
            gamectl --socket "$S" send start rounds=2 >/dev/null
            until grep -q 'main/state question' $out; do sleep 0.02; done
            cut -c -40 $out | grep -v ready
            """, daemon
        ).split(separator: "\n").map(String.init)
        let onlineIndex = messages.firstIndex { $0.contains("status online") } ?? 0
        for session in ["main", "extra"] {
            for topic in ["detail", "state"] {
                let index = messages.firstIndex { $0.hasPrefix("games/vault/\(session)/\(topic) ") }
                #expect(index.map { $0 < onlineIndex } == true, "\(messages)")
            }
        }
        #expect(
            messages.filter { $0.contains("main/state") }
                == ["games/vault/main/state lobby", "games/vault/main/state question"])
    }

    @Test
    func `topics of sessions that the daemon does not have are cleared after it has connected`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let configuration = #"{"state_topic":"games/vault/%/state","origin":{"name":"gamed"}}"#
        func publish(_ topic: String, _ payload: String) {
            #expect(
                ShellCommand.run("mosquitto_pub -p \(port) -r -t \(topic) -m '\(payload)'") == "")
        }
        for topic in ["state", "detail"] { publish("games/vault/ghost/\(topic)", "playing") }
        publish("games/other/ghost/state", "playing")
        for session in ["ghost", "main"] {
            publish(
                "homeassistant/sensor/gamed_games_vault_\(session)/config",
                configuration.replacing("%", with: session))
        }
        let daemon = try startDaemon(
            "mqtt hall mqtt://127.0.0.1:\(port) publish=games/vault discovery=homeassistant\n")
        let output = retainedMessages(port) { $0.contains("status online") }
        #expect(!output.contains("vault/ghost"), "\(output)")
        // The discovery message of an earlier version of gamed, which has another topic.
        #expect(!output.contains("gamed_games_vault"), "\(output)")
        #expect(output.contains("games/other/ghost/state playing"), "\(output)")
        #expect(output.contains("games/vault/main/state lobby"), "\(output)")
        #expect(
            output.contains("homeassistant/sensor/gamed_games__2Fvault_main/config"), "\(output)")
        withExtendedLifetime(daemon) {}
    }

    @Test
    func `of two daemons below one prefix, both say so, and the status stays true for the first`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let line = "mqtt hall mqtt://127.0.0.1:\(port) publish=games/vault\n"
        let first = try startDaemon("\(line)session one flow=quiz\n", ["--no-main"])
        #expect(retainedMessages(port) { $0.contains("status online") }.contains("one/state lobby"))
        let second = try startDaemon("\(line)session two flow=quiz\n", ["--no-main"])
        let sentence = "publishes below games/vault"
        #expect(second.waitFor(sentence) && first.waitFor(sentence))
        let both = retainedMessages(port) { $0.contains("two/state") }
        #expect(both.contains("one/state lobby") && both.contains("two/state lobby"), "\(both)")
        second.signal(SIGTERM)
        #expect(second.waitForEnd() == 0)
        // The first daemon answers the `offline` of the second.
        #expect(retainedMessages(port) { $0.contains("status online") }.contains("status online"))
        // If the second daemon is killed, the broker publishes its last will.
        let third = try startDaemon("\(line)session two flow=quiz\n", ["--no-main"])
        #expect(third.waitFor(sentence))
        let statuses = ShellCommand.run(
            """
            cd '\(folder.path)'; mosquitto_sub -p \(port) -t games/vault/status -C 3 -W 120 >out & sub=$!
            until grep -qs online out; do sleep 0.02; done; kill -9 \(third.pid); wait $sub; cat out
            """)
        #expect(statuses == "online\noffline\nonline\n")
    }

    @Test func `another prefix at SIGHUP clears what was published below the old one`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let line = "mqtt hall mqtt://127.0.0.1:\(port) discovery=homeassistant publish=games"
        let daemon = try startDaemon("\(line)/old\n")
        #expect(
            retainedMessages(port) { $0.contains("old/status online") }.contains("old/main/state"))
        folder.write("gamed.conf", "\(line)/new\n")
        daemon.signal(SIGHUP)
        let moved = retainedMessages(port) {
            $0.contains("new/status online") && $0.contains("old/status offline")
        }
        #expect(moved.contains("games/new/main/state lobby"), "\(moved)")
        #expect(moved.contains("games/old/status offline"), "\(moved)")
        #expect(!moved.contains("old/main") && !moved.contains("2Fold"), "\(moved)")
        // Without a prefix, everything is cleared but the status.
        folder.write("gamed.conf", "mqtt hall mqtt://127.0.0.1:\(port)\n")
        daemon.signal(SIGHUP)
        let cleared = retainedMessages(port) {
            $0.contains("new/status offline") && !$0.contains("new/main")
        }
        #expect(cleared.contains("games/new/status offline"), "\(cleared)")
        #expect(!cleared.contains("new/main") && !cleared.contains("homeassistant"), "\(cleared)")
    }

    @Test func `what was published below an old prefix is listed, and cleared if it is confirmed`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let old = #"{"state_topic":"old/room/a/state","origin":{"name":"gamed"}}"#
        for (topic, payload) in [
            ("old/room/a/state", "playing"), ("old/room/a/detail", "{}"),
            ("old/room/status", "online"),
            ("old/room/lamp/set", "on"), ("old/a/state", "playing"),
            ("homeassistant/sensor/gamed_old__2Froom_a/config", old),
            ("homeassistant/sensor/other/config", old),
        ] {
            #expect(
                ShellCommand.run("mosquitto_pub -p \(port) -r -t \(topic) -m '\(payload)'") == "")
        }
        let daemon = try startDaemon("mqtt hall mqtt://127.0.0.1:\(port) publish=new\n")
        #expect(daemon.waitFor("mqtt hall: connected"))
        let output = ShellCommand.run(
            """
            run() { echo "> $*"; gamectl --socket "$S" outputs "$@" 2>&1; }
            run clear new; run clear 'old/#'; run clear old/room; run clear --yes old/room; run clear old/room; run clear
            """, daemon)
        let topics =
            "homeassistant/sensor/gamed_old__2Froom_a/config\nold/room/a/detail\nold/room/a/state\nold/room/status\n"
        #expect(output.contains("the line mqtt hall publishes below new"), "\(output)")
        #expect(output.contains("old/#: expected the prefix"), "\(output)")
        #expect(output.contains("\(topics)4 found; --yes clears them\n"), "\(output)")
        #expect(
            output.contains("\(topics)4 cleared\n> clear old/room\nno retained message"),
            "\(output)")
        let remaining = ShellCommand.run(
            "mosquitto_sub -p \(port) -t 'old/#' -t 'homeassistant/#' -F %t -C 3 -W 60")
        #expect(
            remaining.split(separator: "\n").sorted() == [
                "homeassistant/sensor/other/config", "old/a/state", "old/room/lamp/set",
            ], "\(remaining)")
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
