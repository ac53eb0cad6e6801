import Timers

/// Executes two groups of HCI commands: the commands that gamed's central sends, and the commands that Bluetooth hosts of other
/// vendors send when they start. One of these hosts is Bumble.
extension VirtualController {
    func execute(_ command: HCICommand) {
        switch command.opcode {
        case .disconnect: disconnect(command)
        case .leCreateConnection: create(command)
        case .leCreateConnectionCancel: cancel(command)
        case .leConnectionUpdate: update(command)
        case .leReadRemoteFeatures, .readRemoteVersion: readRemote(command)
        default: complete(command, result(of: command))
        }
    }

    /// Sends a Command Complete event. `result` begins with the status.
    private func complete(_ command: HCICommand, _ result: [UInt8]) {
        var bytes: [UInt8] = [1]
        bytes.append(command.opcode.rawValue)
        sendToHost(0x0E, bytes + result)
    }

    /// Sends a Command Status event.
    private func answer(_ command: HCICommand, _ status: HCIStatus) {
        var bytes = [status.rawValue, 1]
        bytes.append(command.opcode.rawValue)
        sendToHost(0x0F, bytes)
    }

    // MARK: immediate commands

    private func result(of command: HCICommand) -> [UInt8] {
        let parameters = command.parameters
        switch command.opcode {
        case .reset:
            reset()
            (isScanning, scansActively) = (false, false)
            return [0]
        case .setEventMask, .setEventMaskPage2, .leSetEventMask, .writeLEHostSupport,
            .leSetRandomAddress, .writeLocalName, .leWriteSuggestedDataLength:
            return [0]
        case .leSetScanParameters:
            guard parameters.count == 7 else { return [HCIStatus.invalidParameters.rawValue] }
            scansActively = parameters[0] == 1
            return [0]
        case .leSetScanEnable:
            guard parameters.count == 2 else { return [HCIStatus.invalidParameters.rawValue] }
            isScanning = parameters[0] == 1
            return [0]
        default: return property(command.opcode) ?? [HCIStatus.unknownCommand.rawValue]
        }
    }

    /// The result of a command that reads a property of the controller; nil if the command is
    /// unknown.
    private func property(_ opcode: HCICommand.Opcode) -> [UInt8]? {
        let (length, count) = (UInt8(Self.bufferLength), Self.bufferCount)
        switch opcode {
        // Version 4.0, without a manufacturer.
        case .readLocalVersion: return [0, 6, 0, 0, 6, 0xFF, 0xFF, 0, 0]
        case .readLocalCommands: return [0] + Self.supportedCommands
        // LE is supported, BR/EDR is not.
        case .readLocalFeatures: return [0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        case .readLocalExtendedFeatures: return [0, 0, 0, 0, 0, 0, 0, 0x60, 0, 0, 0]
        case .readBufferSize: return [0, length, 0, 0, count, 0, 0, 0]
        case .readAddress: return [0, 1, 0, 0, 0, 0, 0]
        case .leReadBufferSize: return [0, length, 0, count]
        case .leReadLocalFeatures: return [0, 0, 0, 0, 0, 0, 0, 0, 0]
        case .leReadSupportedStates: return [0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0]
        case .leReadSuggestedDataLength: return [0, 27, 0, 0x48, 1]
        case .leReadMaximumDataLength: return [0, 27, 0, 0x48, 1, 27, 0, 0x48, 1]
        case .leRand: return [0] + (0..<8).map { _ in UInt8(air.draw(below: 256)) }
        default: return nil
        }
    }

    /// The bit mask of the supported commands, by octet and bit of the standard.
    private static let supportedCommands: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 64)
        let bits: [(octet: Int, bit: Int)] = [
            (0, 5), (2, 7), (5, 6), (5, 7), (14, 3), (14, 5), (14, 6), (14, 7), (15, 1), (22, 2),
            (24, 6), (25, 0), (25, 1), (25, 2), (25, 4), (26, 2), (26, 3), (26, 4), (26, 5),
            (27, 2), (27, 5), (27, 7), (28, 3), (33, 6), (34, 0), (35, 3),
        ]
        for (octet, bit) in bits { bytes[octet] |= 1 << bit }
        return bytes
    }()

    // MARK: commands with a later event

    private func create(_ command: HCICommand) {
        var reader = ByteReader(command.parameters[...])
        guard reader.bytes(5) != nil, let address = DeviceAddress(from: &reader),
            reader.bytes(7) != nil, let supervision = reader.u16(), 10...3200 ~= supervision
        else { return answer(command, .invalidParameters) }
        guard pendingConnection == nil else { return answer(command, .commandDisallowed) }
        if links.values.contains(where: { $0.peripheral.model.address == address }) {
            return answer(command, .connectionExists)
        }
        pendingConnection = PendingConnection(
            address: address, supervision: .milliseconds(Int64(supervision) * 10))
        answer(command, .success)
        updateListening()
    }

    private func cancel(_ command: HCICommand) {
        guard let request = exchange(&pendingConnection, with: nil) else {
            return complete(command, [HCIStatus.commandDisallowed.rawValue])
        }
        updateListening()
        complete(command, [0])
        sendConnectionComplete(.unknownConnection, 0, request.address)
    }

    private func disconnect(_ command: HCICommand) {
        var reader = ByteReader(command.parameters[...])
        guard let handle = reader.u16(), let link = links[handle] else {
            return answer(command, .unknownConnection)
        }
        answer(command, .success)
        removeLink(handle)
        link.closeByController()
        sendDisconnectionComplete(handle, .localHostEnded)
    }

    private func update(_ command: HCICommand) {
        var reader = ByteReader(command.parameters[...])
        guard let handle = reader.u16(), let link = links[handle], reader.bytes(2) != nil,
            let interval = reader.bytes(2), let latency = reader.bytes(2),
            let supervision = reader.u16()
        else { return answer(command, .unknownConnection) }
        link.supervisionTimeout = .milliseconds(Int64(supervision) * 10)
        answer(command, .success)
        var bytes: [UInt8] = [0x03, 0]
        bytes.append(handle)
        bytes += interval + latency
        bytes.append(supervision)
        sendToHost(0x3E, bytes)
    }

    /// Answers with version 4.0 and no optional features.
    private func readRemote(_ command: HCICommand) {
        var reader = ByteReader(command.parameters[...])
        guard let handle = reader.u16(), links[handle] != nil else {
            return answer(command, .unknownConnection)
        }
        answer(command, .success)
        var bytes: [UInt8] = [0]
        bytes.append(handle)
        if command.opcode == .readRemoteVersion {
            sendToHost(0x0C, bytes + [6, 0xFF, 0xFF, 0, 0])
        } else {
            sendToHost(0x3E, [0x04] + bytes + [0, 0, 0, 0, 0, 0, 0, 0])
        }
    }
}
