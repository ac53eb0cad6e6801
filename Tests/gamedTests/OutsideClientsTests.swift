import GameFlow
import Glibc
import ShippedFlows
import TestSupport
import Testing

/// Clients and tools of other projects.
@Suite struct OutsideClientsTests {
    private func run(_ command: String, _ daemon: DaemonProcess? = nil) -> String {
        ShellCommand.run(command, daemon)
    }

    @Test func `nc gets a reply to a line`() throws {
        let daemon = try DaemonProcess()
        #expect(run(#"echo ping | nc -N -U "$S""#, daemon) == "OK {\"pong\":true}\n")
        let replies = run(
            #"printf 'send startPlaying\nsend chooseEpisode episode=2\nstatus\n' | nc -N -U "$S""#,
            daemon)
        #expect(replies.split(separator: "\n").count == 3)
        #expect(replies.contains(#""state":"choosingLevel","data":{"episode":2}"#))
    }

    @Test func `socat gets a reply to a line`() throws {
        let daemon = try DaemonProcess()
        let request = #"{"jsonrpc":"2.0","id":"x","method":"ping"}"#
        #expect(
            run("echo '\(request)' | socat - UNIX-CONNECT:\"$S\"", daemon)
                == #"{"jsonrpc":"2.0","id":"x","result":{"pong":true}}"# + "\n")
    }

    @Test func `the library jsonrpcclient plays with batches, notifications and errors`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual"])
        let output = run(#".venv/bin/python Tests/gamedTests/Clients/play.py "$S""#, daemon)
        #expect(output == "played\n")
    }

    /// The orchestrator, one of the examples, executes the effects of the flow `startup`. A deep link that arrives before the
    /// start-up is shown after the start-up.
    @Test(arguments: ["Examples/startup.sh", ".venv/bin/python Examples/startup.py"])
    func `an orchestrator handles the effects of a start-up`(_ orchestrator: String) throws {
        let daemon = try DaemonProcess(["--flow", "startup"])
        let output = run(
            """
            set -e; export LOGIN=bob; ctl() { gamectl --socket "$S" "$@"; }
            ctl send deepLink link=app://door/7 >/dev/null; ctl send didLaunch >/dev/null
            \(orchestrator) "$S" >/dev/null 2>&1 & orchestrator=$!
            ctl wait --state needsLogin --within 20s >/dev/null; ctl send loginRequested >/dev/null
            ctl wait --state showing --within 20s >/dev/null; ctl --json status
            kill $orchestrator; wait $orchestrator 2>/dev/null || :
            for p in /proc/[0-9]*/cmdline; do
                tr '\\0' ' ' 2>/dev/null <$p | grep "$S --json watch" && echo left behind
            done || :
            """, daemon)
        #expect(output.contains(#""data":{"userID":"bob","link":"app://door/7"}"#), "\(output)")
        #expect(!output.contains("left behind"), "\(output)")
    }

    /// The end of a pipeline: a parser of TAP, which prints what it has read.
    private let tapParser = "2>/dev/null | .venv/bin/python Tests/gamedTests/Clients/read_tap.py"

    @Test func `a TAP parser accepts the report of the examples' scenarios`() {
        let reportLines = run("gamectl test --coverage Examples/scenarios/*.scenario \(tapParser)")
            .split(separator: "\n")
        #expect(reportLines.first == "version 14")
        #expect(reportLines.count > 30)
        #expect(reportLines.dropFirst().first == "plan \(reportLines.count - 2)")
        #expect(reportLines.dropFirst(2).allSatisfy { $0.hasPrefix("ok ") })
    }

    @Test func `a TAP parser reads which scenario failed, where and why`() {
        let output = run(
            """
            f=$(mktemp); printf 'flow game\\nscenario late\\nsend startPlaying\\nexpect help\\n' >$f
            gamectl test $f \(tapParser) | sed "s,$f,FILE,"; rm $f
            """)
        #expect(
            output.split(separator: "\n").last
                == "not ok 1 - game: late at=FILE:4 expected=help was=choosingEpisode",
            "\(output)")
    }

    @Test(arguments: ["game", "startup", "registration", "onboarding", "permissions", "quiz"])
    func `Graphviz draws every flow`(_ flow: String) throws {
        let nodeCountXPath = "count(//*[local-name()='g'][@class='node'])"
        let nodeCount = run(
            "gamectl graph \(flow) --format svg | xmllint --nonet --xpath \"\(nodeCountXPath)\" -")
        // One node for each state, and one for the initial point.
        let states = AnyFlow.shipped().first { $0.name == flow }?.stateNames.count ?? 0
        #expect(nodeCount == "\(states + 1)\n")
        let png = run("gamectl graph \(flow) --format png | head -c 4 | od -An -c")
        #expect(png.contains("P   N   G"), "\(png)")
    }

    /// `scxml.py` reads the SCXML with a library of another project. It prints a line `STATE final` for each final state, and a
    /// line `STATE EVENT TARGET` for each transition; TARGET is `-` if the transition keeps the state.
    @Test(arguments: ["game", "startup", "registration", "onboarding", "permissions", "quiz"])
    func `a state-machine library reads every flow's SCXML`(_ name: String) throws {
        let flow = try #require(AnyFlow.shipped().first { $0.name == name })
        let output = run(
            """
            d=$(mktemp -d); gamectl graph \(name) --format scxml >$d/\(name).scxml
            .venv/bin/python Tests/gamedTests/Clients/scxml.py $d/\(name).scxml; rm -r $d
            """)
        let foundTransitions = Set(output.split(separator: "\n").map(String.init))
        var expectedTransitions = Set(flow.finals.map { "\($0) final" })
        for state in flow.survey {
            for result in state.results {
                // A signal without a timer in the state cannot come, so the SCXML leaves it out.
                guard !result.isSignal || state.timers.contains(where: { $0.fires == result.on })
                else { continue }
                for outcome in result.outcomes {
                    switch outcome {
                    case .enters(let to, _):
                        expectedTransitions.insert("\(state.state) \(result.on) \(to)")
                    case .keeps: expectedTransitions.insert("\(state.state) \(result.on) -")
                    case .defers, .refused: break
                    }
                }
            }
        }
        #expect(foundTransitions == expectedTransitions)
    }
}
