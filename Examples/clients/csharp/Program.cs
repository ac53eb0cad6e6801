// A buzzer: `dotnet run SOCKET PLAYER` presses once, and prints the state after each change.
using System.Net.Sockets;
using System.Text.Json;

using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
socket.Connect(new UnixDomainSocketEndPoint(args[0]));
using var stream = new NetworkStream(socket);
using var writer = new StreamWriter(stream) { NewLine = "\n", AutoFlush = true };
void Request(string method, object parameters) => writer.WriteLine(
    JsonSerializer.Serialize(new { jsonrpc = "2.0", id = method, method, @params = parameters }));
Request("send", new { @event = "buzz", args = new { player = args[1] } });
Request("watch", new { });
using var reader = new StreamReader(stream);
while (reader.ReadLine() is { } line) {
    var message = JsonDocument.Parse(line).RootElement;
    if (message.TryGetProperty("error", out var error)) Console.WriteLine(error.GetProperty("message"));
    else if (message.TryGetProperty("params", out var change) || message.TryGetProperty("result", out change))
        if (change.TryGetProperty("to", out var to)) Console.WriteLine(to.GetProperty("state"));
}
