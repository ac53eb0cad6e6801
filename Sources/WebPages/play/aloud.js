import { find } from "../shared/dom.js";

/*
 * Plays sounds and videos. Browsers play no sound before the user has touched the page, so the page has a button for it. A page
 * loads this file when the first sound or video is played.
 */

const soundButton = find("#sound");
/** The sounds that the browser has refused to play, and the videos that it plays without sound. */
let silentAudios = [];

soundButton.addEventListener("click", () => {
    const audios = silentAudios;
    silentAudios = [];
    soundButton.hidden = true;
    for (const audio of audios) {
        audio.muted = false;
        playAloud(audio);
    }
});

/**
 * Plays a sound or a video. If the browser refuses because the user has not touched the page yet, the button is shown, and a
 * video is played without sound.
 */
export function playAloud(audio) {
    audio.play().catch((error) => {
        if (error.name !== "NotAllowedError" || audio.muted) return;
        silentAudios.push(audio);
        soundButton.hidden = false;
        if (!(audio instanceof HTMLVideoElement)) return;
        audio.muted = true;
        audio.play().catch(() => {});
    });
}

/** Ends a sound; the button does not play it later. */
export function silence(audio) {
    audio.pause();
    silentAudios = silentAudios.filter((each) => each !== audio);
    soundButton.hidden = silentAudios.length === 0;
}
