// A buzzer: `TOKEN=… dotnet run HOST PORT PLAYER` presses once, and prints the state after each change.
using System;
using System.IO;
using System.Net.Sockets;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

static class Program {
    static void Main(string[] args) {
        var stream = new TcpClient(args[0], int.Parse(args[1])).GetStream();
        Request(stream, "auth", new XElement("token", Environment.GetEnvironmentVariable("TOKEN")));
        Request(stream, "send", new XElement("event", "buzz"), Object("args", new XElement("player", args[2])));
        Request(stream, "watch");
        var lines = new StreamReader(stream);
        for (string line; (line = lines.ReadLine()) != null;) {
            var message = XElement.Load(JsonReaderWriterFactory.CreateJsonReader(
                Encoding.UTF8.GetBytes(line), XmlDictionaryReaderQuotas.Max));
            var change = message.Element("result") ?? message.Element("params");
            var shown = message.Element("error")?.Element("message") ?? change?.Element("to")?.Element("state");
            if (shown != null) Console.WriteLine(shown.Value);
        }
    }

    static void Request(Stream stream, string method, params XElement[] parameters) {
        using (var json = JsonReaderWriterFactory.CreateJsonWriter(stream, new UTF8Encoding(false), false))
            Object("root", new XElement("jsonrpc", "2.0"), new XElement("id", method),
                new XElement("method", method), Object("params", parameters)).WriteTo(json);
        stream.WriteByte((byte)'\n');
    }

    static XElement Object(string name, params XElement[] members) =>
        new XElement(name, new XAttribute("type", "object"), members);
}
