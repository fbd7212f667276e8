/** Refuses the run: one sentence that says what is wrong and what to do. */
export class LoadRefused extends Error {}
