-- The requests that wrk sends: two events in turn. The first changes the state of the session, the second changes it back.
local function post(event)
    local body = '{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"' .. event .. '"}}'
    return wrk.format("POST", "/v1/rpc", { ["Content-Type"] = "application/json" }, body)
end

local displayHelp, dismissHelp, turn

init = function()
    displayHelp, dismissHelp, turn = post("displayHelp"), post("dismissHelp"), 0
end

request = function()
    turn = 1 - turn
    return turn == 1 and displayHelp or dismissHelp
end
