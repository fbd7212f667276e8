/** The values of one metric on a page of metrics, by its labels as they are written; a histogram's are its counts. */
export function metricValues(page: string, name: string): Record<string, number> {
  const lines = page.split('\n').flatMap((line) => {
    const [, found, labels = '', value = ''] = /^(\w+?)(?:_count)?(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return found === name ? [[labels.replaceAll('"', ''), Number(value)] as const] : []
  })
  return Object.fromEntries(lines)
}

/** How much each value has grown since; those that have not are left out. */
export const grownSince = (before: Record<string, number>, now: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(now).flatMap(([labels, value]) => {
      const grown = value - (before[labels] ?? 0)
      return grown === 0 ? [] : [[labels, grown]]
    }),
  )
