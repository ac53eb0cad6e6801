import Glibc
import TestSupport
import Testing

@testable import FlowFiles

@Suite struct FlowFileTextTests {
    private let folder = Folder()

    private func reasonOfRefusal(_ path: String) -> String {
        do throws(FlowFileText.ReadError) {
            _ = try FlowFileText.read(path)
            return ""
        } catch { return error.why }
    }

    @Test func `a file is read completely`() throws {
        let path = folder.write("a.yaml", "flow: a\n")
        #expect(try FlowFileText.read(path) == Array("flow: a\n".utf8))
    }

    @Test func `a missing file, a directory, devices and a pipe are refused without waiting`() {
        #expect(reasonOfRefusal(folder.path + "/none.yaml") == "there is no such file")
        #expect(reasonOfRefusal(folder.path) == "it is a directory; name a file in it")
        #expect(
            reasonOfRefusal("/dev/zero")
                == "it is not a regular file but a device, a pipe or a socket")
        let pipe = folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(
            reasonOfRefusal(pipe) == "it is not a regular file but a device, a pipe or a socket")
    }

    @Test func `a loop of symbolic links is refused`() {
        let (a, b) = (folder.path + "/a", folder.path + "/b")
        #expect(symlink(a, b) == 0 && symlink(b, a) == 0)
        #expect(reasonOfRefusal(a) == "its symbolic links form a loop")
    }

    @Test func `a file above the limit is refused without being read`() {
        let path = folder.path + "/large.yaml"
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        #expect(ftruncate(descriptor, 1 << 40) == 0)
        close(descriptor)
        #expect(reasonOfRefusal(path) == FlowFileLimit.bytes.sentence)
    }

    @Test func `a file that changes while it is read is refused`() {
        let path = folder.write("a.yaml", "flow: a\n")
        #expect(throws: FlowFileText.ReadError.self) {
            _ = try FlowFileText.read(path, whenRead: { folder.write("a.yaml", "flow: other\n") })
        }
        #expect(throws: FlowFileText.ReadError.self) {
            _ = try FlowFileText.read(path, whenRead: { truncate(path, 3) })
        }
    }

    @Test func `a file that disappears while it is read is refused`() {
        let path = folder.write("a.yaml", "flow: a\n")
        #expect(throws: FlowFileText.ReadError.self) {
            _ = try FlowFileText.read(path, whenRead: { unlink(path) })
        }
    }

    @Test func `an unreadable file is one finding with its path`() {
        #expect(throws: FlowFileError.self) { try FlowFile(path: folder.path + "/none.yaml") }
        do throws(FlowFileError) { _ = try FlowFile(path: "none.yaml") } catch {
            #expect(
                error.findings.map(\.description) == [
                    "none.yaml:1:1: the file cannot be read: there is no such file"
                ])
        }
    }
}
