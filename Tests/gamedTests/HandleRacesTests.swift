import TestSupport
import Testing

/// Timers' handles are used by tasks that do not own the timers, under ThreadSanitizer.
@Suite(.enabled(if: TestLength.isLong)) struct HandleRacesTests {
    @Test func `handles are used by many tasks without a data race`() {
        let output = ShellCommand.run(
            "swift run --sanitize=thread --package-path Tests/HandleRaces 2>&1; echo \"status $?\"")
        #expect(output.hasSuffix("no race\nstatus 0\n"), "\(output)")
    }
}
