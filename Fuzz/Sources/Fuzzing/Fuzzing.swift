import CFuzzer
import Glibc

/// Runs libFuzzer with the options of the command line and `test` as its target, and ends the process.
public func fuzz(
    _ test: @convention(c) (_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32
) -> Never {
    var count = CommandLine.argc
    var arguments = Optional(CommandLine.unsafeArgv)
    exit(
        withUnsafeMutablePointer(to: &arguments) { pointer in
            pointer.withMemoryRebound(
                to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
            ) { LLVMFuzzerRunDriver(&count, $0, test) }
        })
}

/// Ends the fuzzer with a finding if the condition is false.
public func check(_ condition: Bool, _ finding: @autoclosure () -> String) {
    if !condition { fatalError("finding: \(finding())") }
}

/// The size of the pieces in which an input arrives, from 1 to 256 bytes. The size is computed from all bytes of the input. So
/// the fuzzer tries different sizes, although no byte of an input is reserved for the size.
public func pieceSize(for input: [UInt8]) -> Int {
    1 + Int(input.reduce(0, &+))
}

/// The bytes in pieces of `size` bytes, as a connection may deliver them. The last piece may be shorter.
public func pieces(of bytes: [UInt8], size: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
}
