// A buzzer: `node buzzer.mjs SOCKET PLAYER` presses once, and prints the state after each change.
import { connect } from "node:net"
import { createInterface } from "node:readline"

const [path, player] = process.argv.slice(2)
const daemon = connect(path)
const request = (method, params) =>
    daemon.write(JSON.stringify({ jsonrpc: "2.0", id: method, method, params }) + "\n")
request("send", { event: "buzz", args: { player } })
request("watch", {})
for await (const line of createInterface({ input: daemon })) {
    const { id, method, params, result, error } = JSON.parse(line)
    if (error) console.log(error.message)
    else if (id === "send") console.log(result.to.state)
    else if (method === "change") console.log(params.to.state)
}
