import Timers

/// What a controller is told before it is of use, one thing after the other.
extension Central {
    func startUp(_ rest: ArraySlice<HCICommand>) {
        guard let command = rest.first else { return becomeReady() }
        commands.order(command) { [unowned self] status, result in
            guard status == .success else {
                let code = String(command.opcode.rawValue, radix: 16)
                return fail("the controller refuses command 0x\(code): \(status.text)")
            }
            takeBuffers(command, result, then: rest.dropFirst())
        }
    }

    /// A controller without buffers of its own for LE shares those of classic Bluetooth.
    private func takeBuffers(
        _ command: HCICommand, _ result: [UInt8], then rest: ArraySlice<HCICommand>
    ) {
        var reader = ByteReader(result.dropFirst())
        switch command.opcode {
        case .leReadBufferSize:
            let (length, room) = (reader.u16() ?? 0, reader.u8() ?? 0)
            guard length > 0, room > 0 else { return startUp([.readBufferSize]) }
            data = DataQueue(length: Int(length), room: Int(room))
        case .readBufferSize:
            let (length, _, room) = (reader.u16() ?? 0, reader.u8() ?? 0, reader.u16() ?? 0)
            data = DataQueue(length: Int(length), room: Int(room))
        default: break
        }
        startUp(rest)
    }

    private func becomeReady() {
        phase = .ready
        upSince = timeline.now
        tell(.up)
        commands.order(.leSetScanParameters) { [unowned self] _, _ in scanOn() }
    }
}
