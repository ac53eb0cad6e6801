import TestSupport
import Testing

/// Examples/cases: small flows, each with scenarios.
@Suite struct ExampleCasesTests {
    @Test func `the devices of the case readers are a configuration without mistakes`() {
        let output = ShellCommand.run(
            "cd Examples/cases && gamed --check --config readers.conf && echo passed")
        #expect(output == "passed\n", "\(output)")
    }

    @Test(arguments: [
        "cipher", "delays", "derby", "fair-buzzers", "lighthouse", "readers", "room-clock",
        "rundown",
        "washing-machine",
    ])
    func `the scenarios of a case pass, and its flow has neither mistakes nor findings`(
        _ name: String
    ) {
        let output = ShellCommand.run(
            """
            cd Examples/cases
            gamectl flow check \(name).yaml
            gamectl test \(name).scenario >/dev/null && echo passed
            gamectl lint \(name).yaml | grep -c '^nothing found'
            """)
        #expect(
            output == """
                \(name).yaml: flow \(name), no mistakes
                passed
                1

                """, "\(output)")
    }
}
