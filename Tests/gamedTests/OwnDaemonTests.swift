import TestSupport
import Testing

/// The daemon `heist` in `Examples/own-daemon`: it is built as a package that depends on this package, and played over
/// its socket.
@Suite(.serialized, .enabled(if: TestLength.isLong)) struct OwnDaemonTests {
    private let folder = Folder()
    private static let package = "Examples/own-daemon"

    /// The output and the exit status of the build of the package and its tests. All tests of this suite use one build.
    private static let buildOutput = ShellCommand.run(
        "swift build --package-path \(package) --build-tests; echo \"status $?\"")

    /// Runs a command with `heist` and `heistctl` in its path. In the command, `daemon` starts `heist` on a virtual
    /// clock with the socket `$S`, until the command ends.
    private func run(_ command: String) throws -> String {
        try #require(Self.buildOutput.hasSuffix("status 0\n"), "\(Self.buildOutput)")
        return ShellCommand.run(
            """
            S='\(folder.path)/heist.sock'; PATH=$PWD/\(Self.package)/.build/debug:$PATH
            daemon() {
                heist --flow heist --clock virtual --socket $S 2>'\(folder.path)/log' & trap "kill $!; wait $!" EXIT
                for i in $(seq 2000); do [ -S $S ] && break; sleep 0.05; done
            }
            ctl() { heistctl --socket $S "$@" >'\(folder.path)/out' || cat '\(folder.path)/out'; }
            state() { echo status | nc -N -U $S | grep -o '"state":"[a-zA-Z]*"' | head -n 1; }
            \(command)
            """)
    }

    @Test func `a team plays from the lobby through three puzzles and wins`() throws {
        let output = try run(
            """
            daemon; state
            ctl send start team=owls; state
            ctl advance 10m
            ctl send solve code=4711; ctl send hint; state
            heistctl --socket $S send solve code=0000 2>&1; echo "status $?"
            echo 'send solve code=NORTH' | nc -N -U $S >'\(folder.path)/out'
            ctl send solve code=RUBY; state
            heistctl --socket $S --json status | grep -o '"leftMs":3000000'
            """)
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.first == #""state":"lobby""#, "\(output)")
        #expect(lines.count { $0 == #""state":"playing""# } == 2, "\(output)")
        #expect(output.contains("status 1"), "\(output)")
        #expect(lines.suffix(2) == [#""state":"won""#, #""leftMs":3000000"#], "\(output)")
    }

    @Test func `after an hour of the virtual clock the team loses, and later the lobby follows`()
        throws
    {
        let output = try run(
            """
            daemon; ctl send start team=owls
            ctl advance 59m; state
            ctl advance 1m; state
            ctl advance 5m; state
            """)
        #expect(
            output == """
                "state":"playing"
                "state":"lost"
                "state":"lobby"

                """)
    }

    @Test func `the daemon still has the shipped flows, and session main plays the game`() throws {
        let output = try run(
            """
            heist --clock virtual --socket $S 2>'\(folder.path)/log' & trap "kill $!; wait $!" EXIT
            for i in $(seq 2000); do [ -S $S ] && break; sleep 0.05; done
            state; heistctl --socket $S open @room-1 flow=heist >'\(folder.path)/out'
            echo 'status @room-1' | nc -N -U $S | grep -o '"state":"[a-z]*"' | head -n 1
            """)
        #expect(
            output == """
                "state":"introduction"
                "state":"lobby"

                """)
    }

    @Test func `the package's own tests, its scenarios and lint pass`() throws {
        let output = try run(
            """
            heistctl test \(Self.package)/scenarios/*.scenario | grep -c '^ok'
            heistctl lint heist | grep -o 'nothing found'
            swift test --package-path \(Self.package) --skip-build --disable-xctest 2>&1 | grep -o 'with 4 tests.*passed'
            """)
        #expect(output == "4\nnothing found\nwith 4 tests in 1 suite passed\n")
    }
}
