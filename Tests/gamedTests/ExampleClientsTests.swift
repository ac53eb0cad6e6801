import TestSupport
import Testing

/// The clients of `Examples/clients`, each in a game against a real daemon. docs/clients.md shows them.
@Suite struct ExampleClientsTests {
    private static let folder = "Examples/clients"

    /// The clients that write JSON or a form, and so take any text.
    private static let clientsOfAnyText = [
        ".venv/bin/python \(folder)/python/buzzer.py \"$S\"",
        ".venv/bin/python \(folder)/python/package_buzzer.py \"$S\"",
        ".venv/bin/python \(folder)/python/package_buzzer.py \"$WEB\"",
        "node \(folder)/node/buzzer.mjs \"$S\"",
        "\(folder)/shell/curl.sh \"$WEB\"",
        "mono \"$BUZZER\" \"${LINES%:*}\" \"${LINES##*:}\"",
    ]
    private static let clientsOfNames = [
        "\(folder)/shell/nc.sh \"$S\"", "\(folder)/shell/socat.sh \"$S\"",
    ]

    /// The commands before the client: they make a token for it, begin a game, and compile the program in C#. Debian has Mono, and
    /// not .NET.
    private func preparation(of client: String, in folder: Folder) -> String {
        let compiler = """
            mcs -langversion:7 -warnaserror -r:System.Runtime.Serialization.dll -r:System.Xml.Linq.dll \
                -out:'\(folder.path)/buzzer.exe' \(Self.folder)/csharp/Program.cs; BUZZER='\(folder.path)/buzzer.exe'
            """
        return """
            \(client.hasPrefix("mono") ? compiler : "")
            ctl() { gamectl --socket "$S" "$@"; }
            export TOKEN=$(ctl token add hall | head -n 1) PYTHONPATH=Clients/python/src
            ctl send start rounds=2 >/dev/null
            """
    }

    private func startDaemon(in folder: Folder) throws -> DaemonProcess {
        let configuration = folder.write(
            "gamed.conf", "allow token:hall play session=main\n")
        return try DaemonProcess([
            "--config", configuration, "--flow", "quiz", "--clock", "virtual", "--http",
            "127.0.0.1:0", "--listen", "127.0.0.1:0",
        ])
    }

    /// Each program presses a buzzer once and then prints the state after each change. It is ended when it has printed the state
    /// that the game has last.
    @Test(arguments: clientsOfAnyText + clientsOfNames)
    func `an example client presses a buzzer and follows the game`(_ client: String) throws {
        let folder = Folder()
        let daemon = try startDaemon(in: folder)
        let output = ShellCommand.run(
            """
            \(preparation(of: client, in: folder))
            # press PLAYER EVENT STATE: runs the client, and sends the event once the client follows the session.
            press() {
                : >'\(folder.path)'/out
                setsid \(client) "$1" >'\(folder.path)'/out 2>&1 & pid=$!; number=0
                while [ "$(wc -l <'\(folder.path)'/out)" -lt 2 ] && [ $number -lt 6000 ]; do
                    number=$((number + 1)); ctl label number=$number >/dev/null; sleep 0.02
                done
                ctl send $2 >/dev/null
                for i in $(seq 6000); do grep -q "$3" '\(folder.path)'/out && break; sleep 0.02; done
                { kill -- -$pid; wait $pid; } 2>/dev/null
                uniq '\(folder.path)'/out
            }
            press Ann 'judge correct=true' reveal
            press Bob proceed question
            """, daemon)
        #expect(output == "locked\nreveal\nnoTransition\nreveal\nquestion\n", "\(output)")
    }

    @Test(arguments: clientsOfAnyText)
    func `an example client quotes what a person has typed`(_ client: String) throws {
        let folder = Folder()
        let daemon = try startDaemon(in: folder)
        let output = ShellCommand.run(
            #"""
            \#(preparation(of: client, in: folder))
            setsid \#(client) '"Zoë" \ <&> a:b/c 😀' >'\#(folder.path)'/out 2>&1 & pid=$!
            for i in $(seq 6000); do grep -q locked '\#(folder.path)'/out && break; sleep 0.02; done
            { kill -- -$pid; wait $pid; } 2>/dev/null
            ctl --json status
            """#, daemon)
        #expect(output.contains(#""player":"\"Zoë\" \\ <&> a:b/c 😀""#), "\(output)")
    }

    @Test func `the page shows each of these programs`() {
        let files = ShellCommand.run(
            "find \(Self.folder) -type f -not -path '*/.*' -not -name '*.pyc'")
        #expect(
            files.split(separator: "\n").map(String.init).sorted()
                == ClientsPage.programs.map(\.path).sorted())
    }

    @Test func `the configuration of the buzzer with MQTT has no mistakes`() {
        let output = ShellCommand.run(
            "gamed --check --config \(Self.folder)/arduino/buzzer_mqtt/gamed.conf && echo right")
        #expect(output.hasSuffix("right\n"), "\(output)")
    }

    /// The headers of `Tests/gamedTests/Arduino` declare what the sketches use of the Arduino core and of PubSubClient.
    @Test(arguments: ["buzzer_http", "buzzer_mqtt"])
    func `the sketches for Arduino are valid C++`(_ sketch: String) {
        let output = ShellCommand.run(
            """
            compiler=$(command -v clang++ || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang++")
            "$compiler" -std=c++17 -Wall -Werror -fsyntax-only -I Tests/gamedTests/Arduino -include Arduino.h \
                -x c++ \(Self.folder)/arduino/\(sketch)/\(sketch).ino && echo right
            """)
        #expect(output == "right\n", "\(output)")
    }
}
