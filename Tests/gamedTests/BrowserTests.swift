import TestSupport
import Testing

/// The page in a real browser, as people use it: each story is a script of its own.
@Suite(.serialized) struct BrowserTests {
    private let folder = Folder()

    /// Runs a story on a daemon of its own; what it said.
    private func tell(
        _ story: String, _ arguments: [String] = ["--clock", "virtual"], before: String = "",
        lines: String = ""
    )
        throws -> String
    {
        let file = folder.write(
            "gamed.conf",
            "allow token:desk operate\nallow token:hall play event=start*\n"
                + "allow token:guest play\nlimit requests=0\n"
                + lines)
        let daemon = try DaemonProcess(["--config", file, "--http", "127.0.0.1:0"] + arguments)
        return ShellCommand.run(
            "T=$(gamectl --socket $S token add desk); "
                + "timeout 120 .venv/bin/python Tests/gamedTests/Browser/\(story).py \(before) $WEB $T $S",
            daemon)
    }

    @Test(arguments: [
        "signs_in_and_plays", "time_out", "two_browsers", "cut", "reopened", "limited", "stranger",
        "keyboard", "two_roles", "fits", "late_press", "remembers",
    ])
    func `a browser tells the story`(_ story: String) throws {
        #expect(try tell(story) == "ok \(story)\n")
    }

    /// Each page in each scheme takes half a minute: `make test-long`.
    @Test(.enabled(if: TestLength.isLong)) func `everything can be told apart on every page`()
        throws
    {
        #expect(try tell("contrast") == "ok contrast\n")
    }

    @Test func `a role that the rules took away is shown at once`() throws {
        let file = "'\(folder.path)/gamed.conf'"
        #expect(try tell("lost_role", before: file) == "ok lost_role\n")
    }

    @Test func `rings move between the facts, and ask for nothing meanwhile`() throws {
        #expect(try tell("rings", []) == "ok rings\n")
    }

    @Test func `simulated devices come, are pressed, go and return`() throws {
        let scenario = folder.write(
            "radio.scenario",
            """
            device "Red buzzer" buzzer
            device Key itag rssi=-85 battery=9
            device Stranger itag

            """)
        let lines = """
            map device="Red *" service=FFF0 characteristic=FFF1 value=01 event=startPlaying
            map device=Key service=FFE0 characteristic=FFE1 value=01 event=returnHome

            """
        let arguments = ["--clock", "virtual", "--bluetooth", "sim:\(scenario)"]
        #expect(try tell("devices", arguments, lines: lines) == "ok devices\n")
    }

    @Test func `a controller that is not there is said so, and none is no part`() throws {
        let place = "hci:unix:\(folder.path)/nobody"
        #expect(try tell("devices", ["--bluetooth", place]) == "ok devices\n")
        #expect(try tell("devices") == "ok devices\n")
    }

    /// `make screenshots` keeps them.
    @Test(.enabled(if: TestLength.isLong)) func `desk and kiosk can be drawn, in light and dark`()
        throws
    {
        #expect(try tell("screenshots", before: "'\(folder.path)'") == "ok screenshots\n")
        let drawn = ShellCommand.run("cd '\(folder.path)' && ls *.png | wc -l")
        #expect(drawn == "12\n")
    }
}
