const sampling = new Set(['temperature', 'top_p', 'top_k'])

/** Without the sampling settings, if the model has none: the first of these ignore them, and later ones refuse. */
export function settingsFor(
  model: string,
  keywords: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const entries = Object.entries(keywords)
  return Object.fromEntries(takesSampling(model) ? entries : entries.filter(([name]) => !sampling.has(name)))
}

/** All before Gemini 3.6 and 3.5 Flash-Lite; a name without a version is of the newest. */
function takesSampling(model: string): boolean {
  const [, major, minor = '0'] = /^gemini-(\d+)(?:\.(\d+))?/.exec(model) ?? []
  if (major === undefined) return !model.startsWith('gemini-')
  const version = Number(major) + Number(minor) / 10
  return version < (model.includes('flash-lite') ? 3.5 : 3.6)
}
