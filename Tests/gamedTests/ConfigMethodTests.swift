import TestSupport
import Testing

/// The method `config`, and `gamectl config`.
@Suite struct ConfigMethodTests {
    private let folder = Folder()

    @Test func `gamectl config shows where a value comes from, and what waits for a restart`()
        throws
    {
        let file = folder.write("gamed.conf", "limit clients=70\nhttp-host hall\n")
        let daemon = try DaemonProcess(["--config", file, "--zone", "UTC"])
        folder.write("gamed.conf", "limit clients=70\nhttp-host desk\n")
        let output = ShellCommand.run(
            "gamectl --socket $S reload; gamectl --socket $S config", daemon)
        #expect(output.contains(#/(?m)^limit +clients=70 +/#))
        #expect(output.contains("\(file):1\n"), "\(output)")
        #expect(output.contains(#/(?m)^zone +UTC +option$/#))
        #expect(output.contains(#/(?m)^http-host +desk +\S+:2, after a restart$/#))
        #expect(output.contains("some values wait for a restart"))
        let json = ShellCommand.run("gamectl --socket $S --json config", daemon)
        #expect(
            json.contains(
                #"{"name":"http-host","value":"desk","from":"\#(file):2","pending":true}"#),
            "\(json)")
    }

    @Test func `a client without the right to operate does not see the settings`() throws {
        let file = folder.write("gamed.conf", "listen 127.0.0.1:0\nallow source:tcp play\n")
        let daemon = try DaemonProcess(["--config", file])
        let answer = ShellCommand.run("echo config | nc -N ${LINES%:*} ${LINES#*:}", daemon)
        #expect(answer.hasPrefix("ERR forbidden"), "\(answer)")
    }

    @Test func `gamectl config with a file shows what a daemon would use, without a daemon`() {
        let file = folder.write(
            "gamed.conf",
            "on enter=help http=https://hook.example/T1/hunter2\nno-main\nlimit clients=5\n")
        let output = ShellCommand.run("gamectl config --config \(file); echo $?")
        #expect(output.contains("enter=help http=https://hook.example/…"), "\(output)")
        #expect(!output.contains("hunter2"))
        #expect(output.hasSuffix("\n0\n"))
        let json = ShellCommand.run("gamectl --json config --config \(file)")
        #expect(json.hasPrefix(#"{"configuration":"\#(file)","settings":["#), "\(json)")
    }

    @Test func `gamectl config with a wrong file prints every mistake with its position`() {
        let file = folder.write("gamed.conf", "limit clients=x\nhtp 1\n")
        let output = ShellCommand.run("gamectl config --config \(file); echo $?")
        #expect(output.contains("\(file):1:7: ") && output.contains("\(file):2:1: htp: unknown"))
        #expect(output.hasSuffix("\n2\n"), "\(output)")
    }
}
