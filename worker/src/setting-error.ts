/** A setting that does not parse: the process stops with status 2 and this line. */
export class SettingError extends Error {}
