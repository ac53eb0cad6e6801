import { h } from "../shared/dom.js";
import { closedSentence } from "../shared/refusal.js";
import { senderText } from "../shared/senders.js";
import { instantText } from "./instants.js";

/**
 * Makes the row of the log for one record: a change, or a refusal, whose `kind` is `refused`. `isVirtual` tells whether the
 * daemon's clock is virtual, and `deviceNames` has the names of Bluetooth devices by address.
 */
export function logRow(record, isVirtual, deviceNames) {
    const time = h("time", { datetime: record.time || null }, instantText(record.atMs, isVirtual, record.time));
    const seq = h("span", { class: "seq" }, record.pos ? `#${record.seq}` : "");
    const what = h("div", { class: "what" }, titleElement(record), detailsElement(record));
    const source = senderElement(record.source, deviceNames);
    const row = h("li", {}, time, seq, what, source);
    row.dataset.kind = record.kind;
    if (record.pos) row.dataset.pos = record.pos;
    return row;
}

/** The sender. A device is shown by its name if the name is known, because an address means little to people. */
function senderElement(source, deviceNames) {
    const device = source?.peer?.device;
    const name = deviceNames.get(device);
    const text = name === undefined ? senderText(source) : `${source.kind} ${name}`;
    const element = h("span", { class: "source", title: device }, text);
    if (device !== undefined) element.dataset.device = device;
    return element;
}

/** What happened: the event with its arguments, or the command of an operator, such as `goto`. */
function titleElement(record) {
    const { kind, event, timer } = record;
    const words = h("p", { class: "title" });
    if (event) words.append(h("strong", {}, event.name), argumentsText(event.args));
    else if (timer) words.append(h("strong", {}, timer.action), ` ${timer.fires}${timeChangeText(timer)}`);
    else words.append(h("strong", {}, kind), commandText(record));
    if (kind !== "enter" && (event || timer)) words.append(h("span", { class: "kind" }, kind));
    return words;
}

/**
 * What a command contains: the labels of `label`, the message of `say`, the numbers of the changes that `undo` has undone, or
 * the old and the new version of the flow of `move`. Empty for other commands.
 */
function commandText({ kind, labels, say: text, versions, undone }) {
    if (kind === "label") return argumentsText(labels);
    if (kind === "say") return text === "" ? " nothing" : ` “${text}”`;
    if (undone) return ` of #${undone.from}${undone.to > undone.from ? ` to #${undone.to}` : ""}`;
    return versions ? ` ${versions.from} → ${versions.to}` : "";
}

/** Arguments or labels as text after a space; the empty text for an empty list. */
function argumentsText(args) {
    const text = pairsText(args);
    return text === "" ? "" : ` ${text}`;
}

/** By how much a command has extended or shortened a timer; empty for other commands. */
function timeChangeText({ byMs }) {
    return byMs === undefined ? "" : ` by ${byMs / 1000} s`;
}

/** The states, the new data, the effects and the reason of a change; or the sentence of a refusal. */
function detailsElement(record) {
    if (record.kind === "refused") return h("p", { class: "why" }, closedSentence(record.error));
    const { from, to, effects, reason } = record;
    const parts = [statesElement(from, to), newDataElement(from, to)];
    const effectTexts = (effects ?? []).map(({ name, args }) => `${name}${argumentsText(args)}`).join(", ");
    if (effectTexts !== "") parts.push(h("span", { class: "effects" }, effectTexts));
    if (reason) parts.push(h("span", { class: "reason" }, reasonText(reason)));
    return h("p", { class: "details" }, parts);
}

/** The states before and after a change. `from` is missing if the session was opened, and `to` if it was closed. */
function statesElement(from, to) {
    if (!from) return h("span", {}, `→ ${to.state}`);
    if (!to) return h("span", {}, `${from.state} →`);
    return h("span", {}, from.state === to.state ? to.state : `${from.state} → ${to.state}`);
}

/** The data after the change; null if the state has no data, or if the change has not changed them. */
function newDataElement(from, to) {
    const text = pairsText(to?.data);
    if (text === "" || text === pairsText(from?.data)) return null;
    return h("span", { class: "new-data" }, text);
}

/** The reason of a change: a text of the operator, or the refusal with which a deferred event was dropped. */
function reasonText(reason) {
    return typeof reason === "string" ? `“${reason}”` : closedSentence(reason);
}

/** Arguments or data as one types them for `gamectl`: `episode=2 level=3`. */
function pairsText(members) {
    return Object.entries(members ?? {})
        .map(([name, value]) => `${name}=${typedText(value)}`)
        .join(" ");
}

function typedText(value) {
    return typeof value === "string" && /^[^\s"'=]+$/.test(value) ? value : JSON.stringify(value);
}
