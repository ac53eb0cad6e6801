import Shell
import TestSupport
import Testing

/// The Python package `gamed` in `Clients/python`.
@Suite struct PythonPackageTests {
    @Test func `the tests of the Python package succeed`() {
        let output = ShellCommand.run(
            """
            cd Clients/python/tests && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=../src \
                ../../../.venv/bin/python -W error -m unittest discover
            """)
        #expect(output.hasSuffix("\nOK\n"), "\(output)")
    }

    @Test func `the wheel contains the package, and can be imported`() {
        let folder = Folder()
        let output = ShellCommand.run(
            """
            Scripts/wheel '\(folder.path)'/wheels >/dev/null && cd '\(folder.path)'/wheels
            PYTHONPATH=$(ls gamed-*-py3-none-any.whl) /usr/bin/python3 -c 'import gamed; print(gamed.__version__)'
            """)
        #expect(output == gamedVersion + "\n", "\(output)")
    }
}
