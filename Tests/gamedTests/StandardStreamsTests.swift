import TestSupport
import Testing

/// What the program gamed does with standard streams that are closed or full.
@Suite struct StandardStreamsTests {
    private let folder = Folder()

    @Test(arguments: ["--help", "--version", "--show-config --config /dev/null"])
    func `a text that cannot be printed is an error`(_ option: String) {
        let output = ShellCommand.run("gamed \(option) >/dev/full; echo $?")
        #expect(output == "gamed: standard output: No space left on device\n1\n")
        #expect(ShellCommand.run("gamed \(option) | head -c 1 >/dev/null") == "")
    }

    @Test func `no file and no socket of the daemon gets the number of a closed standard stream`() {
        let output = ShellCommand.run(
            """
            cd '\(folder.path)'; gamed --socket "$PWD/s" --config /dev/null 0<&- 1>&- 2>&- & p=$!
            for i in $(seq 2000); do gamectl --socket '\(folder.path)/s' ping >/dev/null 2>&1 && break; sleep 0.02; done
            for number in 0 1 2; do readlink /proc/$p/fd/$number; done; kill $p; wait $p; echo $?
            """)
        #expect(output == "/dev/null\n/dev/null\n/dev/null\n0\n")
    }
}
