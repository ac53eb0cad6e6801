import { describe } from "../shared/flows.js";

/** Whether this page is a phone with a buzzer: a user who may press the flow's buzzer sees nothing but the button. */
export async function isBuzzer(session, rights) {
    const flow = await describe(session).catch(() => null);
    return flow?.events.some(({ name, buzz }) => buzz && rights.maySend(name, session.session)) === true;
}
