import TestSupport
import Testing

/// Sessions in Home Assistant itself: its core and its MQTT integration evaluate the templates that gamed publishes.
@Suite(.enabled(if: TestLength.isLong)) struct HomeAssistantProgramTests {
    private let folder = Folder()

    @Test
    func `Home Assistant shows a session, operates it, and finds it again after each restart`() {
        let output = ShellCommand.run(
            """
            .venv-long/bin/python Tests/gamedTests/HomeAssistant \
                "$(command -v gamed)" "$(command -v gamectl)" '\(folder.path)'
            """)
        #expect(output.hasSuffix("\nplayed\n"), "\(output)")
        #expect(output.ranges(of: "restarted: ").count == 9, "\(output)")
    }
}
