import { isEntry } from "../shared/presentsession.js";
import { playAloud, silence } from "./aloud.js";
import { mediaAddress, playEffect } from "./media.js";

/*
 * The sounds that the flow plays with the effect `play`. A sound ends with its state, or with the session if it is played
 * `until: game`. A page loads this file when a change has such an effect.
 */

/** Whether an effect plays or stops sounds. Another effect `play` is for other programs. */
function isSound({ name, args = {} }) {
    return name === playEffect && (typeof args.sound === "string" || args.stop === true);
}

export class Sounds {
    /**
     * The sounds that play: the audio element of each, whether it goes on when the state is left, the visit of the state (`entry`),
     * and the number of the change (`seq`).
     */
    #playing = new Set();

    /** Applies a change: ends sounds, and plays those of the change. A change that was missed plays none. */
    apply(change, wasMissed) {
        // With `open`, another game begins.
        if (["close", "open"].includes(change.kind)) this.stop();
        if (isEntry(change)) this.#stop(({ isForGame }) => !isForGame);
        for (const { args } of (change.effects ?? []).filter(isSound)) {
            if (args.stop === true) this.stop();
            else if (!wasMissed) this.#play(args, change);
        }
    }

    /**
     * Ends the sounds that do not belong to a session as it is after changes that the page has not got: those of another visit or
     * another game. `session` is undefined if the session is closed.
     */
    keep(session) {
        const belongs = ({ isForGame, entry, seq }) =>
            session !== undefined && (isForGame ? seq <= session.seq : entry === session.entry);
        this.#stop((playing) => !belongs(playing));
    }

    stop() {
        this.#stop(() => true);
    }

    #stop(isWanted) {
        for (const each of [...this.#playing].filter(isWanted)) {
            silence(each.audio);
            this.#playing.delete(each);
        }
    }

    async #play({ sound, volume = 100, loop = false, until }, { entry, seq }) {
        const audio = new Audio();
        const playing = { audio, isForGame: until === "game", entry, seq };
        this.#playing.add(playing);
        audio.addEventListener("ended", () => this.#playing.delete(playing));
        const address = await mediaAddress(sound);
        // The sound may have been stopped meanwhile.
        if (address === null || !this.#playing.has(playing)) return;
        audio.src = address;
        audio.loop = loop;
        audio.volume = Math.min(100, Math.max(0, volume)) / 100;
        playAloud(audio);
    }
}
